#pragma once

#include <mpfr.h>

#include <cstddef>
#include <map>
#include <span>
#include <tuple>

#include "core/rounded.h"

namespace posproof::exact {

// A number of 256 bits, for formulas of many operations. Each operation is rounded once, so that a formula is
// off by a few 2^-256 of the sizes of its terms. Its digits are kept in place: nothing is allocated.
class Number {
 public:
  static constexpr mpfr_prec_t bits = 256;

  Number() {
    mpfr_custom_init(digits_, bits);
    mpfr_custom_init_set(x, MPFR_ZERO_KIND, 0, bits, digits_);
  }
  Number(double value) : Number() { mpfr_set_d(x, value, MPFR_RNDN); }
  Number(const Number& other) : Number() { mpfr_set(x, other.x, MPFR_RNDN); }
  Number& operator=(const Number& other) {
    mpfr_set(x, other.x, MPFR_RNDN);
    return *this;
  }

  double nearest() const { return mpfr_get_d(x, MPFR_RNDN); }

  friend Number operator+(const Number& a, const Number& b) { return of(mpfr_add, a, b); }
  friend Number operator-(const Number& a, const Number& b) { return of(mpfr_sub, a, b); }
  friend Number operator*(const Number& a, const Number& b) { return of(mpfr_mul, a, b); }
  friend Number operator/(const Number& a, const Number& b) { return of(mpfr_div, a, b); }
  friend Number pow(const Number& a, const Number& b) { return of(mpfr_pow, a, b); }
  friend bool operator<(const Number& a, const Number& b) { return mpfr_less_p(a.x, b.x) != 0; }
  Number& operator+=(const Number& other) { return *this = *this + other; }

  friend Number sqrt(const Number& a) { return of(mpfr_sqrt, a); }
  friend Number exp(const Number& a) { return of(mpfr_exp, a); }
  friend Number log(const Number& a) { return of(mpfr_log, a); }
  friend Number log1p(const Number& a) { return of(mpfr_log1p, a); }
  friend Number sin(const Number& a) { return of(mpfr_sin, a); }
  friend Number cos(const Number& a) { return of(mpfr_cos, a); }
  friend Number floor(const Number& a) {
    Number out;
    mpfr_floor(out.x, a.x);
    return out;
  }

  mpfr_t x;

 private:
  template <class Function>
  static Number of(Function function, const Number& a) {
    Number out;
    function(out.x, a.x, MPFR_RNDN);
    return out;
  }
  template <class Function>
  static Number of(Function function, const Number& a, const Number& b) {
    Number out;
    function(out.x, a.x, b.x, MPFR_RNDN);
    return out;
  }

  mp_limb_t digits_[bits / (8 * sizeof(mp_limb_t))];
};

// What InPrecision does, without its roundings.
class InFull {
 public:
  using Number = exact::Number;

  Number given(double x) const { return x; }
  Number trained(double x) const { return x; }
  Number sum(const Number& a, const Number& b) const { return a + b; }
  Number minus(const Number& a) const { return Number() - a; }
  Number product(const Number& a, const Number& b) const { return a * b; }
  Number dot(std::span<const Number> a, std::span<const Number> b) const {
    Number out;
    for (std::size_t c = 0; c < a.size(); ++c) mpfr_fma(out.x, a[c].x, b[c].x, out.x, MPFR_RNDN);
    return out;
  }
  Number weighted(std::span<const double> weights, std::span<const Number> x) const {
    mp_limb_t digits[1];
    mpfr_t weight;
    mpfr_custom_init(digits, 53);
    mpfr_custom_init_set(weight, MPFR_ZERO_KIND, 0, 53, digits);
    Number out;
    for (std::size_t c = 0; c < x.size(); ++c) {
      mpfr_set_d(weight, weights[c], MPFR_RNDN);
      mpfr_fma(out.x, weight, x[c].x, out.x, MPFR_RNDN);
    }
    return out;
  }
  Number next(const Number& sum, const Number& x) const { return sum + x; }
  Number either(const Number& x, const Number&) const { return x; }
  Number stored(const Number& x) const { return x; }
  Number total(std::span<const Number> terms) const {
    Number out;
    for (const Number& term : terms) out += term;
    return out;
  }
  Number over_root(const Number& x, std::size_t n) const { return x / sqrt(Number(static_cast<double>(n))); }

  // e^-x is no digit of ln(1 + e^x) = x + ln(1 + e^-x) past 180, and e^x no number past 7e8.
  Number softplus(const Number& x) const { return Number(180) < x ? x : log1p(exp(x)); }
  Number log_sigmoid(const Number& x) const { return minus(softplus(minus(x))); }
  Number sigmoid(const Number& x) const { return Number(1) / (Number(1) + exp(minus(x))); }
  // e^-x is no digit of 1 + e^-x past 180, and x e^x no double past -800.
  Number silu(const Number& x) const {
    if (Number(180) < x) return x;
    return x < Number(-800) ? Number() : x / (Number(1) + exp(minus(x)));
  }
  Number rectified(const Number& x) const { return x < Number() ? Number() : x; }
  Number whole(double n) const { return n; }
  Number log_of_1_and(double n) const { return log1p(Number(n)); }
  Number leaky(const Number& x, double slope) const { return x < Number() ? x * Number(slope) : x; }

  Number power(const Wave& wave) const { return radians(wave); }
  Number sine(double t, const Wave& wave) const { return sin(Number(t) * radians(wave)); }
  Number cosine(double t, const Wave& wave) const { return cos(Number(t) * radians(wave)); }
  struct Angle {
    Number cosine, sine;
  };
  using Turn = Angle;
  Angle angle_at(double t, const Wave& wave, double phase) const {
    return angle(Number(t) * radians(wave) + Number(phase));
  }
  Angle angle(const Number& x) const { return {cos(x), sin(x)}; }
  Turn turn(const Angle& a, const Angle& b) const {
    return {a.cosine * b.cosine + a.sine * b.sine, a.sine * b.cosine - a.cosine * b.sine};
  }
  Number interpolated(const Number& x, std::span<const Number> entries) const {
    const Number last(static_cast<double>(entries.size() - 1)), y = x < last ? x : last, below = floor(y);
    const auto n = static_cast<std::size_t>(below.nearest());
    if (!(y < last)) return entries[n];
    return entries[n] * (Number(1) - (y - below)) + entries[n + 1] * (y - below);
  }

 private:
  static Number radians(const Wave& wave) {
    thread_local std::map<std::tuple<double, std::size_t, std::size_t>, Number> known;
    const auto [at, is_new] = known.try_emplace({wave.base, wave.numerator, wave.denominator});
    if (is_new)
      at->second = pow(Number(wave.base), Number() - Number(static_cast<double>(wave.numerator)) /
                                                         Number(static_cast<double>(wave.denominator)));
    return at->second;
  }
};

}  // namespace posproof::exact
