#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/encoding.h"
#include "oracle/frequencies.h"
#include "oracle/slow.h"

namespace posproof::oracle {

// Frequencies and what their angles do. Every answer is the exact real number correctly rounded.
class Ladder {
 public:
  explicit Ladder(Frequencies frequencies, Amplitude amplitude = 1.0);

  std::size_t size() const { return frequencies_.size(); }
  double frequency(std::size_t i) const { return frequencies_[i]; }  // rounded once
  const Slow& slow() const { return slow_; }

  // amplitude * sin(t w_i) and amplitude * cos(t w_i), each rounded once.
  using Point = Slow::Point;
  std::vector<Point> points(Position t) const;

  // (x, y) turned by t w_i counter-clockwise, each coordinate rounded once. One angle serves many points:
  // `xy[i]` are the points to be turned by the angle of frequency i, in place.
  struct Coordinates {
    double *x, *y;
  };
  void turn(Position t, std::span<const std::vector<Coordinates>> xy) const;

 private:
  Slow slow_;
  std::vector<double> frequencies_;
};

}  // namespace posproof::oracle
