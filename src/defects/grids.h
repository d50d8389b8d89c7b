#pragma once
// What is wrong with positions of several numbers, and with the frequencies of their axes.
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "core/call.h"
#include "core/function.h"
#include "defects/operators.h"

namespace posproof::operators {

// Each token by itself: its numbers, one for each axis.
inline Encoding at_each_place(const Encoding& right, Function<void(std::span<Position>)> change) {
  return asked_for(right, [change = std::move(change)](Call& call) {
    const std::size_t axes = call.positions.axes;
    for (std::size_t n = 0; n < call.positions.size(); ++n)
      change(std::span(call.positions.whole).subspan(n * axes, axes));
  });
}

inline bool equal_numbers(std::span<const Position> place) {
  return std::ranges::all_of(place, [&](Position t) { return t == place[0]; });
}

// The pairs that are declared, each with another frequency.
inline Encoding with_frequencies(const Encoding& right, const Function<void(Pair&)>& change) {
  Rotary rotary = as<Rotary>(right);
  std::vector<Pair> pairs = rotary.pairs;
  for (Pair& pair : pairs) change(pair);
  rotary.rotate = [pairs](const Tensor& x, const Positions& positions, Role) {
    const std::size_t heads = x.shape[1], n = x.shape[2];
    Tensor out = x;
    for (std::size_t r = 0; r < x.rows(); ++r)
      for (const Pair& pair : pairs) {
        const double angle = positions.at(r / (heads * n) * n + r % n, pair.axis) * pair.frequency;
        const double c = std::cos(angle), s = std::sin(angle);
        out.at(r, pair.first) = x.at(r, pair.first) * c - x.at(r, pair.second) * s;
        out.at(r, pair.second) = x.at(r, pair.first) * s + x.at(r, pair.second) * c;
      }
    return out;
  };
  return rotary;
}

}  // namespace posproof::operators
