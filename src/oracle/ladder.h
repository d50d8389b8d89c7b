#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/encoding.h"

namespace posproof::oracle {

// The frequency base^(-numerator/denominator).
struct Exponent {
  std::int64_t numerator;
  std::int64_t denominator;
};

// Frequencies, held to 256 bits, and what their angles do. How good the answers are stands in ladder.cpp.
class Ladder {
 public:
  Ladder(double base, std::span<const Exponent> exponents);

  std::size_t size() const { return frequencies_.size(); }
  double frequency(std::size_t i) const { return frequencies_[i]; }  // rounded once

  // amplitude * sin(t w_i) and amplitude * cos(t w_i), each rounded once.
  struct Point {
    double sine, cosine;
  };
  std::vector<Point> points(Position t, double amplitude) const;

  // (x, y) turned by t w_i counter-clockwise, each coordinate rounded once. One angle serves many points:
  // `xy[i]` are the points to be turned by the angle of frequency i, in place.
  struct Coordinates {
    double *x, *y;
  };
  void turn(Position t, std::span<const std::vector<Coordinates>> xy) const;

 private:
  struct Exact;
  std::shared_ptr<const Exact> exact_;
  std::vector<double> frequencies_;
};

}  // namespace posproof::oracle
