#include "run/words_alike.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/call.h"
#include "exact/exact_table.h"
#include "run/agreement.h"
#include "search/search.h"
#include "search/trial.h"

namespace posproof {
namespace {

// Of what is said to be the same, and of a value that may tell two words apart, where a miss is only another
// value.
constexpr std::uint64_t cases = 100, cases_of_a_value = 16;

// None where the encoding is not defined for these parameters.
std::optional<Encoding> truth_of(const EncodingSpec& spec, const Parameters& parameters) {
  try {
    return spec.oracle(with(spec, parameters));
  } catch (const Refusal&) {
    return std::nullopt;
  }
}

Parameters with_value(Parameters parameters, std::string_view name, const Value& value) {
  parameters.set(name, value);
  return parameters;
}

// Whether every answer is made of the same exact entries, so that there is nothing to search for.
bool made_alike(const Encoding& one, const Encoding& other) {
  const auto exact = exact::exact_table(one), of_other = exact::exact_table(other);
  if (!exact || !of_other || !exact->is_made_like(*of_other)) return false;
  const auto *rotary = std::get_if<Rotary>(&one), *of_other_rotary = std::get_if<Rotary>(&other);
  return rotary == nullptr || rotary->heads == of_other_rotary->heads;
}

// Whether a pair rotates so much faster in one than in the other that any token shows it, at once.
bool rotate_apart(const Encoding& one, const Encoding& other) {
  constexpr double much = 0.01, less_than_a_turn = 6;  // radians per position
  const std::vector<Pair>&pairs = pairs_of(one), &of_other = pairs_of(other);
  const auto stand_alike = [](const Pair& a, const Pair& b) {
    return a.first == b.first && a.second == b.second && a.axis == b.axis;
  };
  if (!std::ranges::equal(pairs, of_other, stand_alike)) return false;
  for (std::size_t n = 0; n < pairs.size(); ++n) {
    const double apart = std::abs(pairs[n].frequency - of_other[n].frequency);
    if (apart > much && apart < less_than_a_turn) return true;
  }
  return false;
}

// Whether the two are the same wherever a search looks. Where one means nothing for keys after the query, and
// the other does, they differ.
bool alike(const Encoding& one, const Encoding& other, std::uint64_t most) {
  if (is_causal(one) != is_causal(other)) return false;
  if (one.index() != other.index() || is_modulo_rows(one) || is_modulo_rows(other)) return false;
  if (made_alike(one, other)) return true;
  if (rotate_apart(one, other)) return false;
  const auto compared = trial(agreement(one), other, all_f64);
  if (!compared) return false;
  // Nobody asks where they differ: the first case that shows it ends the search.
  const Trial until_they_differ = [&compared](Draw& draw) {
    const Residual found = (*compared)(draw);
    if (!found.holds()) throw Inapplicable{"they differ"};
    return found;
  };
  Plan plan{.id = "words_alike"};
  plan.budget.cases = most;
  return std::holds_alternative<Holds>(search(until_they_differ, plan));
}

// The first value of another parameter under which the two words differ.
std::string told_apart_by(const EncodingSpec& spec, const Parameters& parameters, const Parameter& contested,
                          const Value& word) {
  for (const Parameter& other : spec.parameters)
    for (const Value& value : other.grid) {
      if (other.name == contested.name) break;
      const Parameters changed = with_value(parameters, other.name, value);
      const auto one = truth_of(spec, changed),
                 two = truth_of(spec, with_value(changed, contested.name, word));
      // Where a constant on a row does not matter, nothing is known of two words.
      const bool known =
          one && two && one->index() == two->index() && !is_modulo_rows(*one) && !is_modulo_rows(*two);
      if (known && !alike(*one, *two, cases_of_a_value)) return fmt::format("{}={}", other.name, text(value));
    }
  return "";
}

}  // namespace

std::vector<AlikeWord> alike_words(const EncodingSpec& spec, const Parameters& parameters) {
  std::vector<AlikeWord> out;
  const Parameters all = with(spec, parameters);
  const auto truth = truth_of(spec, all);
  if (!truth) return out;
  for (const Parameter& contested : spec.parameters) {
    if (!contested.convention || !std::holds_alternative<type::Word>(contested.type)) continue;
    if (!contested.matters_where.met(all)) continue;
    const Value own = *all.find(contested.name);
    for (const Value& word : contested.grid) {
      if (word == own) continue;
      const auto other = truth_of(spec, with_value(all, contested.name, word));
      if (!other || !alike(*truth, *other, cases)) continue;
      out.push_back({std::string(contested.name), std::get<std::string>(own), std::get<std::string>(word),
                     told_apart_by(spec, all, contested, word)});
    }
  }
  return out;
}

std::vector<std::string> words_alike(const EncodingSpec& spec, const Parameters& parameters) {
  std::vector<std::string> out;
  for (const auto& [parameter, own, other, apart] : alike_words(spec, parameters))
    // Where nothing tells them apart, there is nothing to try: an even width has no odd column.
    if (!apart.empty())
      out.push_back(fmt::format("{}: `{}` and `{}` give the same values here; `{}` tells them apart",
                                parameter, own, other, apart));
  return out;
}

}  // namespace posproof
