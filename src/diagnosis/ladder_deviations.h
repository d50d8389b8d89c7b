#pragma once

#include <string>
#include <vector>

#include "core/case.h"

namespace posproof {

// The frequency of a pair as declared and as measured, radians per position.
struct MeasuredFrequency {
  double declared, measured;
  double error;    // by how much the measured one may be off
  double allowed;  // by how much rounding may put a right one off in the subject's precision

  bool differs() const;
  bool is_at(double frequency) const;  // rounding is as large as of that, where it is a larger one
  double ratio_error() const;          // relative, of the ratio of the measured to the declared one
};

// At whole positions a frequency is one up to whole turns.
double turned_apart(double a, double b);

// Where each axis of a grid has a base of its own, `bases`, with that of this axis as `base`.
Parameters with_base_of_axis(Parameters parameters, std::size_t axis);

// What differs, in sentences: another base, another step of the exponent, a factor, a run of pairs, a ramp
// between two ladders, a format. Empty where nothing does. The parameters are those of the encoding: base
// and scaling; `divisor` is what 2i is divided by in the exponent.
std::vector<std::string> ladder_deviations(const std::vector<MeasuredFrequency>& pairs,
                                           const Parameters& parameters, double divisor);

}  // namespace posproof
