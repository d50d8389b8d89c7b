#include "run/recorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "attention/reference_attention.h"
#include "catalogue/hard_cases.h"
#include "core/call.h"
#include "run/agreement.h"
#include "run/every_distance.h"
#include "run/long_calls.h"
#include "run/narrowed.h"
#include "search/budget_clock.h"
#include "search/case_result.h"
#include "search/trial.h"

namespace posproof {
namespace {

constexpr std::size_t values_at_once = std::size_t{1} << 20;

// The positions are those of tokens, or of queries against the first key. Contents are ones: both channels of
// a rotated pair are 1, so that both the sine and the cosine show, and the roles alternate.
class Questions {
 public:
  Questions(Encoding truth, Encoding subject)
      : truth_(std::move(truth)),
        subject_(std::move(subject)),
        domain_(overlap(positions_of(subject_), positions_of(truth_))),
        ones_(width(), 1.0) {}

  // Values of an answer to one position, and of the contents.
  std::size_t values() const {
    const Call one = call(domain_.lo);
    std::size_t all = count(shape_of_answer(truth_, one));
    for (const Tensor& content : one.contents) all += content.data.size();
    return all;
  }

  // Asks for all of them at once, a rotary for those of each role, and remembers the answers.
  void ask(std::span<const Position> at) {
    for (const Role role : {Role::query, Role::key}) {
      std::vector<Position> own;
      std::ranges::copy_if(at, std::back_inserter(own), [&](Position t) { return role_of(t) == role; });
      if (own.empty()) continue;
      const Axis along = signature(truth_).along();
      Call many = take(truth_, call(own.front()), along, std::vector<std::size_t>(own.size(), 0));
      many.positions = positions_of_tokens(own);
      const Tensor answers = answer(subject_, many);
      for (std::size_t r = 0; r < own.size(); ++r)
        (*answers_)[own[r]] = take(signature(truth_).gives, answers, along, {{r}});
    }
  }

  // Of agreement.
  Case case_at(Position t) const { return case_of(truth_, domain_, t, ones_, role_of(t)); }

  // The subject as it answered; for the cases that were asked.
  Encoding remembered() const {
    return answered_by(subject_, [answers = answers_](const Call& asked) {
      const TokenPositions& at = asked.positions;
      return answers->at(at.real.empty() ? at.whole.front() : static_cast<Position>(at.real.front()));
    });
  }

 private:
  std::size_t width() const { return signature(truth_).takes.empty() ? 0 : width_of_content(truth_, 0); }

  Role role_of(Position t) const { return signature(truth_).role && t % 2 != 0 ? Role::key : Role::query; }

  // One token at each, every number of its position alike: as case_of has it.
  TokenPositions positions_of_tokens(std::span<const Position> at) const {
    TokenPositions out{.axes = domain_.axes};
    for (const Position t : at)
      for (std::size_t axis = 0; axis < domain_.axes; ++axis)
        domain_.real ? out.real.push_back(static_cast<double>(t)) : out.whole.push_back(t);
    return out;
  }

  Call call(Position t) const {
    Replay draw(case_at(t));
    return draw_call(truth_, domain_, draw);
  }

  Encoding truth_, subject_;
  Domain domain_;
  std::vector<double> ones_;
  std::shared_ptr<std::map<Position, Tensor>> answers_ = std::make_shared<std::map<Position, Tensor>>();
};

// None for the whole operator: it has no positions of its own.
std::optional<Questions> questions(const Encoding& truth, const Encoding& subject) {
  if (!signature(subject).positions) return std::nullopt;
  const std::vector<Encoding> kinds = attention::in_every_kind(truth);
  const Encoding* same = attention::same_kind(kinds, subject);
  return same == nullptr ? std::nullopt : std::optional(Questions(*same, subject));
}

class Replaying {
 public:
  Replaying(const Encoding& truth, const Encoding& subject, const Precision& precision, const Budget& budget,
            Questions questions)
      : questions_(std::move(questions)),
        budget_(budget),
        deadline_(Clock::now() + budget.time),
        alone_(*trial(agreement(truth), subject, precision)),
        remembered_(*trial(agreement(truth), questions_.remembered(), precision)) {}

