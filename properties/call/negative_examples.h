#pragma once

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../bias/entries.h"
#include "../rotary/tokens.h"
#include "core/function.h"
#include "core/property.h"
#include "core/spoiled.h"

// A small right encoding of each kind, and what is wrong with it in one entry by little.
namespace posproof::calls {

constexpr Precision bf16{unit_f32, unit_bf16};

// Three channels, none of them 0 at any position and no two rows alike. Twice what rounding allows: 4 units.
inline Encoding right_table() {
  Table table{.dim = 3};
  table.rows = [](const Positions& positions, Position) {
    Tensor rows({positions.size(), 3});
    for (std::size_t r = 0; r < rows.rows(); ++r)
      for (std::size_t c = 0; c < 3; ++c)
        rows.at(r, c) = static_cast<double>(positions[r]) + static_cast<double>(c + 1) / 4;
    return rows;
  };
  return table;
}

// Two heads of two pairs, of which the slow one rotates by at most one radian. Twice what rounding allows,
// near position 0: 16.2 units in f32, 2 in bf16.
inline Encoding right_rotary() {
  Rotary rotary = rotations::multiplied_by(
      4, 2, {{0, 1, 0x1p-4, 0}, {2, 3, 0x1p-20, 1}},
      [](const Pair& pair, const auto& token) { return rotations::rotation(pair, token.t); });
  return rotary;
}

// Two heads. Twice what rounding allows: 4 units.
inline Encoding right_bias() {
  Bias bias = biases::bias_of(2, [](std::size_t h, Position i, Position j) {
    return -static_cast<double>(std::abs(i - j) + 1) / static_cast<double>(h + 1);
  });
  return bias;
}

// Two heads. Twice what rounding allows, where the content is 0: 4 units in the last head.
inline Encoding right_contextual() {
  const auto dot = [](std::span<const double> q, std::span<const double> k) {
    return q[0] * k[0] + q[1] * k[1];
  };
  const auto distance = [](std::size_t h, Position i, Position j) {
    return static_cast<double>(std::abs(i - j) + 1) * (h == 0 ? 0.75 : 1);
  };
  Contextual logits{.dim = 2, .heads = 2};
  logits.logits = [=](const Tensor& q, const Tensor& k, const Positions& queries, const Positions& keys) {
    Tensor out({2, queries.size(), keys.size()});
    std::size_t entry = 0;
    for (const std::size_t h : {0, 1})
      for (std::size_t i = 0; i < queries.size(); ++i)
        for (std::size_t j = 0; j < keys.size(); ++j)
          out.data[entry++] = dot(q.row(i), k.row(j)) - distance(h, queries[i], keys[j]);
    return out;
  };
  logits.error = [=](std::span<const double> q, std::span<const double> k, std::span<const double> i,
                     std::span<const double> j, const Precision& p) {
    return 2 * p.result *
           (std::abs(q[0] * k[0]) + std::abs(q[1] * k[1]) +
            distance(1, static_cast<Position>(i[0]), static_cast<Position>(j[0])));
  };
  return logits;
}

// A right encoding of which some entries of some answers are 1 + units u times as large, u being the unit of
// the format: negative where they are smaller.
struct WrongEntries {
  std::string which;  // "a table whose last entry"
  Encoding (*right)();
  Function<bool(const AnswerEntry& at)> at;
};
inline NegativeExample larger(const WrongEntries& wrong, double units, const Precision& p) {
  const auto words = fmt::format("{} is {} by {} units, in {}", wrong.which, units < 0 ? "smaller" : "larger",
                                 std::abs(units), p == bf16 ? "bf16" : "f32");
  const auto make = [right = wrong.right, at = wrong.at, by = units * p.result] {
    return spoiled(right(), [at, by](const AnswerEntry& entry, double exact) {
      return at(entry) ? exact * (1 + by) : exact;
    });
  };
  return {words, make, p};
}

// A table, a rotation, a bias, logits.
inline std::string noun(const Encoding& encoding) {
  const std::vector<std::string> nouns = {"a table", "a rotation", "a bias", "logits"};
  return nouns.at(encoding.index());
}

// The corners of every answer: too large in the last entry, too small in the first, in f32 and in bf16.
// `often` says in words which answers, `counts` of how many before it.
struct Units {
  double f32, bf16;
};
inline std::vector<NegativeExample> wrong_corners(
    Encoding (*right)(), Units units, const std::string& often = "every answer",
    const Function<bool(std::size_t calls)>& counts = [](std::size_t) { return true; }) {
  const std::string what = noun(right());
  const WrongEntries last{fmt::format("{} whose last entry in {}", what, often), right,
                          [counts](const AnswerEntry&at) { return at.is_last() && counts(at.calls); }},
      first{fmt::format("{} whose first entry in {}", what, often), right,
            [counts](const AnswerEntry&at) { return at.is_first() && counts(at.calls); }};
  return {larger(last, units.f32, all_f32), larger(first, -units.f32, all_f32),
          larger(last, units.bf16, bf16), larger(first, -units.bf16, bf16)};
}

// One list of all.
inline std::vector<NegativeExample> joined(std::vector<NegativeExample> all, const auto&... more) {
  (all.insert(all.end(), more.begin(), more.end()), ...);
  return all;
}

}  // namespace posproof::calls
