#pragma once

#include <vector>

#include "diagnosis/rotation_forms.h"

namespace posproof {

// The declared rotation whose angles, or cosines and sines, are made in f32 from those of a position before,
// so that what rounding does to them adds up: token by token where positions follow each other, or of a table
// from a position on. None of a rotation that depends on its call, or of positions of several numbers; of a
// table none that has more than 2^17 positions: `last` is the last that the subject has.
std::vector<RotationForm> recurrence_forms(const Rotary& truth, Position last);

}  // namespace posproof
