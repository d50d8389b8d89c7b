#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "core/error.h"

namespace posproof {

// How far a reference that rotates in long double, and rounds its answer y to double once, may be from the
// exact rotation of x: what is allowed to arithmetic of 64 bits, and half the distance of doubles at y.
inline std::vector<double> once_rounded(const Rotary& rotary, std::span<const double> position,
                                        std::span<const double> x, std::span<const double> y) {
  constexpr Precision long_double{0x1p-64, 0x1p-64};
  std::vector<double> error = rotated_error(rotary, long_double, position, x);
  for (std::size_t c = 0; c < y.size(); ++c) error[c] += unit_f64 * std::abs(y[c]);
  return error;
}

}  // namespace posproof
