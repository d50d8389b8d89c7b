#include "exact/waves.h"

#include "core/positions.h"

namespace posproof::exact {
namespace {

void turn(Real& sine, Real& cosine, const Real& angle, AngleUnit unit) {
  if (unit == AngleUnit::radians) {
    mpfr_sin_cos(sine.x, cosine.x, angle.x, MPFR_RNDN);
    return;
  }
  const unsigned long whole = unit == AngleUnit::turns ? 1 : 2;
  mpfr_sinu(sine.x, angle.x, whole, MPFR_RNDN);
  mpfr_cosu(cosine.x, angle.x, whole, MPFR_RNDN);
}

// A phase in turns, in that unit.
Real phase_in(AngleUnit unit, double turns) {
  Real out(wave_bits, turns);
  if (unit == AngleUnit::turns) return out;
  mpfr_mul_2ui(out.x, out.x, 1, MPFR_RNDN);
  if (unit == AngleUnit::half_turns) return out;
  Real pi(wave_bits);
  mpfr_const_pi(pi.x, MPFR_RNDN);
  mpfr_mul(out.x, out.x, pi.x, MPFR_RNDN);
  return out;
}

// 0 has no sign here.
double rounded_once(const Real& value) {
  return value.nearest() + 0.0;
}

}  // namespace

WavePoint wave(std::span<const Real> frequencies, AngleUnit unit, std::span<const double> x, double phase,
               const Real& amplitude) {
  Real angle(wave_bits), product(wave_bits), sine(wave_bits), cosine(wave_bits);
  for (std::size_t axis = 0; axis < frequencies.size(); ++axis) {
    mpfr_mul_d(product.x, frequencies[axis].x, x[axis], MPFR_RNDN);
    mpfr_add(angle.x, angle.x, product.x, MPFR_RNDN);
  }
  if (phase != 0) mpfr_add(angle.x, angle.x, phase_in(unit, phase).x, MPFR_RNDN);
  if (!angle.is_zero() && mpfr_get_exp(angle.x) > 100)
    throw Refusal("an angle of 2^100 or more is not reduced");
  turn(sine, cosine, angle, unit);
  mpfr_mul(sine.x, sine.x, amplitude.x, MPFR_RNDN);
  mpfr_mul(cosine.x, cosine.x, amplitude.x, MPFR_RNDN);
  return {rounded_once(sine), rounded_once(cosine)};
}

Real wave_number(double value) {
  return {wave_bits, value};
}

Real root_of(unsigned long numerator, unsigned long denominator) {
  Real out(wave_bits);
  mpfr_set_ui(out.x, numerator, MPFR_RNDN);
  mpfr_div_ui(out.x, out.x, denominator, MPFR_RNDN);
  mpfr_sqrt(out.x, out.x, MPFR_RNDN);
  return out;
}

}  // namespace posproof::exact
