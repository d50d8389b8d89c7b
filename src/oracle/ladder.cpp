#include "oracle/ladder.h"

#include <fmt/format.h>

#include <boost/multiprecision/mpfr.hpp>

// Why one rounding to double is the right double. Write u = 2^-256; every operation of MPFR is correctly
// rounded.
//   - A frequency is one logarithm, one quotient, one product, one exponential: relative error at most
//     (1 + 3 |ln w|) u, and |ln w| < 710 for every double base and exponents up to 1, so below 2^-244.
//   - The angle adds one rounding. Below 2^41 radians (positions to 2^40, frequencies to 2) it is off by less
//   than
//     2^-202. Angles of 2^100 radians and more are refused rather than answered badly.
//   - MPFR reduces the angle with as much of pi as that takes. A sine or cosine of size s is then off by
//     2^-202 + s u, relative 2^-202 / s. How small can s be? Among N angles the closest to a multiple of pi/2
//     is about 1/N away: 2^-47 for the 2^40 positions of 64 frequencies. Even a base that is made for the
//     purpose has 53 bits to do it with: 2^-100. The relative error stays below 2^-100.
//   - Such a value rounds to the wrong double only where the exact one is within 2^-100 of itself from a
//   midpoint of
//     two doubles: 2^-47 likely a value, and wrong by 2^-100 of itself more than the right one. So the answer
//     is always within (1 + 2^-46) half units in the last place, and in practice the nearest double.
//   - Turning multiplies these with x and y, which are exact, and subtracts: with cancellation to 2^-c of
//   |(x, y)| the
//     relative error is 2^(c - 200), and c is at most about 150 by the same count (53 bits each of x, y, and
//     47).
namespace posproof::oracle {
namespace {

// Fixed precision: nothing depends on a default that another part of the program may have set. 77 decimal
// digits are 256 bits and a few.
using Real = boost::multiprecision::number<
    boost::multiprecision::mpfr_float_backend<77, boost::multiprecision::allocate_stack>,
    boost::multiprecision::et_off>;

struct Turn {
  Real sine, cosine;
};

Turn turn_of(const Real& frequency, Position t) {
  const Real angle = frequency * t;
  if (abs(angle) >= ldexp(Real(1), 100))
    throw Refusal(fmt::format("position {}: an angle of 2^100 radians or more is not reduced", t));
  Turn turn;
  mpfr_sin_cos(turn.sine.backend().data(), turn.cosine.backend().data(), angle.backend().data(), MPFR_RNDN);
  return turn;
}

}  // namespace

struct Ladder::Exact {
  std::vector<Real> frequencies;
};

Ladder::Ladder(double base, std::span<const Exponent> exponents) {
  const auto exact = std::make_shared<Exact>();
  const Real log_base = log(Real(base));
  for (const Exponent& exponent : exponents) {
    exact->frequencies.push_back(exp(-(log_base * exponent.numerator / exponent.denominator)));
    frequencies_.push_back(exact->frequencies.back().convert_to<double>());
  }
  exact_ = exact;
}

std::vector<Ladder::Point> Ladder::points(Position t, double amplitude) const {
  std::vector<Point> points;
  points.reserve(size());
  for (const Real& frequency : exact_->frequencies) {
    const Turn turn = turn_of(frequency, t);
    points.push_back({Real(turn.sine * amplitude).convert_to<double>(),
                      Real(turn.cosine * amplitude).convert_to<double>()});
  }
  return points;
}

void Ladder::turn(Position t, std::span<const std::vector<Coordinates>> xy) const {
  for (std::size_t i = 0; i < size(); ++i) {
    const Turn turn = turn_of(exact_->frequencies[i], t);
    for (const Coordinates& point : xy[i]) {
      const Real x = *point.x, y = *point.y;
      *point.x = Real(x * turn.cosine - y * turn.sine).convert_to<double>();
      *point.y = Real(x * turn.sine + y * turn.cosine).convert_to<double>();
    }
  }
}

}  // namespace posproof::oracle
