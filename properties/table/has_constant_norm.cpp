#include <array>
#include <cmath>

#include "catalogue/properties.h"
#include "core/error.h"

namespace posproof {
namespace {

double norm(std::span<const double> row) {
  double sum = 0;
  for (const double x : row) sum += x * x;
  return std::sqrt(sum);
}

Residual check(const Table& table, Precision p, Draw& draw) {
  const Position t = draw.position("t", table.positions);

  const std::array<Position, 1> at = {t};
  const Tensor row = table.rows(at, t + 1);
  const double expected = table.amplitude * std::sqrt(static_cast<double>(table.pairs.size()));
  // A norm is no further from the exact norm than the row from the exact row. Summing d squares and taking the root in
  // double adds (d + 3)/2 roundings of the norm.
  const double ours = (static_cast<double>(table.dim) + 3) * unit_fp64 * expected;
  const double allowed = row_norm_error(table, p, t, row.data) + ours;
  return equal(norm(row.data), expected, allowed, expected);
}

// A cosine that is turned by a thousandth of a radian against its sine.
Encoding skewed_pair() {
  Table table{.dim = 2, .pairs = {{0, 1, 1.0}}};
  table.rows = [](std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), 2});
    for (std::size_t r = 0; r < positions.size(); ++r) {
      rows.at(r, 0) = std::sin(static_cast<double>(positions[r]));
      rows.at(r, 1) = std::cos(static_cast<double>(positions[r]) + 1e-3);
    }
    return rows;
  };
  return table;
}

}  // namespace

const Property properties::table::has_constant_norm{
    .statement = "Every code has the same norm, the square root of half the width times the amplitude.",
    .formula = "|p_t| = A sqrt(d/2)",
    .source = "Vaswani et al. 2017, section 3.5: sin^2 + cos^2 = 1 in each of d/2 pairs",
    .checks = {CheckOf<Table>(&check)},
    .rejects = {{"a cosine that is turned by 0.001 radians against its sine", &skewed_pair}},
};

}  // namespace posproof
