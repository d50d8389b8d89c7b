#pragma once

#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "exact/testing/boost_numbers.h"

// The second derivation, which the oracle is tested against: whole numbers only, no logarithm, exponential,
// sine or cosine of any library. A number x stands as the integer x * 2^bits. For tests; nothing else
// includes it.
namespace posproof::by_integers {

using boost_numbers::Whole;

constexpr unsigned bits = 512;
inline const Whole one = Whole(1) << bits;

// A number known to `error`: the true one times 2^bits is within value - error .. value + error.
struct Known {
  Whole value, error;
};

// value * 2^exponent as the nearest double, ties to even. The magnitude must be that of a normal double.
inline double nearest(const Whole& value, int exponent) {
  if (value == 0) return 0;
  const Whole size = abs(value);
  const int surplus = static_cast<int>(size.highest_bit()) - 52;
  Whole digits = size;
  if (surplus > 0) {
    digits = digits >> static_cast<unsigned>(surplus);
    const Whole rest = size - (digits << static_cast<unsigned>(surplus)),
                half = Whole(1) << static_cast<unsigned>(surplus - 1);
    if (rest > half || (rest == half && digits % 2 == 1)) digits = digits + 1;
    exponent += surplus;
  }
  const double magnitude = std::ldexp(static_cast<double>(digits.as_integer()), exponent);
  return value < 0 ? -magnitude : magnitude;
}

// The double nearest to the number times 2^-shift more; none where the error leaves two candidates.
inline std::optional<double> nearest(const Known& known, int shift = 0) {
  const double low = nearest(Whole(known.value - known.error), -static_cast<int>(bits) - shift);
  const double high = nearest(Whole(known.value + known.error), -static_cast<int>(bits) - shift);
  if (low != high) return std::nullopt;
  return low;
}

// digits * 2^exponent, exactly a double that is not 0.
inline std::pair<std::int64_t, int> parts(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return {static_cast<std::int64_t>(std::ldexp(fraction, 53)), exponent - 53};
}

// Machin 1706: pi/4 = 4 arctan(1/5) - arctan(1/239), each by its series. Every term is cut off once: fewer
// than 2^10 terms, weights up to 16.
inline Known pi() {
  const auto arctan_of_inverse = [](unsigned x) {
    Whole sum = 0, power = one / x;
    for (unsigned n = 0; power != 0; ++n, power = power / (x * x)) {
      if (n % 2 == 0)
        sum = sum + power / (2 * n + 1);
      else
        sum = sum - power / (2 * n + 1);
    }
    return sum;
  };
  return {16 * arctan_of_inverse(5) - 4 * arctan_of_inverse(239), Whole(1) << 15};
}

// The largest whole x with x^degree <= n, by Newton's method from above: it falls until it is there.
inline Whole root(const Whole& n, unsigned degree, Whole from) {
  while (true) {
    const Whole next = ((degree - 1) * from + n / pow(from, degree - 1)) / degree;
    if (next >= from) return from;
    from = next;
  }
}

// base^(-numerator/denominator), cut off: an algebraic number, the root of (x 2^-bits)^denominator *
// base^numerator = 1. `is_root` says, with no more than products of whole numbers, that it is this one.
struct AlgebraicPower {
  Whole cut;       // x, at most 1 too small
  Whole radicand;  // x^denominator <= radicand < (x + 1)^denominator
  unsigned degree;
  bool is_root() const { return pow(cut, degree) <= radicand && radicand < pow(cut + 1, degree); }
  Known known() const { return {cut, 1}; }
};

inline AlgebraicPower power(double base, unsigned numerator, unsigned denominator) {
  const unsigned common = std::gcd(numerator, denominator);
  const unsigned n = numerator / common, d = denominator / common;
  const auto [digits, exponent] = parts(base);
  // 2^(bits d) / (digits^n 2^(exponent n))
  const int shift = static_cast<int>(bits * d) - exponent * static_cast<int>(n);
  Whole radicand = (Whole(1) << static_cast<unsigned>(shift)) / pow(Whole(digits), n);
  const double about = std::pow(base, -static_cast<double>(n) / d) * (1 + 1e-9);
  const auto [start, place] = parts(about);
  Whole from = (Whole(start) << (bits + static_cast<unsigned>(place + 1100))) >> 1100;
  return {root(radicand, d, from + 1), radicand, d};
}

// Sine and cosine of t * frequency: reduced by whole multiples of pi/2 (argument reduction), then the Taylor
// series of what is left (at most pi/4 and a little). |t| below 2^45.
struct KnownSineAndCosine {
  Known sine, cosine;
};

inline KnownSineAndCosine point(const AlgebraicPower& frequency, std::int64_t t) {
  static const Known half_turn = pi();
  const Whole quarter = half_turn.value / 2;
  const Whole angle = frequency.cut * std::abs(t);
  const Whole rotations = (angle + quarter / 2) / quarter;
  const Whole rest = angle - rotations * quarter;
  // Each of t cut frequencies and of `rotations` quarter turns is off by its own error; the series adds one
  // cut a term.
  const Whole error = Whole(std::abs(t)) + rotations * half_turn.error + 1024;

  Whole sine = 0, cosine = 0, term = one;
  for (unsigned n = 0; term != 0; ++n) {
    Whole& sum = n % 2 == 0 ? cosine : sine;
    if (n % 4 < 2)
      sum = sum + term;
    else
      sum = sum - term;
    term = term * rest / one / (n + 1);  // towards zero, so that it ends
  }
  const auto quadrant = (rotations % 4).as_integer();
  if (quadrant % 2 == 1) {
    std::swap(sine, cosine);
    cosine = -cosine;
  }
  if (quadrant >= 2) {
    sine = -sine;
    cosine = -cosine;
  }
  if (t < 0) sine = -sine;
  return {{sine, error}, {cosine, error}};
}

// The positions up to `hi` whose angle comes closer to a multiple of pi/2 than that of any smaller position:
// denominators of the continued fraction of frequency / (pi/2), by Euclid's algorithm.
inline std::vector<std::int64_t> closest_to_quarter_turns(const AlgebraicPower& frequency, std::int64_t hi) {
  Whole above = frequency.cut, below = pi().value / 2;
  std::vector<std::int64_t> found;
  Whole before = 0, now = 1;
  above = above % below;
  while (now <= hi && above != 0) {
    found.push_back(now.as_integer());
    const Whole quotient = below / above;
    const Whole next = quotient * now + before;
    below = below % above;
    std::swap(above, below);
    before = now;
    now = next;
  }
  return found;
}

}  // namespace posproof::by_integers
