#include "gate/vacuous.h"

#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <utility>

#include "attention/reference_attention.h"
#include "core/call.h"
#include "gate/wrong_answer.h"
#include "search/trial.h"

namespace posproof {
namespace {

// After so many cases, all of them vacuous, the truth is asked whether it has something to show at all.
constexpr std::uint64_t vacuous_before_doubt = 30;

// The truth, asked where the subject is defined.
Encoding truth_within(const AskedOf& asked) {
  const Encoding& subject = asked.subject.encoding;
  const std::vector<Encoding> kinds = attention::in_every_kind(asked.truth);
  const Encoding* same = attention::same_kind(kinds, subject);
  return same == nullptr ? asked.truth : with_positions(*same, positions_of(subject));
}

// Its answers as the subject's format holds them.
Encoding correctly_rounded(const Encoding& truth, const Precision& precision) {
  return answered_by(
      truth, [truth, precision](const Call& call) { return rounded(answer(truth, call), precision); });
}

std::optional<std::string> nothing_to_show(const AskedOf& asked, const Plan& plan) {
  const auto one = trial(asked.property, truth_within(asked), asked.subject.precision);
  if (!one) return std::nullopt;
  const Verdict verdict = search(*one, plan);
  const auto* undecided = std::get_if<Undecided>(&verdict);
  // A search of the truth that its time cut short says nothing either.
  if (undecided == nullptr || undecided->out_of_time) return std::nullopt;
  return fmt::format("even the exact encoding has nothing to show here: {}", undecided->why);
}

// One case; sets the flag where it fails, in whatever way: what is run from then on is that case, shrunk.
Residual failing_sets(bool& failed, const Trial& trial, Draw& draw) {
  try {
    const Residual found = trial(draw);
    failed = failed || !found.holds();
    return found;
  } catch (const Discard&) {
    throw;
  } catch (const Refusal&) {
    throw;
  } catch (...) {
    failed = true;
    throw;
  }
}

}  // namespace

Trial with_doubts(const AskedOf& asked, const Plan& plan) {
  if (!asked.subject.live) return asked.trial;
  struct State {
    Holds held;
    bool shrinks = false;
  };
  return [asked, plan, state = std::make_shared<State>()](Draw& draw) {
    const Residual found = failing_sets(state->shrinks, asked.trial, draw);
    state->held.add(found, {});
    if (state->shrinks || state->held.cases != vacuous_before_doubt || state->held.learned()) return found;
    if (const auto why = nothing_to_show(asked, plan)) throw Inapplicable{*why};
    return found;
  };
}

std::optional<std::string> nothing_to_ask(const AskedOf& asked, const Plan& plan, const Verdict& verdict) {
  const auto* undecided = std::get_if<Undecided>(&verdict);
  if (undecided == nullptr || undecided->out_of_time) return std::nullopt;
  if (!asked.subject.live)  // a file refuses only past its end
    return fmt::format("the file has nothing to show here: {}", undecided->why);
  return nothing_to_show(asked, plan);
}

std::optional<std::string> counterexample_of_the_truth(const AskedOf& asked, const Verdict& verdict) {
  const auto* refuted = std::get_if<Refuted>(&verdict);
  if (refuted == nullptr || !refuted->failure.empty()) return std::nullopt;
  const Precision& precision = asked.subject.precision;
  const auto exact = trial(asked.property, correctly_rounded(truth_within(asked), precision), precision);
  if (!exact) return std::nullopt;
  try {
    if (!std::holds_alternative<Refuted>(replay(*exact, refuted->counterexample))) return std::nullopt;
  } catch (const std::invalid_argument&) {  // the truth is asked something else
    return std::nullopt;
  }
  return refuted->counterexample.text();
}

}  // namespace posproof
