#pragma once

#include <vector>

#include "diagnosis/rotation_forms.h"

namespace posproof {

// The declared rotation whose cosines and sines are approximated, in the ways that kernels have them: a
// polynomial of few terms after a reduction to one turn, or a table of so many angles.
std::vector<RotationForm> approximate_forms(const Rotary& truth);

}  // namespace posproof
