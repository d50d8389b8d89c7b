#include "gate/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "attention/reference_attention.h"
#include "catalogue/properties/call/refuses_out_of_range.h"
#include "core/call.h"
#include "core/function.h"
#include "core/nearest.h"
#include "gate/backward.h"
#include "gate/checked.h"
#include "gate/declined.h"
#include "gate/explained.h"
#include "gate/history.h"
#include "gate/holds_iterated.h"
#include "gate/vacuous.h"
#include "gate/zeros_agree.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/claimed.h"
#include "run/exhaustive.h"
#include "run/narrowed.h"
#include "run/recorded.h"
#include "run/words_alike.h"
#include "search/budget_clock.h"
#include "search/case_result.h"
#include "search/trial.h"
#include "subject/interrupt.h"

namespace posproof {

bool GateResult::refuted() const {
  return std::any_of(results.begin(), results.end(),
                     [](const PropertyResult& a) { return std::holds_alternative<Refuted>(a.verdict); });
}

bool GateResult::undecided() const {
  return !not_checked.empty() || std::any_of(results.begin(), results.end(), [](const PropertyResult& a) {
    return !std::holds_alternative<Refuted>(a.verdict) && !std::holds_alternative<Holds>(a.verdict);
  });
}

namespace {

// Of what was asked when an interrupt came. A failure that was seen is one, though it could not be asked
// again.
Verdict cut_short(Verdict verdict) {
  if (std::holds_alternative<Holds>(verdict)) return verdict;
  auto* refuted = std::get_if<Refuted>(&verdict);
  if (refuted == nullptr) return Undecided{interruption() + " while it was asked"};
  refuted->repeats = true;
  return verdict;
}

// Not one of those that are made of the truth.
bool is_catalogued(std::string_view id) {
  return id != agreement_id && id != history_id && id != backward_id;
}

// One head cannot show that only the first is right.
Parameters with_two_heads(const EncodingSpec& spec, Parameters parameters) {
  if (signature(spec.make(parameters)).role) parameters.set("heads", 2.0);
  return parameters;
}

// What the search found and what all positions say.
Verdict sum(const Verdict& searched, Verdict exhaustive) {
  const auto* some = std::get_if<Holds>(&searched);
  auto* all = std::get_if<Holds>(&exhaustive);
  if (some == nullptr || all == nullptr) return exhaustive;
  all->add(*some);
  return exhaustive;
}

// A search that refutes soon has few answers, most of them to cases that it shrank: what explains these may
// be far from explaining others.
bool holds_as_it_seems(const Encoding& truth, const GateResult& gated, Plan plan) {
  if (gated.seeming.word.empty()) return true;
  plan.budget.cases = std::min<std::uint64_t>(plan.budget.cases, 100);
  plan.budget.shrink_time = {};
  plan.budget.time = std::min(plan.budget.time, std::chrono::milliseconds(5000));
  const Verdict found =
      agreement_searched(truth, gated.subject.encoding, Precision::parse(gated.seeming.word), plan);
  return !std::holds_alternative<Refuted>(found);
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
  const Answers answers;
  Verdict searched =
      agreement_searched(truth, answers.kept_of(gated.subject.encoding), gated.subject.precision, plan);
  gated.seeming = seeming_precision(truth, gated.subject.encoding, gated.subject.precision, answers);
  if (std::holds_alternative<Refuted>(searched) && !holds_as_it_seems(truth, gated, plan)) {
    gated.seeming.word.clear();
    gated.seeming.share = 0;
  }
  if (const auto* held = std::get_if<Holds>(&searched);
      held != nullptr && zeros_agree(truth, gated.subject.encoding, gated.subject.precision, plan))
    return Undecided{
        fmt::format(
            "says nothing: an answer of 0 everywhere is within rounding in {}, too, which may be as large as "
            "what is compared",
            gated.subject.precision.text()),
        *held};
  if (of_rows || std::holds_alternative<Errored>(searched) ||
      (std::holds_alternative<Refuted>(searched) && !every_position))
    return searched;
  auto all = ask_all();
  if (!all || std::holds_alternative<Refuted>(searched)) return searched;
  return sum(searched, std::move(*all));
}

// The same encoding, which tells of each call.
Encoding telling(Encoding encoding, const Function<void()>& called) {
  if (!called) return encoding;
  return answered_by(encoding, [encoding, called](const Call& call) {
    called();
    return answer(encoding, call);
  });
}

constexpr std::chrono::milliseconds most_observing{2000}, most_in_doubt{10000};

// What a run has in hand: the subject, what is asked of it, and what was found so far.
class Run {
 public:
  Run(std::string_view encoding_id, const EncodingSpec& spec, const Parameters& parameters,
      const Opening& opening, const GateOptions& options)
      : spec_(spec),
        options_(options),
        truth_(spec.oracle(parameters)),
        expected_{.encoding = std::string(encoding_id),
                  .parameters = parameters,
                  .declared = attention::in_every_kind(truth_),
                  .call_time = options.call_time,
                  .sandbox = options.sandbox},
        deadline_(Clock::now() + options.total),
        gated_{.encoding = std::string(encoding_id),
               .parameters = parameters,
               .subject = opening(expected_),
               .positions = options.positions,
               .results = {},
               .skipped = {},
               .explanations = {},
               .made = {}} {
    meet(options.positions, truth_, gated_.subject);
    if (options.positions)
      gated_.subject.encoding =
          narrowed(std::move(gated_.subject.encoding), options.positions->first, options.positions->second);
    keep_within_format(truth_, gated_.subject.precision, gated_.subject.encoding);
    if (options.positions)
      say_unchecked(not_covered(*options.positions, positions_of(gated_.subject.encoding)));
    gated_.skipped = gated_.subject.not_asked;
    if (options_.two_heads && is_of_live_rotation() && !gated_.subject.own_heads)
      gated_.skipped.emplace_back("heads from 2 on: heads 0 and 1 are asked for; `--heads` says how many");
    if (!options_.positions) say_other_end();
    if (hides_later_keys())
      gated_.skipped.emplace_back("keys after the query: they are not compared, as a causal mask hides them");
    if (gated_.subject.live)
      gated_.subject.encoding =
          telling(counting_declined(std::move(gated_.subject.encoding), declined_), options.called);
  }

