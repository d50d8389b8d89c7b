#pragma once

#include <cmath>
#include <numbers>

namespace posproof {

struct OnTheCircle {
  long double sine, cosine;
};

// Sine and cosine of so many turns. Whole turns are taken off first, which is exact, and so are quarters: a
// sine of half a turn is 0 and not what pi is off by.
inline OnTheCircle of_turns(long double turns) {
  const long double within = std::remainder(turns, 1.0L), quarters = std::nearbyint(4 * within);
  const long double rest = 2 * std::numbers::pi_v<long double> * (within - quarters / 4);
  const long double s = std::sin(rest), c = std::cos(rest);
  if (quarters == 0) return {s, c};
  if (quarters == 1) return {c, -s};
  if (quarters == -1) return {-c, s};
  return {-s, -c};
}

}  // namespace posproof
