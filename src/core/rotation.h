#pragma once

#include <cmath>

#include "core/positions.h"
#include "core/tensor.h"

namespace posproof {

// Throws std::invalid_argument where that is no call of a rotation: `x` is [batch, heads, n, dim], and each
// of its batch * n tokens has a position of `axes` numbers.
void check_rotation(const Tensor& x, const Positions& positions, std::size_t heads, std::size_t dim,
                    std::size_t axes = 1);

// sqrt(x^2 + y^2), within 2 u (u = 2^-53): where no square overflows or loses what counts of it, as the root
// of a sum of squares (Jeannerod et al. 2017, SIAM J. Sci. Comput. 39), and else by std::hypot, which is
// slower.
inline double pair_norm(double x, double y) {
  const double a = std::abs(x), b = std::abs(y), larger = a < b ? b : a;
  if (a == 0 || b == 0) return a + b;
  return larger > 0x1p-480 && larger < 0x1p480 ? std::sqrt(a * a + b * b) : std::hypot(x, y);
}

}  // namespace posproof
