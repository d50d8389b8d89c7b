#pragma once

#include <array>
#include <cmath>
#include <functional>

#include "core/encoding.h"

// Tables that are wrong by little, to be refuted.
namespace posproof::negative_examples {

// What one pair holds, first its sine column, second its cosine, at position t of a sequence of n tokens. Its
// angle is pair.frequency * t where it is right.
using Code = std::function<std::array<double, 2>(const Pair& pair, Position t, Position n)>;

inline std::array<double, 2> right(double angle) {
  return {std::sin(angle), std::cos(angle)};
}

// A sinusoidal table of even width, base 10000, interleaved, that holds what `row` says instead.
inline Table ladder(std::size_t dim, Code row) {
  Table table{.dim = dim};
  for (std::size_t i = 0; 2 * i < dim; ++i)
    table.pairs.push_back({2 * i, 2 * i + 1, std::pow(10000.0, -2.0 * double(i) / double(dim)), i});
  table.rows = [dim, pairs = table.pairs, row = std::move(row)](std::span<const Position> positions,
                                                                Position n) {
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r)
      for (const Pair& pair : pairs) {
        const auto [sine, cosine] = row(pair, positions[r], n);
        rows.at(r, pair.first) = sine;
        rows.at(r, pair.second) = cosine;
      }
    return rows;
  };
  return table;
}

// A ladder whose angles alone are wrong.
inline Table ladder_of_angles(std::size_t dim, std::function<double(const Pair&, double t, double n)> angle) {
  return ladder(dim, [angle = std::move(angle)](const Pair& pair, Position t, Position n) {
    return right(angle(pair, static_cast<double>(t), static_cast<double>(n)));
  });
}

// Without declared pairs: entry c of the row of position t in a sequence of n tokens.
inline Table plain(std::size_t dim, Domain positions,
                   std::function<double(std::size_t c, double t, double n)> entry) {
  Table table{.dim = dim, .positions = std::move(positions)};
  table.rows = [dim, entry = std::move(entry)](std::span<const Position> at, Position n) {
    Tensor rows({at.size(), dim});
    for (std::size_t r = 0; r < at.size(); ++r)
      for (std::size_t c = 0; c < dim; ++c)
        rows.at(r, c) = entry(c, static_cast<double>(at[r]), static_cast<double>(n));
    return rows;
  };
  return table;
}

}  // namespace posproof::negative_examples
