#include "search/explain.h"

#include <algorithm>
#include <unordered_set>

#include "core/random.h"
#include "search/budget_clock.h"
#include "search/generate.h"

namespace posproof {
namespace {

using End = CaseResult::End;
using Clock = BudgetClock;

constexpr std::uint64_t fewest_tried = 10;

// Other values of one field that were tried; `all_fail` is false as soon as one of them does not.
struct Tried {
  std::uint64_t valid = 0;
  bool all_fail = true;

  bool go_on(const CaseResult& attempt, const CaseResult& failing) {
    if (attempt.end == End::discarded || attempt.end == End::refused) return true;
    ++valid;
    return all_fail = attempt.fails_like(failing);
  }
};

std::vector<Value> few_answers(const Choice& choice) {
  if (const auto* option = std::get_if<choice::OneOf>(&choice)) return option->values;
  std::vector<Value> values;
  const auto add = [&](std::int64_t lo, std::int64_t hi) {
    for (std::int64_t x = lo; hi - lo < 20 && x <= hi; ++x) values.emplace_back(static_cast<double>(x));
  };
  if (const auto* size = std::get_if<choice::Size>(&choice))
    for (const std::int64_t n : size->all()) values.emplace_back(static_cast<double>(n));
  if (const auto* integer = std::get_if<choice::Integer>(&choice)) add(integer->lo, integer->hi);
  if (const auto* place = std::get_if<choice::PositionIn>(&choice)) add(place->lo, place->hi);
  return values;
}

bool does_not_matter(const Trial& trial, const CaseResult& failing, std::size_t at, RandomChoice choose,
                     std::uint64_t most, Clock::time_point deadline) {
  const Case& values = failing.drawn.values;
  const Case::Field& field = values.fields()[at];
  Tried tried;
  const std::vector<Value> all = few_answers(failing.drawn.choices[at]);
  if (!all.empty()) {
    for (const Value& value : all) {
      if (Clock::now() >= deadline) return false;
      if (text(value) == text(field.value)) continue;
      Case edited = values;
      edited.set(field.name, value);
      if (!tried.go_on(run_repaired(trial, edited), failing)) return false;
    }
    return tried.valid > 0;
  }
  std::unordered_set<std::string> seen = {text(field.value)};
  for (std::uint64_t n = 0; n < most; ++n) {
    if (Clock::now() >= deadline) return false;
    const CaseResult attempt = run_redrawn(trial, values, field.name, choose);
    const Value* drawn = attempt.drawn.values.find(field.name);
    if (drawn == nullptr || !seen.insert(text(*drawn)).second) continue;
    if (!tried.go_on(attempt, failing)) return false;
  }
  return tried.valid >= fewest_tried;
}

}  // namespace

std::vector<std::string> irrelevant(const Trial& trial, const CaseResult& failing, std::uint64_t key,
                                    Clock::time_point deadline) {
  std::vector<std::string> names;
  const auto& fields = failing.drawn.values.fields();
  const std::uint64_t most =
      std::clamp<std::uint64_t>(1000 / std::max<std::size_t>(1, fields.size()), 20, 100);
  for (std::size_t f = 0; f < fields.size(); ++f)
    if (does_not_matter(trial, failing, f, RandomChoice(mixed(key ^ (f + 1)), 0), most, deadline))
      names.push_back(fields[f].name);
  return names;
}

}  // namespace posproof
