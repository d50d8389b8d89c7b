#pragma once

#include <cstdint>
#include <vector>

namespace posproof {

// What of a subject's answers is not what an encoding gives, case by case.
struct Unexplained {
  std::uint64_t entries = 0;   // that differ
  std::vector<bool> differs;   // by case
  std::vector<bool> declined;  // by case: nothing to compare
};

// Whether a candidate that leaves `left` of what was `wrong` unexplained is the explanation. A wrong one is
// worse than none: the first case, which refuted the subject, must be explained, five of those that were
// wrong must be answered, and nothing may contradict it, except that a defect that rounds an angle may fall
// to the other side of a tie: the subject's own angle is off by power_error, and where a tie is nearer than
// that they differ by a whole unit of the coarse format. Ties are two half units apart, so that happens to at
// most 2 power_error / (2 unit) of the entries: for f32 under f16, where it is worst, with 64 pairs and ln w
// = 10, (4 + 30 + 128) 2^-24 / 2^-11 = 2 %, and under bf16 0.25 %.
bool explains(const Unexplained& left, const Unexplained& wrong);

// Entries that an explanation of this may leave: none that leaves more need be compared to the end.
std::uint64_t most_left(const Unexplained& wrong);

}  // namespace posproof
