#pragma once

#include <cmath>

#include "core/encoding.h"

namespace posproof::testing_encodings {

// The first pair rotates by the row of a grid, the second by its column.
inline Encoding axial(bool swapped = false) {
  Rotary rotary{.dim = 4};
  rotary.positions = Domain(0, 64);
  rotary.positions.axes = 2;
  rotary.pairs = {{0, 1, 1.0}, {.first = 2, .second = 3, .frequency = 0.5, .axis = 1}};
  rotary.rotate = [pairs = rotary.pairs, swapped](const Tensor& x, const Positions& positions, Role) {
    Tensor y = x;
    for (std::size_t r = 0; r < x.rows(); ++r)
      for (const Pair& pair : pairs) {
        const std::size_t axis = swapped ? 1 - pair.axis : pair.axis;
        const long double angle = positions.at(r, axis) * static_cast<long double>(pair.frequency);
        const double a = x.at(r, pair.first), b = x.at(r, pair.second);
        y.at(r, pair.first) = static_cast<double>(a * std::cos(angle) - b * std::sin(angle));
        y.at(r, pair.second) = static_cast<double>(a * std::sin(angle) + b * std::cos(angle));
      }
    return y;
  };
  return rotary;
}

}  // namespace posproof::testing_encodings
