#include "oracle/ladder.h"

namespace posproof::oracle {

Ladder::Ladder(Frequencies frequencies, Amplitude amplitude)
    : slow_(std::move(frequencies), std::move(amplitude)) {
  for (const Real& w : slow_.with(256).frequencies) frequencies_.push_back(w.nearest());
}

std::vector<Ladder::Point> Ladder::points(Position t) const {
  std::vector<Point> points;
  points.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) points.push_back(slow_.point(i, t, Format::f64));
  return points;
}

void Ladder::turn(Position t, std::span<const std::vector<Coordinates>> xy) const {
  for (std::size_t i = 0; i < size(); ++i)
    for (const Coordinates& point : xy[i]) {
      const auto [x, y] = slow_.turned(i, t, *point.x, *point.y, Format::f64);
      *point.x = x;
      *point.y = y;
    }
}

}  // namespace posproof::oracle
