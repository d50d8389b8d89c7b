#pragma once

#include <vector>

#include "core/encoding.h"
#include "core/precision.h"
#include "identify/identified.h"

namespace posproof {

// A quarter of the pairs for time, and the rest for height and width, as nearly as these are alike; and
// channels of such pairs, of so many channels.
std::vector<double> pairs_of_three_axes(double pairs);
std::vector<double> parts_of_three_axes(double dim);

// Settings of `m_rope`, `axial_rope` and `mixed_rope` that a live rotation by several numbers of a position
// may have: how many pairs each number rotates, their layout, the base of one ladder over all pairs or of
// that of one number, what positions are divided by, and where every number rotates every pair its
// frequencies; each measured along one number with the others at their first position.
std::vector<Candidate> axes_candidates(const Rotary& subject, const Precision& precision);

// Those of `axial_rope` whose numbers may have an offset, once more with rows and columns counted from 1.
std::vector<Candidate> counted_from_1(const std::vector<Candidate>& candidates);

}  // namespace posproof
