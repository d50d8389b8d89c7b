#include "run/long_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "attention/reference_attention.h"
#include "core/call.h"
#include "core/draw.h"
#include "run/agreement.h"
#include "run/narrowed.h"
#include "search/budget_clock.h"
#include "search/case_result.h"
#include "search/trial.h"

namespace posproof {
namespace {

using Clock = BudgetClock;

// Of so many tokens one after the other; 0 where none are.
std::int64_t longest_in(const Domain& domain) {
  std::int64_t longest = 0;
  for (const std::int64_t tokens : long_sizes)
    if (domain.axes == 1 && tokens <= domain.hi - domain.lo + 1) longest = tokens;
  return longest;
}

// A case of agreement: contents are ones, so that every channel shows. Where the call has no room for so many
// tokens, the repaired case has as many as it has.
Case case_of_length(const Encoding& truth, const Domain& domain, std::int64_t tokens,
                    std::string_view arranged) {
  const Signature& known = signature(truth);
  const bool pairs = !known.role && !known.has(Axis::token);
  // Of consecutive keys the last is the query's own: no key is behind it, whom a causal bias would not show.
  const Position last = arranged == "spread" ? domain.hi : std::min(domain.hi, domain.lo + tokens - 1);
  const std::vector<double> ones(known.takes.empty() ? 0 : width_of_content(truth, 0), 1.0);
  Case one = case_of(truth, domain, pairs ? last : domain.lo, ones);
  one.set(known.role ? "tokens" : pairs ? "nk" : "rows", static_cast<double>(tokens));
  if (known.role) one.set("batch", 2.0);
  one.set(pairs ? "arranged_j" : "arranged", std::string(arranged));
  return one;
}

}  // namespace

std::optional<Verdict> agreement_in_long_calls(const Encoding& truth, const Encoding& subject,
                                               const Precision& precision, const Budget& budget) {
  if (!signature(subject).positions || depends_on_the_call(truth)) return std::nullopt;
  const std::vector<Encoding> kinds = attention::in_every_kind(truth);
  const Encoding* same = attention::same_kind(kinds, subject);
  if (same == nullptr) return std::nullopt;
  const Domain domain = overlap(positions_of(subject), positions_of(*same));
  const std::int64_t tokens = longest_in(domain);
  if (tokens == 0) return std::nullopt;
  const Trial one = *trial(agreement(truth), subject, precision);
  const auto deadline = Clock::now() + budget.time;
  Holds holds;
  for (const std::string_view arranged : {"consecutive", "spread"}) {
    if (Clock::now() >= deadline)
      return Undecided{
          fmt::format("stopped by {} after {} of the long calls", budget.limit_text(), holds.cases), holds};
    const CaseResult found = run_repaired(one, case_of_length(*same, domain, tokens, arranged));
    if (found.fails()) return shrunk(one, found, holds.cases + 1, budget);
    if (found.end == CaseResult::End::held) holds.add(found.residual, found.drawn.values);
  }
  if (!holds.learned()) return std::nullopt;
  return holds;
}

}  // namespace posproof
