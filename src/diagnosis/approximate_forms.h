#pragma once

#include <vector>

#include "diagnosis/rotation_forms.h"

namespace posproof {

// The declared rotation whose cosines and sines are approximated, in the ways that kernels have them: a
// polynomial of few terms after a reduction to one turn, or a table of so many angles; and of angles in
// steps.
std::vector<RotationForm> approximate_forms(const Rotary& truth);

// Angles that are reduced with few digits of pi. With more of them a frequency that is too high by as much
// comes near to it.
std::vector<RotationForm> reduced_angles(const Rotary& truth);

// Of more digits, and that frequency. In the first turn of the fastest pair nothing is reduced yet.
struct ReducedAngles {
  RotationForm reduced;
  Rotary faster;
};
std::vector<ReducedAngles> finely_reduced_angles(const Rotary& truth);

// Angles that wrap, or are held, where the fastest pair's are first wrong.
std::vector<RotationForm> limited_angles(const Rotary& truth, Position first_wrong);

}  // namespace posproof
