#include "run/every_distance.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/call.h"
#include "run/agreement.h"
#include "run/narrowed.h"
#include "search/budget_clock.h"
#include "search/case_result.h"
#include "search/trial.h"

namespace posproof {
namespace {

using Clock = BudgetClock;
constexpr Position most_offsets = Position{1} << 14, abreast = 4;

// Offsets key - query from `first` on, sixteen of them: four queries one position apart, four keys four
// apart.
Case case_from(const Domain& domain, Position first) {
  const Position apart = first + (abreast - 1);  // of the first key from the first query
  const Position query = domain.lo + std::max<Position>(-apart, 0),
                 key = domain.lo + std::max<Position>(apart, 0);
  Case one;
  one.set("nq", static_cast<double>(abreast));
  one.set("nk", static_cast<double>(abreast));
  constexpr const char* queries[] = {"i", "i1", "i2", "i3"};
  constexpr const char* keys[] = {"j", "j1", "j2", "j3"};
  for (Position n = 0; n < abreast; ++n) one.set(queries[n], static_cast<double>(query + n));
  for (Position n = 0; n < abreast; ++n) one.set(keys[n], static_cast<double>(key + abreast * n));
  return one;
}

// One of those: the first of them that is refuted when it is asked alone, else all of them.
CaseResult smallest(const Trial& trial, const Domain& domain, Position first, const CaseResult& found) {
  for (Position offset = first; offset < first + abreast * abreast; ++offset) {
    Case one;
    one.set("nq", 1.0), one.set("nk", 1.0);
    one.set("i", static_cast<double>(domain.lo + std::max<Position>(-offset, 0)));
    one.set("j", static_cast<double>(domain.lo + std::max<Position>(offset, 0)));
    CaseResult alone = run_repaired(trial, one);
    if (alone.fails_like(found)) return alone;
  }
  return found;
}

// The first of each sixteen offsets, and the last position that asking for them takes is in the domain.
// Without buckets those around where the blocks of kernels and of caches end: each multiple of 1,024 up to
// 2^13, then each power of two.
std::vector<Position> blocks(const Bias& truth, const Domain& domain) {
  constexpr Position each = abreast * abreast, last_multiple = Position{1} << 13;
  const Position most = domain.hi - domain.lo - each;
  std::vector<Position> firsts;
  const auto both_sides = [&](Position first) {
    firsts.push_back(-first - (each - 1));
    if (!truth.causal) firsts.push_back(first + 1);
  };
  if (!truth.buckets) {
    for (Position edge = 1024; edge - each / 2 <= most; edge += edge < last_multiple ? Position{1024} : edge)
      both_sides(edge - each / 2);
    return firsts;
  }
  const Position reach =
      std::min({2 * static_cast<Position>(truth.buckets->max_distance), most_offsets / 2, most});
  for (Position first = 0; first <= reach; first += each) both_sides(first);
  return firsts;
}

}  // namespace

std::optional<Verdict> agreement_at_every_distance(const Encoding& truth, const Encoding& subject,
                                                   const Precision& precision, const Budget& budget) {
  const auto* bias = std::get_if<Bias>(&truth);
  if (bias == nullptr || truth.index() != subject.index()) return std::nullopt;
  const Domain domain = overlap(positions_of(subject), positions_of(truth));
  if (domain.axes != 1 || domain.real) return std::nullopt;
  const Trial one = *trial(agreement(truth), subject, precision);
  const auto deadline = Clock::now() + budget.time;
  Holds holds;
  for (const Position first : blocks(*bias, domain)) {
    if (Clock::now() >= deadline)
      return Undecided{
          fmt::format("stopped by {} after {} of the distances", budget.limit_text(), holds.cases), holds};
    const CaseResult found = run_repaired(one, case_from(domain, first));
    if (found.fails()) return shrunk(one, smallest(one, domain, first, found), holds.cases + 1, budget);
    if (found.end == CaseResult::End::held) holds.add(found.residual, found.drawn.values);
  }
  if (!holds.learned()) return std::nullopt;
  return holds;
}

}  // namespace posproof
