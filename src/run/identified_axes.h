#pragma once

#include <vector>

#include "core/encoding.h"
#include "core/precision.h"
#include "run/identified.h"

namespace posproof {

// Settings of `m_rope` and `axial_rope` that a live rotation by several numbers of a position may have: how
// many pairs each number rotates, their layout, and the base of one ladder over all pairs, each measured
// along one number with the others at their first position.
std::vector<Candidate> axes_candidates(const Rotary& subject, const Precision& precision);

}  // namespace posproof
