#include "search/search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <exception>
#include <optional>
#include <utility>

#include "search/explain.h"
#include "search/generate.h"
#include "core/random.h"
#include "search/shrink.h"

namespace posproof {
namespace {

using Clock = std::chrono::steady_clock;
using End = Attempt::End;

// A case is drawn again when it was discarded, up to this often, under the same number: so numbers stay
// addressable, and shards of a plan are disjoint, however much is discarded.
constexpr std::uint64_t draws_per_case = 10;

struct Tally {
  std::uint64_t cases = 0, telling = 0, discarded = 0, refused = 0;
  std::string last_refusal = {};
  std::optional<Residual> worst = {};
  Case worst_at = {};

  void held(const Residual& residual, const Case& at) {
    ++cases;
    if (!residual.telling()) return;
    ++telling;
    if (worst && residual.use() <= worst->use()) return;
    worst = residual;
    worst_at = at;
  }
};

std::string none_ran(const Tally& tally) {
  const std::uint64_t draws = tally.discarded + tally.refused;
  std::string why =
      fmt::format("no case was run: of {} draws the check discarded {}", draws, tally.discarded);
  if (tally.refused > 0)
    why += fmt::format(" and the subject refused {}, the last with `{}`", tally.refused, tally.last_refusal);
  return why;
}

Verdict nothing_refuted(const Tally& tally, const Plan& plan, bool out_of_time) {
  if (tally.telling > 0) return Holds{tally.cases, tally.telling, *tally.worst, tally.worst_at};
  if (plan.budget.cases == 0) return Undecided{"0 cases were asked for"};
  if (out_of_time)
    return Undecided{
        fmt::format("out of time ({} ms) after {} cases, none of which could have come out the other way",
                    plan.budget.time.count(), tally.cases)};
  if (tally.cases == 0) return Undecided{none_ran(tally)};
  return Undecided{fmt::format("none of {} cases could have come out the other way", tally.cases)};
}

// The shrunk case where it fails again, else the one that was found.
Verdict refuted(const Trial& trial, const Plan& plan, const Attempt& found, std::uint64_t cases,
                std::uint64_t key) {
  const auto deadline = Clock::now() + plan.budget.shrink_time;
  Refuted verdict{found.drawn.values, found.residual, cases, 0, true, {}};

  const Attempt again = run_leniently(trial, found.drawn.values);
  if (!again.fails_like(found)) {
    verdict.repeats = false;
    return verdict;
  }
  const Shrunk shrunk = shrink(trial, again, plan.budget.shrinks, deadline);
  verdict.shrinks = shrunk.runs;
  const Attempt last = run_leniently(trial, shrunk.smallest.drawn.values);
  if (last.fails_like(found)) {
    verdict.counterexample = last.drawn.values;
    verdict.residual = last.residual;
    verdict.irrelevant = irrelevant(trial, last, key, deadline);
  } else {
    verdict.repeats = run_leniently(trial, found.drawn.values).fails_like(found);
  }
  return verdict;
}

Verdict errored(const Trial& trial, const Plan& plan, const Attempt& found) {
  const Attempt again = run_leniently(trial, found.drawn.values);
  if (!again.fails_like(found)) return Errored{found.what, found.drawn.values};
  const auto deadline = Clock::now() + plan.budget.shrink_time;
  const Shrunk shrunk = shrink(trial, again, plan.budget.shrinks, deadline);
  return Errored{shrunk.smallest.what, shrunk.smallest.drawn.values};
}

Verdict searched(const Trial& trial, const Plan& plan) {
  Tally tally;
  const auto deadline = Clock::now() + plan.budget.time;
  for (std::uint64_t n = 0; n < plan.budget.cases; ++n) {
    for (std::uint64_t k = 0; k < draws_per_case; ++k) {
      if (Clock::now() >= deadline) return nothing_refuted(tally, plan, true);
      Generate draw(plan.seed, plan.id, plan.first + n, k);
      Attempt attempt = run(trial, draw);
      if (attempt.end == End::discarded) {
        ++tally.discarded;
        continue;
      }
      if (attempt.end == End::refused) {
        ++tally.refused;
        tally.last_refusal = std::move(attempt.what);
        continue;
      }
      if (attempt.end == End::held) {
        tally.held(attempt.residual, draw.drawn());
        break;
      }
      attempt.drawn.values = draw.drawn();
      if (attempt.end == End::threw) return errored(trial, plan, attempt);
      return refuted(trial, plan, attempt, tally.cases + 1, hash(plan.seed, plan.id, plan.first + n));
    }
  }
  return nothing_refuted(tally, plan, false);
}

Verdict replayed(const Trial& trial, const Case& recorded) {
  Replay draw(recorded);
  std::exception_ptr not_this_case;
  const Attempt attempt = run(
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
  if (attempt.end == End::threw) return Errored{attempt.what, draw.drawn()};
  if (const auto unused = draw.unused(); !unused.empty())
    throw std::invalid_argument(
        fmt::format("case `{}`: nothing asks for `{}`", recorded.text(), fmt::join(unused, "`, `")));
  if (attempt.end == End::refuted) return Refuted{draw.drawn(), attempt.residual, 1, 0, true, {}};
  return Holds{1, attempt.residual.telling() ? 1u : 0u, attempt.residual, draw.drawn()};
}

}  // namespace

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
