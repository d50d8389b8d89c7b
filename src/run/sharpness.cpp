#include "run/sharpness.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/term.h"
#include "search/generate.h"
#include "search/trial.h"

namespace posproof {
namespace {

// An encoding of each kind that says nothing but its shape, on a line and on a grid.
std::array<Encoding, 7> one_of_each_kind() {
  Attention attention{.dim = 4, .value_dim = 4};
  Table table{.dim = 4};
  Rotary rotary{.dim = 4, .heads = 2};
  table.positions.axes = rotary.positions.axes = 2;
  return {Table{.dim = 4},
          Rotary{.dim = 4, .heads = 2},
          Bias{.heads = 2},
          Contextual{.dim = 4, .heads = 2},
          attention,
          table,
          rotary};
}

// The largest error over bound of all cases of the plan. A discarded or declined case is drawn again, as in
// the search.
double largest_share(const Trial& trial, const Plan& plan) {
  double largest = 0;
  for (std::uint64_t n = 0; n < plan.budget.cases; ++n)
    for (std::uint64_t k = 0; k < draws_per_case; ++k) {
      RandomDraw draw(plan.seed, plan.id, plan.first + n, k);
      try {
        const Residual residual = trial(draw);
        if (!residual.holds()) largest = std::max(largest, residual.error_over_bound());
        break;
      } catch (const Discard&) {
      } catch (const Refusal&) {
      }
    }
  return largest;
}

}  // namespace

std::string Sharpness::text() const {
  switch (measure) {
    case Measure::bound:
      return fmt::format("{:.2g} bounds", times);
    case Measure::units:
      return fmt::format("{:.2g} units", times);
    case Measure::threshold:
      return fmt::format("a threshold divided by {:.0f}", times);
  }
  return {};
}

Sharpness sharpness(const Property& property, const NegativeExample& example, const Plan& plan) {
  // Made anew each time: it may remember what it was asked.
  const auto largest = [&] {
    return largest_share(*trial(property, example.make(), example.precision), plan);
  };
  if (!applies(property, example.make())) return {};
  const Sharpness found{Measure::bound, largest()};
  if (!found.refuted() || found.is_sharp()) return found;
  if (std::isinf(found.times)) {
    const ScaledTerm counted(Term::equality, 1);
    const double units = largest();
    if (units > 1 && std::isfinite(units)) return {Measure::units, units};
  }
  for (const double divisor : {2.0, 4.0, 8.0, 16.0}) {
    const ScaledTerm lower(Term::threshold, 1 / divisor);
    if (largest() == 0) return {Measure::threshold, divisor};
  }
  return found;
}

std::vector<std::string_view> kinds_of(const Property& property) {
  std::vector<std::string_view> kinds;
  for (const Encoding& encoding : one_of_each_kind())
    if (applies(property, encoding) && std::ranges::find(kinds, kind(encoding)) == kinds.end())
      kinds.push_back(kind(encoding));
  return kinds;
}

std::vector<MeasuredExample> measured_examples(std::string_view id, const Property& property) {
  std::vector<MeasuredExample> out;
  for (const NegativeExample& example : property.must_reject)
    if (example.precision.result >= unit_f32)
      out.push_back({kind(example.make()), example.precision.result > unit_f32, &example,
                     sharpness(property, example, {.id = std::string(id)})});
  return out;
}

std::vector<MeasuredExample> sharpest(std::string_view id, const Property& property) {
  return sharpest(property, measured_examples(id, property));
}

std::vector<MeasuredExample> sharpest(const Property& property,
                                      const std::vector<MeasuredExample>& examples) {
  std::vector<MeasuredExample> out;
  for (const std::string_view of : kinds_of(property))
    for (const bool in_16_bits : {false, true}) {
      if (std::ranges::count(property.never_fails_of, of) != 0) continue;
      if (in_16_bits && !property.not_in_16_bits.empty()) continue;
      MeasuredExample best{of, in_16_bits};
      for (const MeasuredExample& one : examples)
        if (one.kind == of && one.in_16_bits == in_16_bits && one.sharpness.refuted() &&
            (best.example == nullptr || one.sharpness.times < best.sharpness.times))
          best = one;
      out.push_back(best);
    }
  return out;
}

}  // namespace posproof
