#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/case.h"
#include "diagnosis/call_deviations.h"
#include "diagnosis/measured_rotation.h"
#include "subject/subject.h"

// A rotation as it was measured, by role and head.
namespace posproof {

// What stands for the subject: the measured rotation has the subject's rounding in it, and the subject again.
Model measured_model(const Rotary& truth, const MeasuredRotation& queries, const MeasuredRotation& keys,
                     const Precision& precision);

// What differs from the declared one, in sentences: of heads, and of queries and keys, where those differ.
// None where what was measured is no such rotation.
std::optional<std::vector<std::string>> measured_sentences(const MeasuredRotation& queries,
                                                           const MeasuredRotation& keys, const Rotary& truth,
                                                           const Parameters& parameters,
                                                           const Subject& subject);

}  // namespace posproof
