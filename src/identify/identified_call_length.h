#pragma once

#include <vector>

#include "core/encoding.h"
#include "core/precision.h"
#include "identify/identified.h"

namespace posproof {

// Settings of `rope` that a live rotation may have whose frequencies depend on the length of the call:
// dynamic_ntk, or longrope with two lists. None where the longest call has those of a short one; `like` is
// one of its width.
std::vector<Candidate> call_length_candidates(const Rotary& subject, const Rotary& like,
                                              const Precision& precision);

}  // namespace posproof
