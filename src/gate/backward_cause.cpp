#include "gate/backward_cause.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "diagnosis/answered.h"
#include "diagnosis/call_deviations.h"
#include "diagnosis/call_effects.h"
#include "diagnosis/time_limit.h"
#include "gate/backward.h"
#include "run/narrowed.h"

namespace posproof {
namespace {

// Every call, or those of some place, are answered by the forward pass.
Effect rotated_forward(const Rotary& forward, const Precision& precision) {
  const auto by = std::make_shared<const Model>(model_of(forward, precision));
  return {"the gradient is rotated forward, as the forward pass rotates, not back", [by] {
            return
                [by](const Call& call, std::size_t, std::size_t) { return Instead{.call = call, .by = by}; };
          }};
}

// The gradient is rotated as by the same encoding of the other direction, of which all is known that is known
// of this one. None of an encoding that has no direction.
std::optional<Parameters> of_the_other_direction(const EncodingSpec& spec, const Parameters& parameters) {
  const Parameters all = Arguments(spec.parameters, parameters).parameters();
  if (all.find("direction") == nullptr) return std::nullopt;
  Parameters other = all;
  other.set("direction", std::string(all.word("direction") == "forward" ? "backward" : "forward"));
  return other;
}

}  // namespace

std::vector<Explanation> backward_causes(const EncodingSpec& spec, std::string_view id,
                                         const Parameters& parameters, const Subject& subject,
                                         const Case& counterexample, std::uint64_t seed,
                                         BudgetClock::time_point deadline) {
  const auto forward = as<Rotary>(as_far_as(spec.oracle(parameters), subject));
  const Encoding truth = transposed(forward);
  Subject back = subject;
  back.encoding = with_positions(*subject.backward, positions_of(subject.encoding));
  const auto measured = [](std::string words) {
    return std::vector<Explanation>{{Explanation::Kind::measured, std::move(words), "", ""}};
  };
  try {
    const TimeLimit limit(deadline);
    const std::vector<Answered> answered = answers_of(back, truth, counterexample, seed);
    const Model right = model_of(truth, subject.precision);
    if (auto words = call_deviation(right, back, truth, answered,
                                    {.effects = {rotated_forward(forward, subject.precision)}}))
      return measured(std::move(*words));
    if (const auto words = call_deviation(right, back, truth, answered))
      return measured(fmt::format("in the backward pass: {}", *words));
  } catch (const TimeIsOver&) {
    return {};
  }
  const auto other = of_the_other_direction(spec, parameters);
  if (!other) return {};
  std::vector<Explanation> found = diagnose(spec, id, *other, back, counterexample, seed, deadline);
  for (Explanation& one : found) one.what = fmt::format("in the backward pass: {}", one.what);
  return found;
}

}  // namespace posproof
