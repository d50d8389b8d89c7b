#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/spec.h"
#include "diagnosis/call_deviations.h"

// A rotation whose frequencies depend on how far its call goes, measured where they stay the same.
namespace posproof {

// The same rotation of tokens in calls that end at `last`: each row has one more token there.
Rotary in_calls_to(const Rotary& rotary, Position last);

struct MeasuredInCalls {
  std::vector<std::string> sentences;
  Model model;
};

// What differs in calls that are shorter than `original_length`, and of LongRoPE, whose longer calls have the
// same frequencies, in those. The divisors of LongRoPE are told from the ladder that they divide. None where
// nothing was measured, or nothing differs.
std::optional<MeasuredInCalls> measured_in_calls(const Rotary& subject, const Rotary& truth,
                                                 const EncodingSpec& spec, const Parameters& parameters,
                                                 const Subject& as);

}  // namespace posproof
