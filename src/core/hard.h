#pragma once

#include <span>
#include <vector>

#include "core/encoding.h"

namespace posproof {

// Positions from lo to hi where errors gather, sorted, each once, a few hundred at most: both ends, 0 and 1,
// every 2^k and its neighbours (formats end there: 2^8, 2^11, 2^16, 2^24), and, for a spread of the pairs,
// the positions whose angle comes closest to a multiple of pi/2, where a sine or a cosine vanishes and shows
// the angle's error undiluted.
std::vector<Position> hard_positions(std::span<const Pair> pairs, Position lo, Position hi);

// The distances up to hi where a bucketed bias moves on to the next bucket, with their neighbours, and those
// of `hard_positions` without pairs.
std::vector<Position> hard_positions(const Buckets& buckets, Position hi);

}  // namespace posproof