  // Where the encoding has an end of its own, as a table of so many rows, and the subject ends before.
  void say_other_end() {
    const Domain &own = positions_of(truth_), &given = positions_of(gated_.subject.encoding);
    if (own.ends && own.axes == 1 && !own.real && given.axes == 1 && given.hi < own.hi)
      gated_.skipped.push_back(fmt::format(
          "positions {} to {}: the encoding has them, and the subject ends before", given.hi + 1, own.hi));
  }

  bool hides_later_keys() const {
    return signature(truth_).has(Axis::key) && signature(truth_).positions && is_causal(truth_);
  }

  bool is_of_live_rotation() const { return gated_.subject.live && signature(gated_.subject.encoding).role; }

  // The most that its queries or its keys have, where it says that; else 0, and where the longest call would
  // have more than 2^24 channels of so many: 134 MB.
  std::size_t own_heads() const {
    if (!gated_.subject.own_heads) return 0;
    const std::size_t heads = std::ranges::max(*gated_.subject.own_heads);
    return heads * width_of_content(gated_.subject.encoding, 0) > (std::size_t{1} << 12) ? 0 : heads;
  }

  GateResult all() {
    select_all();
    for (std::size_t n = 0; n < selected_.size(); ++n) {
      goes_on_with(selected_[n].id, n + 1);
      const std::size_t before = gated_.results.size();
      ask(selected_[n]);
      if (options_.ended && gated_.results.size() > before) options_.ended(gated_.results.back());
    }
    if (options_.filter.empty() && interrupted() == 0) {
      goes_on_with("the same bits in every call", selected_.size());
      observe_bits();
      gated_.alike = words_alike(spec_, gated_.parameters);
    }
    if (interrupted() == 0) say_unchecked(in_words(gated_.subject.encoding, *declined_));
    if (gated_.refuted() && interrupted() == 0) {
      goes_on_with("what explains it", selected_.size());
      gated_.holds_as = holds_iterated(gated_, truth_, options_.seed, std::min(time_left(), most_in_doubt));
      explain({.spec = spec_,
               .truth = truth_,
               .expected = expected_,
               .seed = options_.seed,
               .deadline = deadline_,
               .trial = [this](std::string_view id) -> const Trial& { return trial_of(id); }},
              gated_);
    }
    if (interrupted() != 0) stop();
    return std::move(gated_);
  }

 private:
  using Clock = BudgetClock;

