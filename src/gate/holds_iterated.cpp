#include "gate/holds_iterated.h"

#include <cmath>

#include "gate/checked.h"
#include "gate/history.h"
#include "run/agreement.h"
#include "search/budget_clock.h"
#include "search/trial.h"

namespace posproof {
namespace {

constexpr std::uint64_t most_cases = 100;

// Whether an error of that kind could be one of rounding, and of steps from frequency to frequency.
bool may_be_steps(const PropertyResult& result, const Refuted& refuted) {
  return result.id != agreement_id && result.id != history_id && !result.needs_history &&
         refuted.failure.empty() && refuted.repeats && std::isfinite(refuted.residual.error);
}

}  // namespace

std::string holds_iterated(const GateResult& gated, const Encoding& truth, std::uint64_t seed,
                           std::chrono::milliseconds time) {
  Precision iterated = gated.subject.precision;
  if (!gated.refuted() || iterated.how == Precision::Angles::iterated) return {};
  iterated.how = Precision::Angles::iterated;
  const auto deadline = BudgetClock::now() + time;
  for (const PropertyResult& result : gated.results) {
    const auto* refuted = std::get_if<Refuted>(&result.verdict);
    if (refuted == nullptr) continue;
    if (!may_be_steps(result, *refuted)) return {};
    const auto again = trial(*result.property,
                             checked(result.id, *result.property, truth, gated.subject).encoding, iterated);
    if (!again || !std::holds_alternative<Holds>(replay(*again, refuted->counterexample))) return {};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - BudgetClock::now());
    if (left.count() <= 0) continue;
    const Verdict more = search(
        *again,
        {.seed = seed, .id = result.id, .budget = {.cases = most_cases, .time = left, .shrink_time = {}}});
    if (std::holds_alternative<Refuted>(more)) return {};
  }
  return iterated.word();
}

}  // namespace posproof
