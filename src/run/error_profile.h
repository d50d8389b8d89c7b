#pragma once

#include <vector>

#include "core/encoding.h"

namespace posproof {

// A range of positions, and the largest error there.
struct PositionRange {
  Position first, last;  // both included; where positions below 0 are asked, -last .. -first belong to it too
  double error = 0;  // the largest |entry - exact|, or a bound of it where every entry is correctly rounded
  double bound = 0;  // what rounding allows in that column at the beginning of its block, 64 rows at most
  double ulp = 0;    // the largest error in units in the last place, among entries not correctly rounded
};

// Error against position, 16 ranges an octave; below 16 every position is one.
class ErrorProfile {
 public:
  // Where the range of this position begins, and where the next one does; t >= 0.
  static Position begin(Position t);
  static Position end(Position t);

  // What was found in rows that begin at this position.
  void add(Position t, double error, double bound, double ulp);

  const std::vector<PositionRange>& ranges() const { return ranges_; }  // in order of position

 private:
  std::vector<PositionRange> ranges_;
};

// The same with one range an octave (0, 1, 2-3, 4-7, ...).
std::vector<PositionRange> by_octave(const std::vector<PositionRange>& ranges);

}  // namespace posproof
