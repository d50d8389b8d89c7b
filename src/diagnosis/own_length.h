#pragma once

#include <vector>

#include "core/precision.h"
#include "diagnosis/answered.h"
#include "diagnosis/call_effects.h"

namespace posproof {

// Where a rotation depends on how far its call goes: those effects that move the farthest position of some
// answered call, as where a program counts the call's length before it moves positions. Their words are the
// same.
std::vector<Effect> effects_at_the_own_length(const std::vector<Effect>& effects, const Encoding& declared,
                                              const Precision& precision,
                                              const std::vector<Answered>& answered);

}  // namespace posproof
