#pragma once

#include <span>

#include "exact/real.h"

namespace posproof::exact {

// What an angle is counted in.
enum class AngleUnit { radians, turns, half_turns };

// As many bits as the numbers of a wave are to have. A product of two doubles has 106, so a sum of a few over
// several axes is exact unless one is 10^45 times another.
constexpr mpfr_prec_t wave_bits = 256;

// amplitude * sin(a) and amplitude * cos(a) of the angle a = sum of frequencies[k] x[k] over the axes, and a
// phase in turns. Of turns and half turns the position is reduced before pi comes in (mpfr_sinu), so that
// quarter turns are exact. Each is rounded once: it is the double nearest to the exact number, but for a
// doubt of 2^-100. Throws Refusal where an angle is 2^100 or more.
struct WavePoint {
  double sine, cosine;
};
WavePoint wave(std::span<const Real> frequencies, AngleUnit unit, std::span<const double> x, double phase,
               const Real& amplitude);

// Such numbers from doubles, exactly.
Real wave_number(double value);
// sqrt(numerator / denominator).
Real root_of(unsigned long numerator, unsigned long denominator);

}  // namespace posproof::exact
