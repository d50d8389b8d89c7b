#include "run/error_profile.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace posproof {
namespace {

// The power of two at or below t > 0.
Position octave(Position t) {
  Position power = 1;
  while (power <= t / 2) power *= 2;
  return power;
}

Position width(Position t) {
  return t < 16 ? 1 : octave(t) / 16;
}

void grow(PositionRange& range, double error, double bound, double ulp) {
  if (error > range.error) {
    range.error = error;
    range.bound = bound;
  }
  range.ulp = std::max(range.ulp, ulp);
}

}  // namespace

Position ErrorProfile::begin(Position t) {
  return t / width(t) * width(t);
}

Position ErrorProfile::end(Position t) {
  return begin(t) + width(t);
}

void ErrorProfile::add(Position t, double error, double bound, double ulp) {
  const Position distance = std::abs(t);
  auto at = std::partition_point(ranges_.begin(), ranges_.end(),
                                 [&](const PositionRange& s) { return s.last < distance; });
  if (at == ranges_.end() || at->first > distance)
    at = ranges_.insert(at, {begin(distance), end(distance) - 1});
  grow(*at, error, bound, ulp);
}

std::vector<PositionRange> by_octave(const std::vector<PositionRange>& ranges) {
  std::vector<PositionRange> out;
  for (const PositionRange& range : ranges) {
    const Position first = range.first == 0 ? 0 : octave(range.first);
    if (out.empty() || out.back().first != first) out.push_back({first, first == 0 ? 0 : 2 * first - 1});
    grow(out.back(), range.error, range.bound, range.ulp);
  }
  return out;
}

}  // namespace posproof
