#pragma once

#include <cmath>

#include "core/positions.h"
#include "core/tensor.h"

namespace posproof {

// Throws std::invalid_argument where that is no call of a rotation: `x` is [batch, heads, n, dim], and each
// of its batch * n tokens has a position of `axes` numbers.
void check_rotation(const Tensor& x, const Positions& positions, std::size_t heads, std::size_t dim,
                    std::size_t axes = 1);

// std::hypot, at once where one of the two is 0, as in most of what is drawn.
inline double pair_norm(double x, double y) {
  if (y == 0) return std::abs(x);
  return x == 0 ? std::abs(y) : std::hypot(x, y);
}

}  // namespace posproof
