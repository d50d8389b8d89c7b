#pragma once

#include <algorithm>

#include "core/formats.h"

namespace posproof {

// As code that clips a number before it makes it one of f16: the largest in the place of an infinity.
inline double to_f16_at_most(double x) {
  constexpr double largest = 65504;
  return to_f16(std::clamp(x, -largest, largest));
}

}  // namespace posproof
