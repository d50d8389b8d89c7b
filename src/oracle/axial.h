#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/hard.h"
#include "core/rotation.h"
#include "exact/ladder.h"

// Rotations in which each pair belongs to one number of the position, every one correctly rounded: a ladder
// of exact frequencies for each axis.
namespace posproof::oracle {

struct AxialPair {
  Pair pair;  // without its frequency
  exact::Exponent exponent;
};

// Base and scaling of each axis; `offset` is added to every number of a position.
inline Rotary axial(std::size_t dim, std::size_t heads, std::size_t axes, const std::vector<double>& bases,
                    const std::vector<exact::Scaling>& scalings, const std::vector<AxialPair>& pairs,
                    Position offset = 0) {
  struct Axis {
    std::unique_ptr<const exact::Ladder> ladder = {};
    std::vector<Pair> pairs = {};
  };
  auto all = std::make_shared<std::vector<Axis>>(axes);
  Rotary rotary{.dim = dim, .heads = heads};
  for (std::size_t axis = 0; axis < axes; ++axis) {
    exact::Geometric powers{bases.at(axis), {}, scalings.at(axis)};
    for (const AxialPair& one : pairs)
      if (one.pair.axis == axis)
        powers.exponents.push_back(one.exponent), (*all)[axis].pairs.push_back(one.pair);
    (*all)[axis].ladder = std::make_unique<const exact::Ladder>(exact::Frequencies{std::move(powers)});
  }
  std::vector<std::size_t> next(axes);
  for (const AxialPair& one : pairs) {
    rotary.pairs.push_back(one.pair);
    rotary.pairs.back().frequency = (*all)[one.pair.axis].ladder->frequency(next[one.pair.axis]++);
  }
  rotary.positions.axes = axes;
  rotary.positions.hard = hard_positions(rotary.pairs, rotary.positions.lo, rotary.positions.hi);
  rotary.rotate = [all, dim, heads, axes, offset](Tensor x, const Positions& positions, Role) {
    check_rotation(x, positions, heads, dim, axes);
    const auto at = positions.flat();
    const std::size_t n = x.shape[2];
    for (std::size_t token = 0; token < positions.size(); ++token)
      for (std::size_t axis = 0; axis < axes; ++axis) {
        std::vector<std::vector<exact::Ladder::Coordinates>> points((*all)[axis].pairs.size());
        for (std::size_t i = 0; i < points.size(); ++i)
          for (std::size_t h = 0; h < heads; ++h) {
            const auto channels = x.row((token / n * heads + h) * n + token % n);
            const Pair& pair = (*all)[axis].pairs[i];
            points[i].push_back({&channels[pair.first], &channels[pair.second]});
          }
        Position number = 0;
        if (__builtin_add_overflow(at[token * axes + axis], offset, &number))
          throw Refusal("axial_rope: position + offset overflows");
        (*all)[axis].ladder->rotate(number, points);
      }
    return x;
  };
  return rotary;
}

}  // namespace posproof::oracle
