#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/case.h"
#include "diagnosis/identified_number.h"

// From measured frequencies to the numbers that a model was configured with.
namespace posproof {

// Of the pairs that rotate, in the order of their channels.
struct MeasuredLadder {
  std::vector<double> frequencies;  // radians per position, positive
  std::vector<double> errors;       // of each, relative: of measuring, and of the subject's own roundings
  double amplitude = 1, amplitude_error = 0;  // the error is relative
};

// The bases under which most frequencies are base^(-exponents[i]), the simplest number of each interval in
// which they may lie; at most one that counts frequencies as they are, and one that counts them relative to
// the first.
std::vector<double> bases(const MeasuredLadder& ladder, std::span<const double> exponents);

// Settings of `rope` (base, scaling and its numbers, attention factor) that make these frequencies of the
// powers base^(-2i/over), where one or two pairs may be off. The numbers are the simplest that rounding
// allows; several lengths that give the same whole ramp are all among them.
std::vector<Parameters> scaled_ladders(const MeasuredLadder& ladder, std::size_t over);

}  // namespace posproof
