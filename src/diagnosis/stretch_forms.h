#pragma once

#include <vector>

#include "core/precision.h"
#include "core/spec.h"
#include "diagnosis/rotation_forms.h"

namespace posproof {

// Of a rotation that is stretched with the position (xPos, a temperature of the queries): the declared one
// stretched otherwise. Of one role alone, of both alike, of roles in each other's place; by a power of a
// whole number; by other numbers of xPos (centre, scale_base, gamma), which are measured by `subject` on
// one-hot tokens. None where it is not stretched, or does not answer.
std::vector<RotationForm> stretch_forms(const Rotary& subject, const Rotary& truth, const EncodingSpec& spec,
                                        const Parameters& parameters, const Precision& precision);

}  // namespace posproof
