#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <vector>

#include "core/error.h"
#include "core/precision.h"

namespace posproof {

// A frequency b^(-n/d), radians per position.
struct Wave {
  double base;
  std::size_t numerator, denominator;
  double radians = std::pow(base, -static_cast<double>(numerator) / static_cast<double>(denominator));
};

// A number as an implementation may have it, beside the exact one: running error analysis (Higham 2002,
// Accuracy and Stability of Numerical Algorithms, section 3.3).
struct Rounded {
  double value = 0;
  double size = 0;   // the same with every term counted by its absolute value: no partial sum is larger, in
                     // whatever order terms are summed and products multiplied out
  double error = 0;  // |what an implementation has - exact| is at most this, to first order
};

// The arithmetic of an implementation of that precision, for formulas that are written once, for this and for
// exact numbers (exact::InFull): the bound of a formula is the formula itself in these numbers.
//   - Sums of products run in the work's format: n roundings for n products. What a matrix product, a sum or
//     a function gives is stored in the result's: 1 more.
//   - Functions of a library are within 2 ulp (4 units) in the work's format.
//   - A trained number is stored in the result's format: 1.
class InPrecision {
 public:
  using Number = Rounded;
  explicit InPrecision(const Precision& precision) : p(precision) {}

  Rounded given(double x) const { return {x, std::abs(x), 0}; }
  Rounded trained(double x) const { return {x, std::abs(x), p.result * std::abs(x)}; }

  Rounded sum(const Rounded& a, const Rounded& b) const {
    return {a.value + b.value, a.size + b.size, a.error + b.error + p.result * (a.size + b.size)};
  }
  Rounded minus(const Rounded& a) const { return {-a.value, a.size, a.error}; }
  Rounded product(const Rounded& a, const Rounded& b) const {
    return {a.value * b.value, a.size * b.size, of_product(a, b) + p.result * a.size * b.size};
  }
  Rounded dot(std::span<const Rounded> a, std::span<const Rounded> b) const {
    Rounded out;
    for (std::size_t c = 0; c < a.size(); ++c) {
      out.value += a[c].value * b[c].value;
      out.size += a[c].size * b[c].size;
      out.error += of_product(a[c], b[c]);
    }
    out.error += (static_cast<double>(a.size()) * p.work() + p.result) * out.size;
    return out;
  }
  Rounded weighted(std::span<const double> weights, std::span<const Rounded> x) const {
    std::vector<Rounded> kept;
    for (std::size_t c = 0; c < x.size(); ++c) kept.push_back(trained(weights[c]));
    return dot(kept, x);
  }
  // The next partial sum, which the work's format holds; `stored` is what the result's makes of it.
  Rounded next(const Rounded& sum, const Rounded& x) const {
    const double size = sum.size + x.size;
    return {sum.value + x.value, size, sum.error + x.error + p.work() * size};
  }
  // The same number by two ways: an implementation may take either.
  Rounded either(const Rounded& x, const Rounded& y) const {
    return {x.value, std::max(x.size, y.size), std::max(x.error, y.error)};
  }
  Rounded stored(const Rounded& x) const { return {x.value, x.size, x.error + p.result * x.size}; }
  // Of products that may be multiplied out into two terms each: 2 n roundings.
  Rounded total(std::span<const Rounded> terms) const {
    Rounded out;
    for (const Rounded& term : terms) out.value += term.value, out.size += term.size, out.error += term.error;
    out.error += 2 * static_cast<double>(terms.size()) * p.work() * out.size;
    return stored(out);
  }
  // x / sqrt(n): the root, its reciprocal and the product are 3 roundings.
  Rounded over_root(const Rounded& x, std::size_t n) const {
    const double root = std::sqrt(static_cast<double>(n));
    return {x.value / root, x.size / root, (x.error + 3 * p.result * x.size) / root};
  }

