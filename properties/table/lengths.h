#pragma once

#include "core/draw.h"
#include "rows.h"

// Tables asked for the same in sequences of two lengths.
namespace posproof::table_rows {

struct Lengths {
  Position n, far;
};

// Two different lengths, both of at least `least` tokens, the second the longer one. Lengths at which
// implementations switch are powers of two and their neighbours.
inline Lengths two_lengths(const Table& table, Draw& draw, Position least) {
  static const std::vector<Position> switches = [] {
    std::vector<Position> all;
    for (Position power = 2; power <= Position{1} << 20; power *= 2)
      all.insert(all.end(), {power, power + 1});
    return all;
  }();
  const Position most = table.positions.hi + 1;
  const Position n = draw.position("n", {least, most - 1, switches});
  const Position far = draw.position("far", {n + 1, most, switches});
  return {n, far};
}

// Equal entry by entry but for the errors of both.
inline Residual same(const BoundedRows& there, const BoundedRows& here) {
  std::vector<double> bound = here.error.all.data;
  for (std::size_t e = 0; e < bound.size(); ++e) bound[e] += there.error.all.data.at(e);
  return difference(std::span<const double>(there.rows.data), here.rows.data, std::span<const double>(bound));
}

}  // namespace posproof::table_rows