  struct Selected {
    std::string id;
    const Property* property;
    Trial trial;
  };

  void goes_on_with(std::string_view what, std::size_t number) const {
    if (options_.progress) options_.progress(what, number, selected_.size());
  }

  // What an interrupt left unfinished is no explanation.
  void stop() {
    gated_.interrupted = interruption();
    gated_.explanations.clear();
  }

  std::chrono::milliseconds time_left() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now());
  }

  // Where there is time left, and answers.
  void observe_bits() {
    const auto left = time_left();
    if (left.count() > 0)
      gated_.observed = observe(gated_.subject, truth_, options_.seed, std::min(left, most_observing));
  }

  void say_unchecked(std::string why) {
    if (!why.empty()) gated_.not_checked.push_back(std::move(why));
  }

  const Property& made(Property property) {
    gated_.made.push_back(std::make_shared<const Property>(std::move(property)));
    return *gated_.made.back();
  }

  void select_all() {
    select(std::string(agreement_id), made(agreement(truth_)));
    if (gated_.subject.renew) select(std::string(history_id), made(history(truth_, gated_.subject)));
    if (gated_.subject.backward) select(std::string(backward_id), made(backward_agreement(truth_)));
    // A subject that says where it ends has claimed this itself.
    if (positions_of(gated_.subject.encoding).ends)
      select(std::string(id_of(properties::call::refuses_out_of_range)),
             properties::call::refuses_out_of_range);
    for (const Claim& claim : claims_of(spec_))
      if (claim.holds && claim.when.met(gated_.parameters))
        select(std::string(id_of(*claim.property)), *claim.property);
    if (std::ranges::none_of(ids_,
                             [&](const std::string& id) { return id.find(options_.filter) != id.npos; }))
      say_unchecked(fmt::format("no property that is asked of `{}` here contains `{}`{}", gated_.encoding,
                                options_.filter, near_it(options_.filter, ids_)));
  }

  // Once, whoever claims it.
  void select(std::string id, const Property& property) {
    if (std::ranges::find(ids_, id) != ids_.end()) return;
    ids_.push_back(id);
    if (id.find(options_.filter) == std::string::npos) return;
    if (property.needs == Needs::live_subject && !gated_.subject.live)
      return skip(id, "a file answers no calls");
    auto one =
        trial(property, checked(id, property, truth_, gated_.subject).encoding, gated_.subject.precision);
    if (!one)
      return skip(id,
                  fmt::format("cannot be asked of a subject that gives {}", kind(gated_.subject.encoding)));
    selected_.push_back({std::move(id), &property, std::move(*one)});
  }

  void skip(std::string_view id, std::string_view why) {
    gated_.skipped.push_back(fmt::format("{}: {}", id, why));
  }

  // Where recorded, in long calls and in a sample, as forwards.
  Verdict backward_searched(const Plan& plan) const {
    return agreement_searched(transposed(as<Rotary>(truth_)),
                              with_positions(*gated_.subject.backward, positions_of(gated_.subject.encoding)),
                              gated_.subject.precision, plan);
  }

  // With as much time as the whole run has left.
  Plan plan_for(const Selected& one) const {
    Plan plan{.seed = options_.seed, .id = one.id, .budget = options_.budget, .known = known_};
    const auto left = std::max(Clock::duration(0), deadline_ - Clock::now());
    if (left < plan.budget.time) {
      plan.budget.time = std::chrono::duration_cast<std::chrono::milliseconds>(left);
      plan.budget.limit = "--budget";
    }
    plan.budget.shrink_time =
        std::min(plan.budget.shrink_time, std::chrono::ceil<std::chrono::milliseconds>(left));
    return plan;
  }

