#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "../bias/entries.h"
#include "attention/reference_attention.h"
#include "core/function.h"
#include "core/property.h"
#include "core/spoiled.h"

// A small right encoding of each kind that says nothing of the position, and what is wrong with it by little.
namespace posproof::tokens {

constexpr Precision bf16{unit_f32, unit_bf16};

// The same row for all.
inline Encoding still_table() {
  Table table{.dim = 2};
  table.rows = [](const Positions& positions, Position) {
    return Tensor({positions.size(), 2}, std::vector<double>(2 * positions.size(), 0.5));
  };
  return table;
}
// It rotates nothing. Two heads of two channels.
inline Encoding still_rotary() {
  return Rotary{.dim = 2, .heads = 2, .rotate = [](const Tensor& x, const Positions&, Role) { return x; }};
}
inline Encoding still_bias() {
  return biases::bias_of(2, [](std::size_t, Position, Position) { return 0.0; });
}
inline Encoding still_contextual() {
  return *attention::to_logits(still_bias());
}
// The operator without position, of 4 channels.
inline Encoding still_attention() {
  return attention::reference_attention(
      biases::bias_of(1, [](std::size_t, Position, Position) { return 0.0; }));
}

// What is added to an entry: so much of a row, a bias or a logit, of what is rotated so much of itself; of
// the whole operator so much of the last value, but nothing to 0: an answer that is exactly 0, as where all
// that the query sees is 0, has no bound to be sharp about.
inline double added(const AnswerEntry& at, double exact, double by) {
  const std::vector<Tensor>& contents = at.call->contents;
  if (contents.size() == 3) return exact == 0 ? 0 : by * contents[2].data.back();
  return contents.size() == 1 ? by * exact : by;
}

struct WrongEntries {
  std::string which;  // "the last entry"
  Function<bool(const AnswerEntry& at)> at;
};
inline const WrongEntries the_last{"the last entry", [](const AnswerEntry&at) { return at.is_last(); }},
    the_first{"the first entry", [](const AnswerEntry&at) { return at.is_first(); }};

// The kinds, and by how much each is wrong, as a power of 2.
struct Wrong {
  Encoding (*right)();
  int in_f32, in_bf16;
};

// Each of these in f32 and in bf16, with what is wrong added in some entries.
inline std::vector<NegativeExample> wrong_by(const std::vector<Wrong>& all, const WrongEntries& where,
                                             double sign = 1) {
  const std::vector<std::string> nouns = {"a table with {}", "a rotation with {} of itself", "a bias with {}",
                                          "logits with {}", "an operator with {} of the last value"};
  std::vector<NegativeExample> out;
  for (const auto& [right, in_f32, in_bf16] : all)
    for (const Precision& p : {all_f32, bf16}) {
      const int power = p == bf16 ? in_bf16 : in_f32;
      const std::string much = fmt::format("{}2^{}", sign < 0 ? "-" : "", power);
      out.push_back({fmt::format(fmt::runtime(nouns.at(right().index()) + " added to {}, in {}"), much,
                                 where.which, p == bf16 ? "bf16" : "f32"),
                     [right = right, at = where.at, by = std::ldexp(sign, power)] {
                       return spoiled(right(), [at, by](const AnswerEntry& entry, double exact) {
                         return at(entry) ? exact + added(entry, exact, by) : exact;
                       });
                     },
                     p});
    }
  return out;
}

// One list of all.
inline std::vector<NegativeExample> joined(std::vector<NegativeExample> all, const auto&... more) {
  (all.insert(all.end(), more.begin(), more.end()), ...);
  return all;
}

}  // namespace posproof::tokens
