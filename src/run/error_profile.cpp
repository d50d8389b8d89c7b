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

void grow(Stretch& stretch, double error, double allowed, double ulp) {
  if (error > stretch.error) {
    stretch.error = error;
    stretch.allowed = allowed;
  }
  stretch.ulp = std::max(stretch.ulp, ulp);
}

}  // namespace

Position Curve::begin(Position t) {
  return t / width(t) * width(t);
}

Position Curve::end(Position t) {
  return begin(t) + width(t);
}

void Curve::add(Position t, double error, double allowed, double ulp) {
  const Position distance = std::abs(t);
  auto at = std::partition_point(stretches_.begin(), stretches_.end(),
                                 [&](const Stretch& s) { return s.last < distance; });
  if (at == stretches_.end() || at->first > distance)
    at = stretches_.insert(at, {begin(distance), end(distance) - 1});
  grow(*at, error, allowed, ulp);
}

std::vector<Stretch> by_octave(const std::vector<Stretch>& stretches) {
  std::vector<Stretch> out;
  for (const Stretch& stretch : stretches) {
    const Position first = stretch.first == 0 ? 0 : octave(stretch.first);
    if (out.empty() || out.back().first != first) out.push_back({first, first == 0 ? 0 : 2 * first - 1});
    grow(out.back(), stretch.error, stretch.allowed, stretch.ulp);
  }
  return out;
}

}  // namespace posproof