  void ask(const Selected& one) {
    if (interrupted() != 0) return add(one, Undecided{interruption() + " before it was asked"});
    const Plan plan = plan_for(one);
    if (plan.budget.time.count() == 0)
      return add(
          one, Undecided{fmt::format("not asked: the time for the whole run was used up (`--budget`, {:g} s)",
                                     std::chrono::duration<double>(options_.total).count())});
    Verdict verdict = one.id == agreement_id ? agrees(truth_, plan, options_.exhaustive, gated_)
                      : one.id == history_id
                          ? history_searched(truth_, gated_.subject, plan,
                                             agreement_is<Holds>() ? Agrees::yes : Agrees::unknown)
                      : one.id == backward_id ? backward_searched(plan)
                                              : search(trial_in_doubt(one, plan), plan);
    if (interrupted() != 0) return add(one, cut_short(std::move(verdict)));
    if (const auto* none = std::get_if<NotApplicable>(&verdict)) return skip(one.id, none->why);
    if (!is_catalogued(one.id)) return add(one, std::move(verdict));
    if (const auto why = nothing_to_ask(asked_of_the_subject(one), plan, verdict)) return skip(one.id, *why);
    // That it ends is the subject's own claim, whatever the truth does there.
    const bool own = one.property == &properties::call::refuses_out_of_range;
    if (const auto at = own ? std::nullopt : counterexample_of_the_truth(asked_of_the_subject(one), verdict))
      return skip(
          one.id,
          fmt::format(
              "with these parameters, at the positions and in the format that this subject has, it is not true of the "
              "exact encoding either: {}",
              *at));
    add(one, std::move(verdict));
  }

  AskedOf asked_of_the_subject(const Selected& one) const {
    return {*one.property, one.trial, truth_, gated_.subject};
  }

  Trial trial_in_doubt(const Selected& one, const Plan& plan) const {
    return is_catalogued(one.id) ? with_doubts(asked_of_the_subject(one), plan) : one.trial;
  }

  // A failure that another property showed already is a finding only once.
  void add(const Selected& one, Verdict verdict) {
    PropertyResult result{one.id, one.property, std::move(verdict)};
    if (const auto* refuted = std::get_if<Refuted>(&result.verdict); refuted && !refuted->failure.empty()) {
      for (const PropertyResult& before : gated_.results)
        if (const auto* first = std::get_if<Refuted>(&before.verdict);
            first && first->failure == refuted->failure && before.same_as.empty())
          result.same_as = before.id;
      known_.insert(refuted->failure);
    }
    if (result.same_as.empty() && interrupted() == 0) look_at(one, result);
    gated_.results.push_back(std::move(result));
  }

  // Where an answer to the counterexample is wrong, and whether that is all that is wrong with it.
  void look_at(const Selected& one, PropertyResult& result) const {
    auto* refuted = std::get_if<Refuted>(&result.verdict);
    if (refuted == nullptr) return;
    const Shown found = look_at_answers(checked(one.id, *one.property, truth_, gated_.subject),
                                        gated_.subject.precision, *refuted);
    result.wrong = found.wrong;
    if (found.by_answers_alone && is_catalogued(one.id) && agreement_is<Refuted>())
      result.follows_from = agreement_id;
  }

  template <class Is>
  bool agreement_is() const {
    return std::ranges::any_of(gated_.results, [](const PropertyResult& before) {
      return before.id == agreement_id && std::holds_alternative<Is>(before.verdict);
    });
  }

  const Trial& trial_of(std::string_view id) const {
    return std::ranges::find(selected_, id, &Selected::id)->trial;
  }

  const EncodingSpec& spec_;
  const GateOptions& options_;
  Encoding truth_;
  Expected expected_;
  Clock::time_point deadline_;
  std::shared_ptr<Declined> declined_ = std::make_shared<Declined>();
  GateResult gated_;
  std::vector<std::string> ids_ = {};  // of all properties, whatever the filter
  std::vector<Selected> selected_ = {};
  std::set<std::string, std::less<>> known_ = {};  // failures that were shown
};

}  // namespace

GateResult gate(std::string_view encoding_id, const EncodingSpec& spec, const Parameters& given,
                const Opening& opening, const GateOptions& options) {
  const Parameters parameters = options.two_heads ? with_two_heads(spec, given) : given;
  Run run(encoding_id, spec, parameters, opening, options);
  if (parameters != given && !run.is_of_live_rotation())
    return Run(encoding_id, spec, given, opening, options).all();
  if (options.two_heads && run.own_heads() > 2) {  // each has one of the call to itself, which is named
    Parameters every = parameters;
    every.set("heads", static_cast<double>(run.own_heads()));
    return Run(encoding_id, spec, every, opening, options).all();
  }
  return run.all();
}

GateResult gate(std::string_view encoding_id, const EncodingSpec& spec, const Parameters& given,
                std::string_view subject, const GateOptions& options) {
  return gate(
      encoding_id, spec, given, [&](const Expected& expected) { return open(subject, expected); }, options);
}

}  // namespace posproof
