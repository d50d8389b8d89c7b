#include "benchmarks/errors_in_ulp.h"

#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace posproof {
namespace {

// MPFR rounds correctly, so that the relative error is 2^-192 however small the sine is.
struct Number {
  mpfr_t value;
  Number() { mpfr_init2(value, 192); }
  ~Number() { mpfr_clear(value); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
};

double error_in_ulp(const Number& exact, double given) {
  if (!std::isfinite(given)) return std::numeric_limits<double>::infinity();
  const double nearest = std::abs(mpfr_get_d(exact.value, MPFR_RNDN));
  // The spacing of doubles from the exact value's own power of 2 on.
  const double unit = std::nextafter(nearest, std::numeric_limits<double>::infinity()) - nearest;
  Number off;
  mpfr_sub_d(off.value, exact.value, given, MPFR_RNDN);
  return std::abs(mpfr_get_d(off.value, MPFR_RNDN)) / unit;
}

}  // namespace

void UlpErrors::add(double angle, double sine, double cosine) {
  Number at, exact_sine, exact_cosine;
  mpfr_set_d(at.value, angle, MPFR_RNDN);
  mpfr_sin_cos(exact_sine.value, exact_cosine.value, at.value, MPFR_RNDN);
  add_one(error_in_ulp(exact_sine, sine));
  add_one(error_in_ulp(exact_cosine, cosine));
}

void UlpErrors::add_one(double error) {
  largest_ = std::max(largest_, error);
  sum_ += error;
  ++count_;
}

}  // namespace posproof
