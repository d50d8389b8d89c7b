#include "gate/explained.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>
#include <vector>

#include "attention/reference_attention.h"
#include "core/call.h"
#include "core/draw.h"
#include "core/encoding.h"
#include "diagnosis/diagnosis.h"
#include "diagnosis/property_calls.h"
#include "diagnosis/time_limit.h"
#include "gate/backward.h"
#include "gate/backward_cause.h"
#include "gate/behaviours.h"
#include "gate/history.h"
#include "gate/other_columns.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "search/case_result.h"
#include "subject/subject.h"

namespace posproof {
namespace {

using Clock = BudgetClock;

constexpr std::string_view refuses_id = "call/refuses_out_of_range";

// Null where that property was not asked, or is not refuted.
const Refuted* refuted(const GateResult& gated, std::string_view id) {
  const auto found = std::ranges::find(gated.results, id, &PropertyResult::id);
  return found == gated.results.end() ? nullptr : std::get_if<Refuted>(&found->verdict);
}

bool history_is_refuted(const GateResult& gated) {
  const Refuted* found = refuted(gated, history_id);
  return found != nullptr && needs_calls_before(*found);
}

bool shows_on_a_new_object(const Trial& trial, const Subject& subject, const Refuted& refuted) {
  try {
    subject.renew();
    return run_repaired(trial, refuted.counterexample).fails();
  } catch (const SubjectError&) {  // it does not start again: the counterexample stands as it is
    return true;
  }
}

// Whether a counterexample of a process that was asked much else shows on a new object, too. Where the
// first does and no history was seen to matter, so do the others. One that did not fail again on the same
// object may be of a call that it is but a part of, or of chance: that needs history where some was seen to
// matter.
void find_what_needs_history(const Refutations& refutations, GateResult& gated) {
  if (!gated.subject.renew) return;
  bool matters = history_is_refuted(gated);
  for (PropertyResult& result : gated.results) {
    const auto* refuted = std::get_if<Refuted>(&result.verdict);
    if (refuted == nullptr || result.id == history_id || !result.same_as.empty()) continue;
    if (Clock::now() >= refutations.deadline) return;
    if (!refuted->repeats && !history_is_refuted(gated)) continue;
    result.needs_history = !shows_on_a_new_object(refutations.trial(result.id), gated.subject, *refuted);
    if (!matters && !result.needs_history) return;
    matters = true;
  }
}

// Where that the answers depend on the calls before is a finding of its own.
void follow_from_history(GateResult& gated) {
  if (!history_is_refuted(gated)) return;
  for (PropertyResult& result : gated.results)
    if (result.needs_history) result.follows_from = history_id;
}

// What explains a refutation has as much time as is left, and this much where the search took it all: what
// was not explained in the longest of these is not found later, either.
constexpr std::chrono::seconds least_explaining{30}, most_explaining{60};

Clock::time_point explained_until(const Refutations& refutations) {
  const auto now = Clock::now();
  return std::clamp(refutations.deadline, now + least_explaining, now + most_explaining);
}

std::vector<Explanation> diagnosed(const Refutations& refutations, const GateResult& gated,
                                   const Case& counterexample) {
  const auto deadline = explained_until(refutations);
  return diagnose(refutations.spec, gated.encoding, gated.parameters, gated.subject, counterexample,
                  refutations.seed, deadline);
}

// What is kept of the first call makes other deviations after another one: a table with as many rows as
// that needed.
void measure_after_another_call(const Refutations& refutations, GateResult& gated,
                                const Case& counterexample) {
  const auto is_measured = [](const Explanation& one) { return one.kind == Explanation::Kind::measured; };
  if (std::ranges::none_of(gated.explanations, is_measured)) return;
  gated.subject.renew();
  const Position first = positions_of(gated.subject.encoding).lo;
  answer(gated.subject.encoding, sequence(refutations.truth, {first}));
  for (Explanation& again : diagnosed(refutations, gated, counterexample))
    if (is_measured(again) &&
        std::ranges::find(gated.explanations, again.what, &Explanation::what) == gated.explanations.end()) {
      again.what = fmt::format("after a first call at position {}: {}", first, again.what);
      gated.explanations.push_back(std::move(again));
    }
}

bool has_a_cause(const GateResult& gated) {
  return std::ranges::any_of(gated.explanations, [](const Explanation& one) {
    return one.kind != Explanation::Kind::place && one.kind != Explanation::Kind::unfinished;
  });
}

// Agreement may hold where another property is refuted, which asks for other calls: the first of them says
// what is answered there.
void explain_by_calls_of_another(const Refutations& refutations, GateResult& gated) {
  if (has_a_cause(gated) || refuted(gated, agreement_id) != nullptr || history_is_refuted(gated)) return;
  const std::vector<Encoding> kinds = attention::in_every_kind(refutations.truth);
  const Encoding* same = attention::same_kind(kinds, gated.subject.encoding);
  const auto first = std::ranges::find_if(gated.results, [](const PropertyResult& one) {
    // What is answered past the end has words of its own.
    return std::holds_alternative<Refuted>(one.verdict) && one.id != backward_id && one.id != refuses_id &&
           one.same_as.empty();
  });
  if (same == nullptr || first == gated.results.end()) return;
  if (gated.subject.renew) gated.subject.renew();
  try {
    const TimeLimit limit(explained_until(refutations));
    const Refuted& found = std::get<Refuted>(first->verdict);
    if (auto words = deviation_in_calls_of(property_named(first->id), gated.subject, *same,
                                           found.counterexample, refutations.seed))
      gated.explanations = {{Explanation::Kind::measured, std::move(*words), "", ""}};
  } catch (const TimeIsOver&) {
  }
}

// Where no answer that was compared says the cause.
void explain_by_behaviour(const Refutations& refutations, GateResult& gated) {
  if (has_a_cause(gated)) return;
  std::optional<std::string> what;
  if (refuted(gated, refuses_id) != nullptr) what = answered_past_the_end(refutations.truth, gated.subject);
  if (!what && history_is_refuted(gated)) what = multiplied_by_calls(refutations.truth, gated.subject);
  if (what) gated.explanations = {{Explanation::Kind::measured, std::move(*what), "", ""}};
}

// Words of what is rounded or kept in few digits.
bool is_of_rounding(const Explanation& one) {
  constexpr std::string_view words[] = {"round", "f16", "f32", "cut to", "bits"};
  return std::ranges::any_of(words, [&](std::string_view word) {
    return one.what.find(word) != one.what.npos || one.meaning.find(word) != one.meaning.npos;
  });
}

// A looser precision that would allow every answer says nothing where another cause explains them as well.
void forget_looser_precision(GateResult& gated) {
  if (!has_a_cause(gated) || std::ranges::any_of(gated.explanations, &is_of_rounding)) return;
  gated.holds_as.clear();
  if (gated.seeming.word.empty() || gated.seeming.declared_share <= 1) return;
  gated.seeming.word.clear();
  gated.seeming.share = 0;
  gated.seeming.allowed_alone = true;
}

void find_causes(const Refutations& refutations, GateResult& gated) {
  find_what_needs_history(refutations, gated);
  follow_from_history(gated);
  try {
    const Refuted* disagrees = refuted(gated, agreement_id);
    if (disagrees != nullptr && Clock::now() < refutations.deadline)
      if (auto columns = other_columns(refutations.truth, gated.subject, refutations.expected, {})) {
        gated.explanations = {{Explanation::Kind::measured, std::move(*columns), "", ""}};
        return;
      }
    if (const Refuted* backward = refuted(gated, backward_id); backward != nullptr && disagrees == nullptr) {
      if (gated.subject.renew) gated.subject.renew();
      gated.explanations =
          backward_causes(refutations.spec, gated.encoding, gated.parameters, gated.subject,
                          backward->counterexample, refutations.seed, explained_until(refutations));
      if (!gated.explanations.empty()) return;
    }
    const Case counterexample = disagrees == nullptr ? Case() : disagrees->counterexample;
    if (gated.subject.renew) gated.subject.renew();
    gated.explanations = diagnosed(refutations, gated, counterexample);
    if (history_is_refuted(gated) && positions_of(refutations.truth).axes == 1 &&
        Clock::now() < refutations.deadline)
      measure_after_another_call(refutations, gated, counterexample);
    if (Clock::now() < refutations.deadline) explain_by_calls_of_another(refutations, gated);
    if (Clock::now() < refutations.deadline) explain_by_behaviour(refutations, gated);
    // Where in an answer it is wrong depends on what was asked before.
    if (history_is_refuted(gated) && gated.subject.takes_positions != "each")
      std::erase_if(gated.explanations,
                    [](const Explanation& one) { return one.kind == Explanation::Kind::place; });
  } catch (const std::exception&) {
    // The subject declined, failed or did not start again, memory ran out, or what explains it is wrong
    // itself: what is explained no further is refuted all the same.
  }
}

// Code of self-attention alone declines calls from one sequence to another here: that there is nothing to say
// of them is a word between a property and its search.
Encoding declining_where_inapplicable(Encoding subject) {
  if (!signature(subject).mask) return subject;
  return answered_by(subject, [own = subject](const Call& call) {
    try {
      return answer(own, call);
    } catch (const Inapplicable& none) {
      throw Refusal(none.why);
    }
  });
}

}  // namespace

void explain(const Refutations& refutations, GateResult& gated) {
  gated.subject.encoding = declining_where_inapplicable(std::move(gated.subject.encoding));
  find_causes(refutations, gated);
  forget_looser_precision(gated);
}

}  // namespace posproof
