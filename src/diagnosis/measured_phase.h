#pragma once

#include <complex>
#include <optional>
#include <span>
#include <vector>

#include "core/encoding.h"
#include "core/function.h"

namespace posproof {

// A number that rotates with the position t: amplitude e^(i (frequency t + phase)).
struct Rotating {
  double amplitude, frequency, phase;
  double error;  // radians per position: how far rounding may have put the frequency

  std::complex<double> at(double t) const { return std::polar(amplitude, frequency * t + phase); }
};

// Radians by which rounding may put a number that rotates that fast, at that position.
using PhaseNoise = Function<double(double t, double frequency)>;

// From its values at whole positions in sequence: the phase is unwrapped over steps that double. None where
// the values are not those of such a number, or are fewer than 4. A frequency is known up to whole
// turns: it is the one between -pi and pi.
std::optional<Rotating> rotating(std::span<const std::complex<double>> values, Position first,
                                 const PhaseNoise& noise);

// One more value, farther away: the frequency is known better by as much. False, and nothing is changed,
// where the value is not that of the number.
bool follow(Rotating& number, Position t, std::complex<double> value, const PhaseNoise& noise);

}  // namespace posproof
