#include "run/exhaustive.h"

#include <fmt/format.h>

#include <vector>

#include "core/call.h"
#include "run/agreement.h"
#include "run/narrowed.h"
#include "run/places.h"
#include "search/budget_clock.h"
#include "search/case_result.h"
#include "search/trial.h"

namespace posproof {
namespace {

using Clock = BudgetClock;

constexpr Position most_rows_of_a_file = 1 << 20, most_live = 8192;
// Places of a live grid that are all asked for: of a bias against each other, of a rotation each.
constexpr Position most_of_a_window = 256, most_rotated = 1024;

bool at_most(const Domain& domain, Position positions) {
  return domain.hi - domain.lo < positions;
}

bool gives_rows(const Encoding& encoding) {
  return signature(encoding).has(Axis::token) && signature(encoding).takes.empty();
}

// The cases that ask a table for every position, where it is compared with no exact one.
std::vector<Case> every_case(const Encoding& truth, const Encoding& subject) {
  std::vector<Case> cases;
  const Domain domain = overlap(positions_of(subject), positions_of(truth));
  if (!gives_rows(subject) || !at_most(domain, most_rows_of_a_file)) return {};
  for (Position t = domain.lo; t <= domain.hi; ++t) cases.push_back(case_of(truth, domain, t));
  return cases;
}

// The cases that ask a table for every place of its grid; none where there are more than so many, or where
// places between them are asked for, too.
std::vector<Case> every_case_of_a_grid(const Encoding& truth, const Encoding& subject, Position most) {
  const Domain domain = overlap(positions_of(subject), positions_of(truth));
  const Places places = places_of(domain);
  if (!gives_rows(subject) || domain.real || places.count() > most) return {};
  std::vector<Case> cases;
  for (Position n = 0; n < places.count(); ++n) cases.push_back(case_of(truth, domain, places.at(n)));
  return cases;
}

std::optional<Verdict> case_by_case(const std::vector<Case>& cases, const Trial& trial,
                                    const Budget& budget) {
  const auto deadline = Clock::now() + budget.time;
  Holds holds;
  for (const Case& asked : cases) {
    if (Clock::now() >= deadline)
      return Undecided{fmt::format("stopped by {} after {} of {} positions", budget.limit_text(), holds.cases,
                                   cases.size()),
                       holds};
    CaseResult found = run_repaired(trial, asked);
    if (found.fails()) return shrunk(trial, found, holds.cases + 1, budget);
    if (found.end != CaseResult::End::held) continue;  // refused: within its own bounds it may
    holds.add(found.residual, found.drawn.values);
  }
  if (!holds.learned()) return std::nullopt;
  return holds;
}

// The case that asks for a key and for the query's own, which it is compared relative to.
Case beside_its_own_key(Position query, Position key) {
  Case out;
  out.set("nq", 1.0), out.set("nk", 2.0);
  out.set("i", static_cast<double>(query)), out.set("j", static_cast<double>(key));
  out.set("j1", static_cast<double>(query));
  return out;
}

// Every query of a file of biases against all keys, where a constant on a row does not matter: entries count
// relative to the query's own key, and none alone has an exact one.
std::optional<Verdict> query_by_query(const Encoding& truth, const Subject& subject, const Trial& trial,
                                      const Budget& budget) {
  const auto deadline = Clock::now() + budget.time;
  const Domain own = positions_of(subject.encoding), domain = overlap(own, positions_of(truth));
  Holds holds;
  for (Position query = domain.lo; query <= domain.hi; ++query) {
    if (Clock::now() >= deadline)
      return Undecided{fmt::format("stopped by {} after {} of {} positions", budget.limit_text(), holds.cases,
                                   domain.hi - domain.lo + 1),
                       holds, true};
    Call call;
    call.positions.whole = {query};
    for (Position key = domain.lo; key <= (is_causal(truth) ? query : domain.hi); ++key)
      call.keys.whole.push_back(key);
    const Comparison found = agreement_in_full(truth, call, answer(subject.encoding, call),
                                               answer(truth, call), subject.precision, own)
                                 .compared;
    const Case pair = beside_its_own_key(query, call.keys.whole[found.at % call.keys.whole.size()]);
    if (found.worst.holds()) {
      holds.add(found.worst, pair);
      continue;
    }
    const CaseResult again = run_repaired(trial, pair);
    if (again.fails()) return shrunk(trial, again, holds.cases + 1, budget);
    return Refuted{pair, found.worst, holds.cases + 1, 0, false, {}};
  }
  return holds;
}

// What a case fails with when more positions are asked for with its own: those that follow it, or the last
// ones that there are.
std::optional<CaseResult> failing_with_others(const Trial& trial, const Encoding& truth, const Domain& domain,
                                              const Case& alone) {
  if (!signature(truth).has(Axis::token) || domain.axes > 1 || domain.real) return std::nullopt;
  const auto first = static_cast<Position>(alone.real("t"));
  for (const Position tokens : {2, 8, 64, 1024})
    for (const Position from : {first, domain.hi - tokens + 1}) {
      if (from < domain.lo || from + tokens - 1 > domain.hi) continue;
      Case several = alone;
      several.set(signature(truth).takes.empty() ? "rows" : "tokens", static_cast<double>(tokens));
      several.set("t", static_cast<double>(from));
      several.set("t1", static_cast<double>(from + 1));  // of few each has its own
      CaseResult found = run_repaired(trial, several);
      if (found.fails()) return found;
    }
  return std::nullopt;
}

std::optional<Verdict> verdict_of(const Accuracy& all, const Trial& trial, const Encoding& truth,
                                  const Domain& domain, const Budget& budget, bool exhaustive) {
  if (all.errored) return *all.errored;
  if (all.failed) {
    const CaseResult found = run_repaired(trial, all.failed->counterexample);
    if (found.fails()) return shrunk(trial, found, all.rows + 1, budget);
    if (const auto with = failing_with_others(trial, truth, domain, all.failed->counterexample))
      return shrunk(trial, *with, all.rows + 1, budget);
    Refuted together = *all.failed;
    together.instead += " (in a call of several positions from this one on; alone it is answered)";
    together.repeats = false;
    return together;
  }
  if (all.beyond) {
    // Asked alone, as the case says. What was wrong among its neighbours only is not seen again.
    CaseResult found = run_repaired(trial, all.beyond->again);
    if (!found.fails()) {
      if (const auto with = failing_with_others(trial, truth, domain, all.beyond->again))
        return shrunk(trial, *with, all.rows, budget);
      return Refuted{all.beyond->again, all.beyond->residual, all.rows, 0, false, {}};
    }
    return shrunk(trial, found, all.rows, budget);
  }
  const Holds held{all.rows, all.vacuous, all.worst, all.worst_at};
  if (!all.stopped.empty())
    return exhaustive || all.out_of_time ? std::optional<Verdict>(Undecided{all.stopped, held})
                                         : std::nullopt;
  if (all.rows == all.vacuous) return std::nullopt;
  return held;
}

// Where there are few positions, or a file has them, or all were asked for.
bool asks_all(const Encoding& truth, const Subject& subject, bool exhaustive) {
  const bool is_of_some_positions =
      !subject.live && positions_of(subject.encoding).ends;  // no frequencies alone
  if (exhaustive || (gives_rows(truth) ? subject.stored.has_value() : is_of_some_positions)) return true;
  return signature(truth).has(Axis::token) &&
         at_most(overlap(positions_of(subject.encoding), positions_of(truth)), most_live);
}

// A live bias of a window, or a rotation on a grid, of so few places that none is left out. Whoever takes
// more time than a third of that of a search, for which a sample was asked, is left with that.
bool is_of_few_places(const Encoding& truth, const Subject& subject) {
  const Domain domain = overlap(positions_of(subject.encoding), positions_of(truth));
  if (!subject.live || domain.axes == 1 || domain.real || domain.last_on_axis.empty()) return false;
  const bool bias = std::holds_alternative<Bias>(truth);
  return (bias || signature(truth).role) &&
         places_of(domain).count() <= (bias ? most_of_a_window : most_rotated);
}

bool has_exact_entries(const Encoding& truth) {
  return std::visit(
      [](const auto& kind) {
        if constexpr (requires { kind.exact; }) return static_cast<bool>(kind.exact);
        return false;
      },
      truth);
}

}  // namespace

Exhaustive exhaustive(const Encoding& truth, const Subject& subject, const Budget& budget, bool exhaustive) {
  if (truth.index() != subject.encoding.index()) return {};
  const auto one = trial(agreement(truth), subject.encoding, subject.precision);
  const bool on_a_grid = positions_of(truth).axes > 1;
  const bool is_cache_of_a_grid = on_a_grid && !subject.live && signature(truth).role;
  // A file of biases has no rows that could be asked for case by case.
  const bool is_file_of_biases = !subject.live && std::holds_alternative<Bias>(truth);
  if (one && is_file_of_biases && is_modulo_rows(truth) && !on_a_grid)
    return {query_by_query(truth, subject, *one, budget), std::nullopt};
  const bool by_entry = exhaustive || is_cache_of_a_grid || is_file_of_biases;
  const bool few = one && !by_entry && is_of_few_places(truth, subject);
  if (one && on_a_grid && !by_entry && !few)
    return {case_by_case(
                every_case_of_a_grid(truth, subject.encoding, subject.live ? most_live : most_rows_of_a_file),
                *one, budget),
            std::nullopt};
  if (!one || !(few || asks_all(truth, subject, exhaustive))) return {};
  if (!has_exact_entries(truth) && !by_entry && !few)
    return {case_by_case(every_case(truth, subject.encoding), *one, budget), std::nullopt};
  AccuracyOptions options;
  options.everything = true;
  options.attribution = false;
  options.deadline = Clock::now() + (few ? budget.time / 3 : budget.time);
  Accuracy all = accuracy(truth, subject, options);
  auto verdict = verdict_of(all, *one, truth, overlap(positions_of(subject.encoding), positions_of(truth)),
                            budget, exhaustive);
  if (!few) return {std::move(verdict), std::move(all)};
  const bool refuted = verdict && std::holds_alternative<Refuted>(*verdict);
  return {refuted || all.stopped.empty() ? std::move(verdict) : std::nullopt, std::nullopt};
}

}  // namespace posproof
