#pragma once

#include <algorithm>
#include <utility>

#include "core/hard.h"
#include "core/outside.h"

// For encodings that need whole numbers only: each value is exact, or one quotient of two exact numbers,
// which IEEE division rounds correctly.
namespace posproof::oracle {

constexpr std::int64_t largest_whole = std::int64_t{1} << 53;
constexpr Position usual_end = Position{1} << 20;

inline Domain whole_domain(Position lo, Position hi) {
  return {lo, hi, hard_positions(std::span<const Pair>{}, lo, hi)};
}

// Rows from what one column of one position is.
template <class ValueAt>
auto rows_from(std::size_t dim, ValueAt value) {
  return [dim, value = std::move(value)](std::span<const Position> positions, Position length) {
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r)
      for (std::size_t c = 0; c < dim; ++c) rows.at(r, c) = value(positions[r], c, length);
    return rows;
  };
}

}  // namespace posproof::oracle