  // ln(1 + e^x), of slope at most 1. 4 units of e^x, which count 1 - e^-y times; 4 of the logarithm y; where
  // 1 + e^x is formed 1, absolutely, and 1 more for ln(1 / (1 + e^x)). A maximum that is taken out,
  // max(x, 0) + ln(1 + e^-|x|), costs less.
  Rounded softplus(const Rounded& x) const {
    const double y = std::max(x.value, 0.0) + std::log1p(std::exp(-std::abs(x.value)));
    return {y, y, x.error + p.work() * (4 * -std::expm1(-y) + 4 * y + 2) + p.result * y};
  }
  Rounded log_sigmoid(const Rounded& x) const { return minus(softplus(minus(x))); }
  // 1 / (1 + e^-x), of slope at most 1/4: 4 units of the exponential, 1 of the sum, 1 of the quotient.
  Rounded sigmoid(const Rounded& x) const {
    const double y = 1 / (1 + std::exp(-x.value));
    return {y, y, x.error / 4 + (6 * p.work() + p.result) * y};
  }
  // x / (1 + e^-x), of slope below 1.1: 4 units of the exponential, 1 of the sum, 1 of the quotient or of a
  // product with the sigmoid, which some store.
  Rounded silu(const Rounded& x) const {
    const double y = x.value / (1 + std::exp(-x.value));
    return {y, std::abs(y), 1.1 * x.error + (6 * p.work() + 2 * p.result) * std::abs(y)};
  }
  Rounded rectified(const Rounded& x) const {
    const double y = std::max(x.value, 0.0);
    return {y, y, x.error};
  }
  // A whole number from 0 on, which the work's format may not hold.
  Rounded whole(double n) const { return {n, n, n * p.work() > 1 ? p.work() * n : 0}; }
  // ln(1 + n): 4 units of the logarithm and, where 1 + n is formed, 1, absolutely.
  Rounded log_of_1_and(double n) const {
    const double y = std::log1p(n);
    return n == 0 ? Rounded{}
                  : Rounded{y, y, whole(n).error / (1 + n) + p.work() * (4 * y + 1) + p.result * y};
  }
  // x where it is above 0, else the slope times x: no further off than x, but for the product.
  Rounded leaky(const Rounded& x, double slope) const {
    const double y = x.value > 0 ? x.value : slope * x.value;
    return {y, std::abs(y), x.error + 2 * p.result * std::abs(y)};
  }

  // The frequency itself.
  Rounded power(const Wave& wave) const {
    const double w = wave.radians;
    return {w, w, power_error(p, w, wave.numerator) * w};
  }
  Rounded sine(double t, const Wave& wave) const {
    return {std::sin(t * wave.radians), 1, sine_error(p, t, pair(wave))};
  }
  Rounded cosine(double t, const Wave& wave) const {
    return {std::cos(t * wave.radians), 1, sine_error(p, t, pair(wave))};
  }
  // t w + phase.
  Rounded angle_at(double t, const Wave& wave, double phase) const {
    const double size = std::abs(t) * wave.radians + std::abs(phase);
    const double of_phase = phase == 0 ? 0 : p.angle * size + p.result * std::abs(phase);
    return {t * wave.radians + phase, size, angle_error(p, t, pair(wave)) + of_phase};
  }
  // The cosine and the sine of a - b: of a difference that was formed, or as sums of two products of sines
  // and cosines of both. An error of an angle moves them by no more than that; what sines and cosines are off
  // by beside it counts |cos| + |sin| times, sqrt 2 at the most.
  using Angle = Rounded;
  Angle angle(const Rounded& x) const { return x; }
  struct Turn {
    Rounded cosine, sine;
  };
  Turn turn(const Angle& a, const Angle& b) const {
    const double angle = a.value - b.value;
    const double off =
        std::min(2.0, a.error + b.error + p.angle * (a.size + b.size) + 2 * std::numbers::sqrt2 * beside());
    return {{std::cos(angle), 1, off}, {std::sin(angle), 1, off}};
  }
  // Between the entries at floor(x) and the one after, x cut off at the last: off by the steepest of the
  // slopes that x may be on. A difference, two products and a sum are 3 roundings.
  Rounded interpolated(const Rounded& x, std::span<const Rounded> entries) const {
    const auto last = static_cast<double>(entries.size() - 1);
    const auto at = [&](double y) { return entries[static_cast<std::size_t>(std::clamp(y, 0.0, last))]; };
    const double y = std::min(x.value, last), below = std::floor(y), share = y - below;
    const Rounded a = at(below), b = at(below + 1);
    double slope = 0, off = std::max(a.error, b.error);
    for (double n = std::max(0.0, std::floor(y - x.error)); n < std::min(last, y + x.error); ++n) {
      slope = std::max(slope, std::abs(at(n + 1).value - at(n).value));
      off = std::max({off, at(n).error, at(n + 1).error});
    }
    const double size = a.size + b.size;
    return {a.value + share * (b.value - a.value), size, off + slope * x.error + 3 * p.result * size};
  }

  const Precision p;

 private:
  static double of_product(const Rounded& a, const Rounded& b) {
    return a.size * b.error + a.error * b.size + a.error * b.error;
  }
  static Pair pair(const Wave& wave) {
    return {.first = 0, .second = 1, .frequency = wave.radians, .index = wave.numerator};
  }
  // Of a sine or cosine: 4 units of the library's format, 1 of a table that is narrower.
  double beside() const { return 4 * std::min(p.angle, p.table()) + (p.table() > p.angle ? p.table() : 0); }
};

}  // namespace posproof
