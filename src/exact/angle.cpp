#include "exact/angle.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "core/positions.h"

// With p bits and u = 2^-p the angle is off by less than |angle| 2^12 u radians, and MPFR rounds its sine and
// cosine correctly: each is off by less than e = (|angle| 2^12 + 1) u. A rotated coordinate is off by e times
// |x| + |y|, and by the rounding of its sum, 2 u of that.
namespace posproof::exact {
namespace {

constexpr mpfr_prec_t first_bits = 256, most_bits = 2048;

struct Rotation {
  Real sine, cosine;
  double error;  // of each, absolute
};

Rotation rotation_by(const Angle& angle, mpfr_prec_t bits) {
  const Real by = angle(bits);
  if (!by.is_zero() && mpfr_get_exp(by.x) > 100)
    throw Refusal("an angle of 2^100 radians or more is not reduced");
  Rotation out{Real(bits), Real(bits), 0};
  mpfr_sin_cos(out.sine.x, out.cosine.x, by.x, MPFR_RNDN);
  // Sine 0 and cosine 1, exactly.
  if (!by.is_zero())
    out.error = std::ldexp(std::abs(mpfr_get_d(by.x, MPFR_RNDA)) * 0x1p12 + 1, -static_cast<int>(bits));
  return out;
}

// The double nearest to a number that is within `error` of the value; at last the value's own.
std::optional<double> nearest(const Real& value, double error, bool last) {
  if (last || error == 0) return value.nearest();
  if (value.is_zero()) return std::nullopt;
  return rounded(Format::f64, value, error / std::abs(mpfr_get_d(value.x, MPFR_RNDZ)) * (1 + 0x1p-40));
}

// Asks with more and more bits until both are certain.
template <class Ask>
auto certain(const Ask& ask) {
  for (mpfr_prec_t bits = first_bits; bits < most_bits; bits *= 2)
    if (const auto answer = ask(bits, false)) return *answer;
  return *ask(most_bits, true);
}

}  // namespace

Multiprecision::SineAndCosine sine_and_cosine(const Angle& angle) {
  return certain([&](mpfr_prec_t bits, bool last) -> std::optional<Multiprecision::SineAndCosine> {
    const Rotation by = rotation_by(angle, bits);
    const auto sine = nearest(by.sine, by.error, last), cosine = nearest(by.cosine, by.error, last);
    if (!sine || !cosine) return std::nullopt;
    return Multiprecision::SineAndCosine{*sine, *cosine};
  });
}

Multiprecision::Rotated rotated(const Angle& angle, double x, double y) {
  if (x == 0 && y == 0) return {0, 0};
  return certain([&](mpfr_prec_t bits, bool last) -> std::optional<Multiprecision::Rotated> {
    const Rotation by = rotation_by(angle, bits);
    const double unit = std::ldexp(1.0, -static_cast<int>(bits));
    const double error = by.error == 0 ? 0 : (by.error + 2 * unit) * (std::abs(x) + std::abs(y));
    Real along(bits), across(bits);
    const Real from_x(bits, x), from_y(bits, y);
    mpfr_fmms(along.x, from_x.x, by.cosine.x, from_y.x, by.sine.x, MPFR_RNDN);
    mpfr_fmma(across.x, from_x.x, by.sine.x, from_y.x, by.cosine.x, MPFR_RNDN);
    const auto first = nearest(along, error, last), second = nearest(across, error, last);
    if (!first || !second) return std::nullopt;
    return Multiprecision::Rotated{*first, *second};
  });
}

}  // namespace posproof::exact
