#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/encoding.h"
#include "core/function.h"

namespace posproof {

// The declared rotation with something in it computed otherwise: an operand in too few digits, a channel that
// is overwritten too early.
struct RotationForm {
  std::string words;
  Rotary rotation;
};
std::vector<RotationForm> rotation_forms(const Rotary& truth);

// With the angles of a position's block, and of its place in the block, added: by the formulas for the cosine
// and the sine of a sum, of tables in few digits.
std::vector<RotationForm> sum_forms(const Rotary& truth);

// The declared rotation with this cosine and sine of each angle, in their place.
Rotary with_cosine_and_sine(
    const Rotary& truth,
    const Function<std::pair<long double, long double>(long double angle)>& cosine_and_sine);

}  // namespace posproof
