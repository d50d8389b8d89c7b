#pragma once

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/encoding.h"
#include "core/formats.h"
#include "core/precision.h"

// Right rotations in the arithmetic of other formats, for tests of what is allowed.
namespace posproof::rotations {

// The nearest number of the format of that unit.
inline double rounded(double unit, double x) {
  return nearest(unit == unit_f64   ? Format::f64
                 : unit == unit_f32 ? Format::f32
                 : unit == unit_f16 ? Format::f16
                                    : Format::bf16,
                 x);
}

// A rotation as it is computed in those formats: each angle is a product of the position and the frequency;
// cosine and sine are kept in the table's format; two products and a sum are rounded, and the answer. No
// check may ask for a position outside the domain.
inline Rotary computed_in(const Precision& p, const Domain& positions, std::size_t dim,
                          std::vector<Pair> pairs) {
  Rotary rotary{.dim = dim, .heads = 2, .positions = positions, .pairs = std::move(pairs)};
  rotary.rotate = [=, of = rotary.pairs](const Tensor& x, std::span<const Position> at, Role) {
    Tensor y = x;
    for (double& value : y.data) value = rounded(p.input(), value);
    const std::size_t n = x.shape[2], heads = x.shape[1];
    for (std::size_t r = 0; r < y.rows(); ++r)
      for (const Pair& pair : of) {
        const auto t = static_cast<double>(at[r / (heads * n) * n + r % n]);
        if (t < static_cast<double>(positions.lo) || t > static_cast<double>(positions.hi))
          throw std::logic_error(fmt::format("{} is outside the domain", t));
        const double angle = rounded(p.angle, rounded(p.angle, t) * rounded(p.angle, pair.frequency));
        const double c = rounded(p.table(), std::cos(angle)), s = rounded(p.table(), std::sin(angle));
        const auto work = [&](double value) { return rounded(p.work(), value); };
        const double a = y.at(r, pair.first), b = y.at(r, pair.second);
        y.at(r, pair.first) = rounded(p.result, work(work(a * c) - work(b * s)));
        y.at(r, pair.second) = rounded(p.result, work(work(a * s) + work(b * c)));
      }
    return y;
  };
  return rotary;
}

}  // namespace posproof::rotations
