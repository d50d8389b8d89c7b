#pragma once

#include <span>
#include <vector>

#include "core/encoding.h"
#include "core/formats.h"
#include "core/function.h"

namespace posproof::exact {

class Ladder;
class Multiprecision;

// An entry amplitude * sin(t w_i), or the cosine.
struct LadderEntry {
  Position t;
  std::size_t frequency;
  bool cosine;
  auto operator<=>(const LadderEntry&) const = default;
};

// How far the exact entry is from the nearest rounding boundary of the format, the middle of two neighbours,
// in units in the last place (the distance of neighbours at the entry's magnitude): 0 to 0.5. By MPFR with so
// many bits; 512 leave more than 400 for entries below 2^40, of which none is known to need more than 100.
double to_boundary(const Multiprecision& multiprecision, const LadderEntry& entry, Format format,
                   long bits = 512);

struct Close {
  LadderEntry entry;
  double distance;  // to_boundary
};

// Of one format: for each limit, the entries of positions 1 to limit - 1 that are nearest to a boundary,
// nearest first.
struct Closest {
  Format format;
  std::vector<std::vector<Close>> of_limit;
};

// How many digits the worst case takes: of the nine ladders in cases/, some 1e10 different entries below
// 2^24, an f64 entry is 2^-37.2 ulp from its boundary (base 5e5), an f32 one 2^-37.0, a bf16 one 2^-34.1, an
// f16 one 2^-36.1. Of distances spread evenly over 0 to half an ulp the least is 1 / (2 * entries) = 2^-34.2,
// in the mean. So 91 bits tell on which side of its boundary any of them lies: fewer than the 256 that MPFR
// is first asked for (multiprecision.h), and than the 95 of a double-double that is not small (bounds.h,
// (2)).

// Looks at every entry of every position below the last of the `limits` (rising; at most 2^40), in
// double-double: none is left out whose distance, give or take the bound of the error (bounds.h), could be
// among the `count` smallest. Those that are left are measured by MPFR. Throws std::invalid_argument for a
// ladder that has no fast path, and std::runtime_error where a limit has fewer than `count` candidates: the
// net is knotted for 32 * count in the mean.
std::vector<Closest> hardest_to_round(const Ladder& ladder, std::span<const Position> limits,
                                      std::size_t count, unsigned threads,
                                      const Function<void(Position done)>& progress = {});

}  // namespace posproof::exact
