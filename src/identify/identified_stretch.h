#pragma once

#include <vector>

#include "core/encoding.h"
#include "core/precision.h"
#include "identify/identified.h"

namespace posproof {

// Settings of `xpos` that a live rotation may have: the base, by the angle of one step, and centre,
// scale_base and gamma, by how the size of what it rotates falls with the position. None of a rotation that
// keeps sizes.
std::vector<Candidate> stretched_candidates(const Rotary& subject, const Precision& precision);

}  // namespace posproof
