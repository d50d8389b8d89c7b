#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "core/encoding.h"

// The geometric ladder of frequencies, in long double: x87 has the same pow, sin and cos on every machine,
// while those of glibc in double differ in the last bit from one machine to the next. Values are rounded
// once, at the end.
namespace posproof::ladder {

// w = base^(-numerator/denominator), radians per position.
inline long double frequency(double base, std::size_t numerator, std::size_t denominator) {
  return std::pow(static_cast<long double>(base),
                  -static_cast<long double>(numerator) / static_cast<long double>(denominator));
}

// The positions up to `hi` at which t w is nearest to a whole number of quarter turns, where a wrong range
// reduction shows: the denominators of the convergents of w / (pi/2). Then the ends of the integers that
// bf16, fp16 and fp32 hold.
inline std::vector<Position> hard_positions(const std::vector<long double>& frequencies, Position hi) {
  std::vector<Position> hard;
  for (const Position edge : {Position{1} << 8, Position{1} << 11, Position{1} << 24})
    for (const Position t : {edge - 1, edge, edge + 1})
      if (t <= hi) hard.push_back(t);
  for (const long double w : frequencies) {
    long double x = std::abs(w) / (std::numbers::pi_v<long double> / 2), last = 0, t = 1;
    // Beyond 24 terms the 64 bits of x are used up; a remainder of 0 has no further convergent.
    for (int term = 0; term < 24 && t <= static_cast<long double>(hi); ++term) {
      if (t > 1 && t * t > static_cast<long double>(hi)) hard.push_back(static_cast<Position>(t));
      const long double rest = x - std::floor(x);
      if (rest < 1e-15L) break;
      x = 1 / rest;
      const long double next = std::floor(x) * t + last;
      last = t;
      t = next;
    }
  }
  return hard;
}

}  // namespace posproof::ladder
