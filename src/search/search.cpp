#include "search/search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <exception>
#include <optional>
#include <utility>

#include "core/random.h"
#include "search/budget_clock.h"
#include "search/explain.h"
#include "search/generate.h"
#include "search/shrink.h"

namespace posproof {
namespace {

using Clock = BudgetClock;
using End = CaseResult::End;

struct Outcomes {
  Holds held = {};
  std::uint64_t discarded = 0, refused = 0;
  std::string last_refusal = {};
};

std::string none_ran(const Outcomes& outcomes) {
  const std::uint64_t draws = outcomes.discarded + outcomes.refused;
  std::string why =
      fmt::format("no case was run: of {} draws the check discarded {}", draws, outcomes.discarded);
  if (outcomes.refused > 0)
    why += fmt::format(" and the subject refused {}, the last with `{}`", outcomes.refused,
                       outcomes.last_refusal);
  return why;
}

Verdict nothing_refuted(const Outcomes& outcomes, const Plan& plan) {
  if (outcomes.held.learned()) return outcomes.held;
  if (plan.budget.cases == 0) return Undecided{"0 cases were asked for"};
  if (outcomes.held.cases == 0) return Undecided{none_ran(outcomes)};
  return Undecided{fmt::format("none of {} cases could have come out the other way", outcomes.held.cases)};
}

Verdict cut_short(const Outcomes& outcomes, const Plan& plan, std::uint64_t done) {
  const Holds& held = outcomes.held;
  return Undecided{fmt::format("stopped by {} after {} of {} cases: {} held, {} of them vacuous",
                               plan.budget.limit_text(), done, plan.budget.cases, held.cases, held.vacuous),
                   held, true};
}

// The shrunk case where it fails again, else the one that was found.
Verdict refuted(const Trial& trial, const Plan& plan, const CaseResult& found, std::uint64_t cases,
                std::uint64_t key) {
  const auto deadline = Clock::now() + plan.budget.shrink_time;
  Refuted verdict = std::get<Refuted>(verdict_of(found, cases));
  if (plan.known.contains(verdict.failure)) return verdict;

  const CaseResult again = run_repaired(trial, found.drawn.values);
  if (!again.fails_like(found)) {
    if (found.died) return Errored{found.what + "; asked again, it did not die", found.drawn.values};
    verdict.repeats = false;
    return verdict;
  }
  const Shrunk shrunk = shrink(trial, again, plan.budget.shrinks, deadline);
  const CaseResult last = run_repaired(trial, shrunk.smallest.drawn.values);
  if (last.fails_like(found)) {
    verdict = std::get<Refuted>(verdict_of(last, cases));
    verdict.irrelevant = irrelevant(trial, last, key, deadline);
  } else {
    verdict.repeats = run_repaired(trial, found.drawn.values).fails_like(found);
  }
  verdict.shrinks = shrunk.runs;
  return verdict;
}

Verdict errored(const Trial& trial, const Plan& plan, const CaseResult& found) {
  const CaseResult again = run_repaired(trial, found.drawn.values);
  return again.fails_like(found) ? shrunk(trial, again, 1, plan.budget) : verdict_of(found, 1);
}

Verdict searched(const Trial& trial, const Plan& plan) {
  Outcomes outcomes;
  const auto deadline = Clock::now() + plan.budget.time;
  for (std::uint64_t n = 0; n < plan.budget.cases; ++n) {
    for (std::uint64_t k = 0; k < draws_per_case; ++k) {
      if (Clock::now() >= deadline) return cut_short(outcomes, plan, n);
      RandomDraw draw(plan.seed, plan.id, plan.first + n, k);
      CaseResult attempt = run(trial, draw);
      if (attempt.end == End::discarded) {
        ++outcomes.discarded;
        continue;
      }
      if (attempt.end == End::refused) {
        ++outcomes.refused;
        outcomes.last_refusal = std::move(attempt.what);
        continue;
      }
      if (attempt.end == End::held) {
        outcomes.held.add(attempt.residual, draw.drawn());
        break;
      }
      attempt.drawn.values = draw.drawn();
      if (attempt.end == End::threw) return errored(trial, plan, attempt);
      return refuted(trial, plan, attempt, outcomes.held.cases + 1, hash(plan.seed, plan.id, plan.first + n));
    }
  }
  return nothing_refuted(outcomes, plan);
}

Verdict replayed(const Trial& trial, const Case& recorded) {
  Replay draw(recorded);
  std::exception_ptr not_this_case;
  const CaseResult attempt = run(
      [&](Draw& inner) {
        try {
          return trial(inner);
        } catch (const NoAnswer&) {
          not_this_case = std::current_exception();
          throw;
        }
      },
      draw);
  if (not_this_case) std::rethrow_exception(not_this_case);
  if (attempt.end == End::discarded) return Undecided{"the check discards this case"};
  if (attempt.end == End::refused) return Undecided{"the subject refuses this case: " + attempt.what};
  if (attempt.end == End::threw || attempt.end == End::failed) {
    CaseResult failing = attempt;
    failing.drawn.values = draw.drawn();
    return verdict_of(failing, 1);
  }
  if (const auto unused = draw.unused(); !unused.empty())
    throw std::invalid_argument(
        fmt::format("case `{}`: nothing asks for `{}`", recorded.text(), fmt::join(unused, "`, `")));
  if (attempt.end == End::refuted) return Refuted{draw.drawn(), attempt.residual, 1, 0, true, {}};
  return Holds{1, attempt.residual.vacuous() ? 1u : 0u, attempt.residual, draw.drawn()};
}

}  // namespace

std::string Budget::limit_text() const {
  return fmt::format("`{}` ({:g} s)", limit, std::chrono::duration<double>(time).count());
}

Verdict shrunk(const Trial& trial, const CaseResult& failing, std::uint64_t found_after,
               const Budget& budget) {
  const Shrunk smallest = shrink(trial, failing, budget.shrinks, Clock::now() + budget.shrink_time);
  Verdict verdict = verdict_of(smallest.smallest, found_after);
  if (auto* refuted = std::get_if<Refuted>(&verdict)) refuted->shrinks = smallest.runs;
  return verdict;
}

Verdict search(const Trial& trial, const Plan& plan) {
  try {
    return searched(trial, plan);
  } catch (const Inapplicable& none) {
    return NotApplicable{none.why};
  }
}

Verdict replay(const Trial& trial, const Case& recorded) {
  try {
    return replayed(trial, recorded);
  } catch (const Inapplicable& none) {
    return NotApplicable{none.why};
  }
}

}  // namespace posproof
