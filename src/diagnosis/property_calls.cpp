#include "diagnosis/property_calls.h"

#include <memory>
#include <vector>

#include "core/failure.h"
#include "diagnosis/call_deviations.h"
#include "diagnosis/near_draw.h"
#include "diagnosis/time_limit.h"
#include "search/case_result.h"
#include "search/trial.h"

namespace posproof {
namespace {

using Recorded = std::vector<Answered>;

// The same subject, whose calls and answers are kept, but for calls that the truth does not answer.
Encoding recording(const Encoding& subject, const Encoding& truth, const std::shared_ptr<Recorded>& to) {
  return answered_by(subject, [subject, truth, to](const Call& call) {
    Tensor given = answer(subject, call);
    try {
      if (answer(truth, call).shape == given.shape) to->push_back({{}, call, given});
    } catch (const Refusal&) {  // it is not defined there
    }
    return given;
  });
}

}  // namespace

std::optional<std::string> deviation_in_calls_of(const Property& property, const Subject& subject,
                                                 const Encoding& truth, const Case& counterexample,
                                                 std::uint64_t seed) {
  const auto recorded = std::make_shared<Recorded>();
  const auto one = trial(property, recording(subject.encoding, truth, recorded), subject.precision);
  if (!one) return std::nullopt;
  run_repaired(*one, counterexample);
  for (std::uint64_t n = 0; n < near_draws; ++n) {
    TimeLimit::go_on();
    NearDraw draw(counterexample, seed, n);
    run(*one, draw);
  }
  return call_deviation(model_of(truth, subject.precision), subject, truth, *recorded);
}

}  // namespace posproof
