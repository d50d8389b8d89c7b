#include "run/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "attention/reference_attention.h"
#include "catalogue/properties/call/refuses_out_of_range.h"
#include "core/call.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/claimed.h"
#include "run/exhaustive.h"
#include "run/narrowed.h"
#include "run/recorded.h"
#include "search/trial.h"

namespace posproof {

bool GateResult::refuted() const {
  return std::any_of(results.begin(), results.end(),
                     [](const PropertyResult& a) { return std::holds_alternative<Refuted>(a.verdict); });
}

bool GateResult::undecided() const {
  return !not_covered.empty() || std::any_of(results.begin(), results.end(), [](const PropertyResult& a) {
    return !std::holds_alternative<Refuted>(a.verdict) && !std::holds_alternative<Holds>(a.verdict);
  });
}

namespace {

// The truth, asked where the subject is defined: what a property can learn there at all.
Encoding truth_within(const Encoding& truth, const Encoding& subject) {
  for (const Encoding& kind : attention::in_every_kind(truth))
    if (kind.index() == subject.index()) return with_positions(kind, positions_of(subject));
  return truth;
}

// What the search found and what all positions say.
Verdict sum(const Verdict& searched, Verdict exhaustive) {
  const auto* some = std::get_if<Holds>(&searched);
  auto* all = std::get_if<Holds>(&exhaustive);
  if (some == nullptr || all == nullptr) return exhaustive;
  all->add(*some);
  return exhaustive;
}

// Why nothing was learned, where even the truth could not have shown anything: one head cannot differ from
// another, and no channel stands past the rotary width. None where the subject is to blame (it declines, it
// is slow).
std::optional<std::string> nothing_to_learn(const Property& property, const Encoding& truth,
                                            const Subject& subject, const Plan& plan) {
  const auto one = trial(property, truth_within(truth, subject.encoding), subject.precision);
  if (!one) return std::nullopt;
  const Verdict verdict = search(*one, plan);
  const auto* undecided = std::get_if<Undecided>(&verdict);
  return undecided == nullptr ? std::nullopt : std::optional(undecided->why);
}

// Where recorded, a sample, and every position where that can be had. A file of rows or of rotations that
// was compared as a whole needs no sample: its rows are all that there is.
Verdict agrees(const Encoding& truth, const Plan& plan, bool every_position, GateResult& gated) {
  const auto ask_all = [&] {
    Exhaustive all = exhaustive(truth, gated.subject, plan.budget, every_position);
    gated.accuracy = std::move(all.accuracy);
    return std::move(all.verdict);
  };
  const bool of_rows = !gated.subject.live && signature(gated.subject.encoding).has(Axis::token);
  if (of_rows)
    if (auto all = ask_all()) return std::move(*all);
  Verdict searched = agreement_searched(truth, gated.subject.encoding, gated.subject.precision, plan);
  if (of_rows || std::holds_alternative<Errored>(searched) ||
      (std::holds_alternative<Refuted>(searched) && !every_position))
    return searched;
  auto all = ask_all();
  if (!all || std::holds_alternative<Refuted>(searched)) return searched;
  return sum(searched, std::move(*all));
}

}  // namespace

GateResult gate(std::string_view encoding_id, const EncodingSpec& spec, const Parameters& parameters,
                std::string_view subject, const GateOptions& options) {
  const Encoding truth = spec.oracle(parameters);
  const Expected expected{.encoding = std::string(encoding_id),
                          .parameters = parameters,
                          .declared = attention::in_every_kind(truth),
                          .call_time = options.call_time};
  GateResult gated{.encoding = std::string(encoding_id),
                   .parameters = parameters,
                   .subject = open(subject, expected),
                   .results = {},
                   .skipped = {},
                   .explanations = {},
                   .agreement = std::make_shared<const Property>(agreement(truth))};

  if (options.positions)
    gated.subject.encoding =
        narrowed(std::move(gated.subject.encoding), options.positions->first, options.positions->second);
  keep_within_f16(truth, gated.subject.precision, gated.subject.encoding);
  if (options.positions)
    gated.not_covered = not_covered(*options.positions, positions_of(gated.subject.encoding));

  struct Selected {
    std::string id;
    const Property* property;
    Trial trial;
  };
  std::vector<Selected> selected;
  const auto select = [&](std::string id, const Property& property) {
    if (id.find(options.filter) == std::string::npos) return;
    if (property.needs == Needs::live_subject && !gated.subject.live) {
      gated.skipped.push_back(fmt::format("{}: a file answers no calls", id));
      return;
    }
    auto one = trial(property, gated.subject.encoding, gated.subject.precision);
    if (!one) {
      gated.skipped.push_back(
          fmt::format("{}: cannot be asked of a subject that gives {}", id, kind(gated.subject.encoding)));
      return;
    }
    const bool twice =
        std::any_of(selected.begin(), selected.end(), [&](const Selected& s) { return s.id == id; });
    if (!twice) selected.push_back({std::move(id), &property, std::move(*one)});
  };
  select(std::string(agreement_id), *gated.agreement);
  // A subject that says where it ends has claimed this itself.
  if (positions_of(gated.subject.encoding).ends)
    select(std::string(id_of(properties::call::refuses_out_of_range)),
           properties::call::refuses_out_of_range);
  for (const Claim& claim : claims_of(spec))
    if (claim.holds && claim.when.met(parameters))
      select(std::string(id_of(*claim.property)), *claim.property);

  for (std::size_t n = 0; n < selected.size(); ++n) {
    const Selected& one = selected[n];
    if (options.progress) options.progress(one.id, n + 1, selected.size());
    Plan plan{.seed = options.seed, .id = one.id, .budget = options.budget};
    // A subject that dies or hangs costs a start, or its time, for each try: one smallest case is enough.
    if (std::any_of(gated.results.begin(), gated.results.end(),
                    [](const PropertyResult& a) { return std::holds_alternative<Errored>(a.verdict); }))
      plan.budget.shrinks = 0;
    Verdict verdict =
        one.id == agreement_id ? agrees(truth, plan, options.exhaustive, gated) : search(one.trial, plan);
    const auto* undecided = std::get_if<Undecided>(&verdict);
    if (undecided != nullptr && one.id != agreement_id &&
        !gated.subject.live) {  // a file refuses only past its end
      gated.skipped.push_back(
          fmt::format("{}: the file has nothing to show here: {}", one.id, undecided->why));
      continue;
    }
    if (undecided != nullptr && one.id != agreement_id)
      if (const auto why = nothing_to_learn(*one.property, truth, gated.subject, plan)) {
        gated.skipped.push_back(
            fmt::format("{}: even the exact encoding has nothing to show here: {}", one.id, *why));
        continue;
      }
    if (const auto* none = std::get_if<NotApplicable>(&verdict)) {
      gated.skipped.push_back(fmt::format("{}: {}", one.id, none->why));
      continue;
    }
    gated.results.push_back({one.id, one.property, std::move(verdict)});
  }
  if (gated.refuted()) {
    Case counterexample;
    for (const PropertyResult& result : gated.results)
      if (const auto* refuted = std::get_if<Refuted>(&result.verdict); refuted && result.id == agreement_id)
        counterexample = refuted->counterexample;
    // One that has not been asked anything yet: its history is that of the calls that a defect is compared
    // on.
    try {
      Subject fresh = open(subject, expected);
      if (options.positions)
        fresh.encoding =
            narrowed(std::move(fresh.encoding), options.positions->first, options.positions->second);
      gated.explanations = diagnose(spec, encoding_id, parameters, fresh, counterexample, options.seed);
    } catch (const SubjectError&) {  // it did not start again: nothing explains it
    }
  }
  return gated;
}

}  // namespace posproof
