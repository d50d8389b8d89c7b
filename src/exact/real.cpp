#include "exact/real.h"

namespace posproof::exact {
namespace {

// Rounds once into the format; the infinity where the format ends, subnormals where it has them.
double in_format(Format format, mpfr_srcptr value) {
  if (format == Format::f64) return mpfr_get_d(value, MPFR_RNDN);
  const FormatShape target = shape(format);
  // Which place the last digit of the format has at this size: below the smallest normal number it stays.
  if (mpfr_zero_p(value) != 0) return mpfr_signbit(value) != 0 ? -0.0 : 0.0;
  const mpfr_exp_t exponent = mpfr_get_exp(value) - 1;
  const mpfr_exp_t lost = exponent < target.smallest ? target.smallest - exponent : 0;
  if (lost > target.digits) return mpfr_signbit(value) != 0 ? -0.0 : 0.0;
  const mpfr_prec_t digits = target.digits - lost;
  if (digits < 1) {  // half of the smallest subnormal number, or more of it: a tie goes to 0, the even one
    const double least = __builtin_ldexp(1.0, target.smallest - target.digits + 1);
    const double half = least / 2;
    const double magnitude = mpfr_cmpabs(value, Real(64, half).x) > 0 ? least : 0.0;
    return mpfr_signbit(value) != 0 ? -magnitude : magnitude;
  }
  Real narrow(digits);
  mpfr_set(narrow.x, value, MPFR_RNDN);
  const double result = mpfr_get_d(narrow.x, MPFR_RNDN);
  const double end = __builtin_ldexp(1.0, target.largest + 1);
  if (result >= end) return __builtin_huge_val();
  return result <= -end ? -__builtin_huge_val() : result;
}

}  // namespace

std::optional<double> rounded(Format format, const Real& approximate, double relative) {
  if (approximate.is_zero() || relative == 0) return in_format(format, approximate.x);
  // The two ends, outward; what lies between them rounds between their roundings.
  Real error(64), low(approximate.bits() + 64), high(approximate.bits() + 64);
  mpfr_abs(error.x, approximate.x, MPFR_RNDU);
  mpfr_mul_d(error.x, error.x, relative, MPFR_RNDU);
  mpfr_sub(low.x, approximate.x, error.x, MPFR_RNDD);
  mpfr_add(high.x, approximate.x, error.x, MPFR_RNDU);
  const double least = in_format(format, low.x), most = in_format(format, high.x);
  if (least != most) return std::nullopt;
  return least;
}

}  // namespace posproof::exact
