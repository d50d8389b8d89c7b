#pragma once

#include <mpfr.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "core/formats.h"

namespace posproof::exact {

// A number of MPFR with a precision of its own: thirty lines instead of a number class whose precision is a
// global setting. Every operation is written as MPFR's own call on `x`, which rounds correctly.
class Real {
 public:
  explicit Real(mpfr_prec_t bits) { mpfr_init2(x, bits), mpfr_set_zero(x, 1); }
  Real(mpfr_prec_t bits, double value) : Real(bits) { mpfr_set_d(x, value, MPFR_RNDN); }
  Real(const Real& other) : Real(mpfr_get_prec(other.x)) { mpfr_set(x, other.x, MPFR_RNDN); }
  Real(Real&& other) noexcept : Real(MPFR_PREC_MIN) { mpfr_swap(x, other.x); }
  Real& operator=(Real other) noexcept {
    mpfr_swap(x, other.x);
    return *this;
  }
  ~Real() { mpfr_clear(x); }

  mpfr_prec_t bits() const { return mpfr_get_prec(x); }
  bool is_zero() const { return mpfr_zero_p(x) != 0; }
  double nearest() const { return mpfr_get_d(x, MPFR_RNDN); }

  mpfr_t x;
};

// The value of `format` nearest to a number that is within `relative * |approximate|` of `approximate`, ties
// to even; none where that leaves more than one candidate. (Ziv 1991: then ask again with more digits.)
// A relative error of 0 says that the number is exact.
std::optional<double> rounded(Format format, const Real& approximate, double relative);

}  // namespace posproof::exact
