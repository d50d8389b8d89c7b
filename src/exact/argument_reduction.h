#pragma once

#include <vector>

#include "core/encoding.h"

namespace posproof::exact {

class Ladder;
class Multiprecision;

// A position whose angle t w_i is close to so many quarter turns, where a sine or a cosine all but vanishes
// and shows the angle's error undiluted.
struct QuarterTurns {
  Position t;
  std::size_t frequency;
  std::int64_t quarters;  // |t w_i| / (pi/2), to the nearest whole number; never 0
  double distance;        // | |t w_i| - quarters pi/2 |, radians
};

// What is known of this position, by MPFR with so many bits.
QuarterTurns quarter_turns(const Multiprecision& multiprecision, std::size_t frequency, Position t,
                           long bits = 512);

// For each frequency that comes round a quarter at all, the position from 1 to limit - 1 that is closest to a
// multiple of pi/2 but 0: a denominator of the continued fraction of w / (pi/2), in 512 bits. Of all these
// the `count` closest, closest first. The limit is at most 2^40.
std::vector<QuarterTurns> closest_to_quarter_turns(const Ladder& ladder, Position limit, std::size_t count);

}  // namespace posproof::exact
