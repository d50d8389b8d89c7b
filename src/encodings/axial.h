#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/encoding.h"
#include "core/hard.h"
#include "core/rotation.h"

// What the rotary encodings of a token with several numbers share: each pair is rotated by one of them.
namespace posproof::axial {

struct Ladder {
  std::size_t dim, heads, axes;
  std::vector<Pair> pairs = {};
  std::vector<long double> w = {};     // one per pair, radians per position on its axis
  std::vector<long double> zero = {};  // where on that axis its angle is 0

  void add(Pair pair, long double frequency, long double at = 0) {
    pair.frequency = static_cast<double>(frequency);
    pairs.push_back(pair);
    w.push_back(frequency);
    zero.push_back(at);
  }
};

inline Tensor rotate(const Ladder& of, const Tensor& x, const Positions& positions) {
  check_rotation(x, positions, of.heads, of.dim, of.axes);
  const std::size_t n = x.shape[2];
  Tensor out = x;
  for (std::size_t token = 0; token < positions.size(); ++token)
    for (std::size_t i = 0; i < of.pairs.size(); ++i) {
      const auto& [first, second, frequency, index, error, axis] = of.pairs[i];
      const long double angle = (static_cast<long double>(positions.at(token, axis)) - of.zero[i]) * of.w[i];
      const long double c = std::cos(angle), s = std::sin(angle);
      for (std::size_t head = 0; head < of.heads; ++head) {
        const std::size_t row = (token / n * of.heads + head) * n + token % n;
        out.at(row, first) = static_cast<double>(x.at(row, first) * c - x.at(row, second) * s);
        out.at(row, second) = static_cast<double>(x.at(row, first) * s + x.at(row, second) * c);
      }
    }
  return out;
}

// Its positions end with the grid, where there is one: how many numbers each axis has.
inline Rotary rotary(const Ladder& ladder, const std::vector<double>& grid = {}) {
  Rotary out{.dim = ladder.dim, .heads = ladder.heads, .pairs = ladder.pairs};
  out.positions.axes = ladder.axes;
  for (const double extent : grid) out.positions.last_on_axis.push_back(static_cast<Position>(extent) - 1);
  if (!grid.empty()) out.positions.hi = std::ranges::max(out.positions.last_on_axis);
  out.positions.hard = hard_positions(ladder.pairs, out.positions.lo, out.positions.hi);
  out.rotate = [ladder](const Tensor& x, const Positions& positions, Role) {
    return rotate(ladder, x, positions);
  };
  return out;
}

}  // namespace posproof::axial
