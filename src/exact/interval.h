#pragma once

#include <algorithm>

#include "exact/real.h"

namespace posproof::exact {

// Two numbers that a real number lies between. Every operation rounds its lower end down and its upper end
// up, so what a formula loses is never estimated: it is the distance of the ends. What is known only when the
// ends agree (a sign, the next whole number) is asked for again with more bits.
struct Interval {
  Real low, high;

  Interval(mpfr_prec_t bits, double exactly) : low(bits), high(bits) {
    mpfr_set_d(low.x, exactly, MPFR_RNDD);
    mpfr_set_d(high.x, exactly, MPFR_RNDU);
  }

  mpfr_prec_t bits() const { return low.bits(); }
  bool positive() const { return mpfr_sgn(low.x) > 0; }
};

inline Interval pi(mpfr_prec_t bits) {
  Interval out(bits, 0);
  mpfr_const_pi(out.low.x, MPFR_RNDD);
  mpfr_const_pi(out.high.x, MPFR_RNDU);
  return out;
}

inline Interval operator+(const Interval& a, const Interval& b) {
  Interval out(a.bits(), 0);
  mpfr_add(out.low.x, a.low.x, b.low.x, MPFR_RNDD);
  mpfr_add(out.high.x, a.high.x, b.high.x, MPFR_RNDU);
  return out;
}

inline Interval operator-(const Interval& a, const Interval& b) {
  Interval out(a.bits(), 0);
  mpfr_sub(out.low.x, a.low.x, b.high.x, MPFR_RNDD);
  mpfr_sub(out.high.x, a.high.x, b.low.x, MPFR_RNDU);
  return out;
}

// The end of least and the end of most among all four products, or quotients (of numbers apart from 0).
inline Interval of_all_ends(const Interval& a, const Interval& b,
                            int (*operation)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t)) {
  Interval out(a.bits(), 0);
  Real end(a.bits());
  bool first = true;
  for (const Real* left : {&a.low, &a.high})
    for (const Real* right : {&b.low, &b.high}) {
      operation(end.x, left->x, right->x, MPFR_RNDD);
      if (first || mpfr_less_p(end.x, out.low.x) != 0) mpfr_set(out.low.x, end.x, MPFR_RNDD);
      operation(end.x, left->x, right->x, MPFR_RNDU);
      if (first || mpfr_greater_p(end.x, out.high.x) != 0) mpfr_set(out.high.x, end.x, MPFR_RNDU);
      first = false;
    }
  return out;
}

// Of positive numbers the ends are known: a quarter of the operations.
inline Interval operator*(const Interval& a, const Interval& b) {
  if (!a.positive() || !b.positive()) return of_all_ends(a, b, &mpfr_mul);
  Interval out(a.bits(), 0);
  mpfr_mul(out.low.x, a.low.x, b.low.x, MPFR_RNDD);
  mpfr_mul(out.high.x, a.high.x, b.high.x, MPFR_RNDU);
  return out;
}

// NaN at both ends where b may be 0: nothing is known.
inline Interval operator/(const Interval& a, const Interval& b) {
  if (mpfr_sgn(b.low.x) <= 0 && mpfr_sgn(b.high.x) >= 0) {
    Interval out(a.bits(), 0);
    mpfr_set_nan(out.low.x);
    mpfr_set_nan(out.high.x);
    return out;
  }
  if (!a.positive() || !b.positive()) return of_all_ends(a, b, &mpfr_div);
  Interval out(a.bits(), 0);
  mpfr_div(out.low.x, a.low.x, b.high.x, MPFR_RNDD);
  mpfr_div(out.high.x, a.high.x, b.low.x, MPFR_RNDU);
  return out;
}

// Of a function that rises.
inline Interval of_both_ends(const Interval& a, int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)) {
  Interval out(a.bits(), 0);
  function(out.low.x, a.low.x, MPFR_RNDD);
  function(out.high.x, a.high.x, MPFR_RNDU);
  return out;
}

inline Interval log(const Interval& a) {
  return of_both_ends(a, &mpfr_log);
}
inline Interval exp(const Interval& a) {
  return of_both_ends(a, &mpfr_exp);
}
inline Interval sqrt(const Interval& a) {
  return of_both_ends(a, &mpfr_sqrt);
}

// a, or the nearer of the two bounds where it is outside them. NaN stays.
inline Interval clamped(Interval a, double least, double most) {
  for (Real* end : {&a.low, &a.high}) {
    if (mpfr_cmp_d(end->x, least) < 0 && mpfr_nan_p(end->x) == 0) mpfr_set_d(end->x, least, MPFR_RNDN);
    if (mpfr_cmp_d(end->x, most) > 0 && mpfr_nan_p(end->x) == 0) mpfr_set_d(end->x, most, MPFR_RNDN);
  }
  return a;
}

}  // namespace posproof::exact
