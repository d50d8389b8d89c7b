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

// Adds the positions beside which a switch of length lies: what a length L0 decides changes between calls of
// L0 tokens and of L0 + 1, or where the next L0 positions begin. Around each of its first `multiples` they
// are k L0 - 2, k L0 - 1 and k L0, rounded down, where the domain has them. Sorts all of them.
void add_switches(Domain& domain, double length, int multiples = 1);

}  // namespace posproof