  // False where there is an end: refuted, an error, a position that is declined.
  bool replay(std::span<const Position> at) {
    if (at.empty()) return true;
    if (Clock::now() >= deadline_) {
      end_ = Undecided{
          fmt::format("stopped by {} after {} recorded positions", budget_.limit_text(), holds_.cases),
          holds_};
      return false;
    }
    try {
      questions_.ask(at);
    } catch (const Refusal&) {
      if (at.size() == 1) return false;
      const std::size_t half = at.size() / 2;
      return replay(at.first(half)) && replay(at.subspan(half));
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {  // by which position?
      if (std::ranges::all_of(at, [&](Position t) { return judge(t, alone_, false); }))
        end_ = together(error, at.size(), at.front());
      return false;
    }
    return std::ranges::all_of(at, [&](Position t) { return judge(t, remembered_, true); });
  }

  std::optional<Verdict> verdict() const {
    if (end_) return end_;
    if (!holds_.learned()) return std::nullopt;
    return holds_;
  }

 private:
  using Clock = BudgetClock;

  bool judge(Position t, const Trial& by, bool batched) {
    const Case asked = questions_.case_at(t);
    const CaseResult found = run_repaired(by, asked);
    if (found.fails()) {
      end_ = failing(batched ? run_repaired(alone_, asked) : found, found);
      return false;
    }
    if (found.end != CaseResult::End::held) return found.end != CaseResult::End::refused;
    holds_.add(found.residual, found.drawn.values);
    return true;
  }

  // What was wrong in a call of many positions only is not seen again.
  Verdict failing(const CaseResult& again, const CaseResult& found) const {
    if (again.fails()) return shrunk(alone_, again, holds_.cases + 1, budget_);
    Verdict once = verdict_of(found, holds_.cases + 1);
    if (auto* refuted = std::get_if<Refuted>(&once)) refuted->repeats = false;
    return once;
  }

  // A call of many positions failed, and by each alone it is answered.
  Verdict together(const std::exception& error, std::size_t positions, Position first) const {
    CaseResult many = ended_by(error);
    many.what +=
        fmt::format(" (in a call of {} positions from this one on; alone they are answered)", positions);
    many.drawn.values = questions_.case_at(first);
    return verdict_of(many, holds_.cases + 1);
  }

  Questions questions_;
  Budget budget_;
  Clock::time_point deadline_;
  Trial alone_, remembered_;
  Holds holds_;
  std::optional<Verdict> end_;
};

// What was cut short may still be refuted by what is searched.
bool goes_on(const std::optional<Verdict>& verdict) {
  return !verdict || std::holds_alternative<Holds>(*verdict) || std::holds_alternative<Undecided>(*verdict);
}

// A call of many positions was wrong, and no position of it alone: what is wrong with many is for the search.
bool in_a_long_call_only(const std::optional<Verdict>& verdict) {
  const auto* refuted = verdict ? std::get_if<Refuted>(&*verdict) : nullptr;
  return refuted != nullptr && !refuted->repeats;
}

// A search that ran to its end, and had nothing to show: it holds as far as it goes, and recorded cases that
// had something say the rest. One that was cut short says nothing.
Verdict searched_unless_refuted(const Trial& trial, const Plan& plan) {
  Holds held;
  const Trial counted = [&](Draw& draw) {
    const Residual residual = trial(draw);
    if (residual.holds()) held.add(residual, draw.drawn());
    return residual;
  };
  const Verdict verdict = search(counted, plan);
  const bool to_its_end = held.cases > 0 && held.cases == plan.budget.cases;
  return std::holds_alternative<Undecided>(verdict) && to_its_end ? Verdict(held) : verdict;
}

// Both, where both hold; else the one that does not, the first of two.
Verdict sum(const std::optional<Verdict>& first, Verdict second) {
  if (!first || (std::holds_alternative<Undecided>(*first) && !std::holds_alternative<Holds>(second)))
    return second;
  const auto* before = std::get_if<Holds>(&*first);
  if (before == nullptr) return *first;
  if (auto* refuted = std::get_if<Refuted>(&second)) refuted->found_after += before->cases;
  auto* holds = std::get_if<Holds>(&second);
  if (holds == nullptr) return second;
  holds->add(*before);
  return second;
}

// Whether the encoding has these parameters and allows them.
bool allows(const EncodingSpec& spec, const Parameters& parameters) {
  const auto has = [&](const Case::Field& field) {
    return std::ranges::any_of(spec.parameters, [&](const Parameter& one) { return one.name == field.name; });
  };
  if (!std::ranges::all_of(parameters.fields(), has)) return false;
  try {
    with(spec, parameters);
    return true;
  } catch (const Refusal&) {
    return false;
  }
}

bool is_exact_ladder(const Encoding& truth) {
  return std::visit(
      [](const auto& kind) {
        if constexpr (requires { kind.pairs; }) return kind.exact != nullptr;
        return false;
      },
      truth);
}

// Ours have a ladder's angles at every position; what they declare is where they are searched.
Encoding reaching_as_far_as_exact(const Encoding& encoding) {
  Domain domain = positions_of(encoding);
  if (!domain.ends) domain.hi = std::max(domain.hi, Position{1} << 40);
  return with_positions(encoding, domain);
}

Verdict in_setting(Verdict verdict, const Parameters& parameters) {
  const auto put = [&](Case& at) {
    Case whole = parameters;
    for (const Case::Field& field : at.fields()) whole.set(field.name, field.value);
    at = std::move(whole);
  };
  if (auto* refuted = std::get_if<Refuted>(&verdict)) put(refuted->counterexample);
  if (auto* errored = std::get_if<Errored>(&verdict)) put(errored->at);
  if (auto* holds = std::get_if<Holds>(&verdict)) put(holds->worst_at);
  return verdict;
}

}  // namespace

std::span<const oracle::HardCases> recorded_ladders() {
  static const std::vector<oracle::HardCases> all = [] {
    std::vector<oracle::HardCases> read;
    for (const auto& [id, contents] : catalogue::hard_cases())
      read.push_back(oracle::hard_cases(std::string(id) + ".cases", contents));
    return read;
  }();
  return all;
}

std::vector<Position> recorded_positions(const Domain& within) {
  static const std::vector<Position> all = [] {
    std::vector<Position> found;
    for (const oracle::HardCases& ladder : recorded_ladders())
      for (const oracle::HardCase& one : ladder.cases) found.push_back(one.t);
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }();
  return {std::ranges::lower_bound(all, within.lo), std::ranges::upper_bound(all, within.hi)};
}

std::optional<Verdict> agreement_where_recorded(const Encoding& truth, const Encoding& subject,
                                                const Precision& precision, const Budget& budget) {
  const Domain domain = overlap(positions_of(subject), positions_of(truth));
  if (domain.lo > domain.hi || domain.axes != 1) return std::nullopt;
  auto asked = questions(truth, subject);
  if (!asked) return std::nullopt;
  // Where an answer depends on the whole call, each position is one, and what is sought is where that begins.
  const bool alone = depends_on_the_call(truth);
  const std::vector<Position> at = alone ? domain.hard : recorded_positions(domain);
  const std::size_t batch = alone ? 1 : std::max<std::size_t>(1, values_at_once / asked->values());
  Replaying replaying(truth, subject, precision, budget, std::move(*asked));
  for (std::size_t from = 0; from < at.size(); from += batch)
    if (!replaying.replay(std::span(at).subspan(from, std::min(batch, at.size() - from)))) break;
  return replaying.verdict();
}

Verdict agreement_searched(const Encoding& truth, const Encoding& subject, const Precision& precision,
                           const Plan& plan) {
  const auto one = trial(agreement(truth), subject, precision);
  if (!one) return NotApplicable{"the subject has no view that agreement is asked of"};
  const auto recorded = agreement_where_recorded(truth, subject, precision, plan.budget);
  if (in_a_long_call_only(recorded)) {
    const Verdict found = search(*one, plan);
    return std::holds_alternative<Refuted>(found) ? found : *recorded;
  }
  if (!goes_on(recorded)) return *recorded;
  const auto distances = agreement_at_every_distance(truth, subject, precision, plan.budget);
  if (!goes_on(distances)) return sum(recorded, *distances);
  const auto longer = agreement_in_long_calls(truth, subject, precision, plan.budget);
  // A long call may be late where those that are drawn are not.
  const bool late = longer && std::holds_alternative<Errored>(*longer);
  if (!goes_on(longer) && !late) return sum(recorded, sum(distances, *longer));
  if (late) {
    const Verdict found = search(*one, plan);
    return std::holds_alternative<Refuted>(found) ? found : *longer;
  }
  const bool before = recorded || distances || longer;
  const Verdict found = before ? searched_unless_refuted(*one, plan) : search(*one, plan);
  return sum(recorded, sum(distances, sum(longer, found)));
}

Verdict agreement_searched(const EncodingSpec& spec, const Plan& plan) {
  std::vector<Parameters> settings = {{}};
  for (const oracle::HardCases& ladder : recorded_ladders())
    if (allows(spec, ladder.parameters)) settings.push_back(ladder.parameters);
  std::optional<Verdict> all;
  for (const Parameters& setting : settings) {
    const Parameters parameters = with(spec, setting);
    Encoding truth = spec.oracle(parameters), subject = spec.make(parameters);
    if (!setting.empty() && is_exact_ladder(truth))
      truth = reaching_as_far_as_exact(truth), subject = reaching_as_far_as_exact(subject);
    auto found = agreement_where_recorded(truth, subject, all_f64, plan.budget);
    if (!found) continue;
    all = sum(all, in_setting(std::move(*found), setting));
    if (!goes_on(all)) return *all;
  }
  const Trial grid = agreement_over_grid(spec);
  return sum(all, all ? searched_unless_refuted(grid, plan) : search(grid, plan));
}

}  // namespace posproof
