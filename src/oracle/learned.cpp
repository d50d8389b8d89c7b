#include <algorithm>
#include <cmath>

#include "catalogue/oracle/learned.h"
#include "core/hard.h"
#include "core/outside.h"
#include "exact/numbers.h"
#include "exact/real.h"

namespace posproof {

using namespace exact;

Encoding oracle::learned(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const bool seeded_table = p.is("table", "seeded");
  const std::int64_t seed = p.whole("table_seed"), offset = p.whole("offset");
  // Position of padding, whose row is 0.
  const std::int64_t padding_row = p.whole("padding_row"), padding = padding_row - offset;
  const double deviation = p.real("std");
  const bool times_a_power = p.is("scale", "inverse_root_of_dim");
  // x dim^-0.5, within 2^-158 of itself before it is the nearest double: x^2 has 106 bits.
  const auto share = [=](double x) {
    if (!times_a_power) return x;
    Real square(160, x);
    mpfr_sqr(square.x, square.x, MPFR_RNDN);
    mpfr_div_ui(square.x, square.x, dim, MPFR_RNDN);
    mpfr_sqrt(square.x, square.x, MPFR_RNDN);
    return std::copysign(square.nearest(), x);
  };

  Table table{.dim = dim, .offset = static_cast<double>(offset)};
  const Position before = offset < 0 ? -offset : 0, hi = p.whole("length") - 1 - offset;
  const Position lo = padding_row >= 0 && padding < before ? padding : before;
  table.positions = {lo, hi, hard_positions(std::span<const Pair>{}, lo, hi)};
  table.positions.ends = true;
  // The entry as it is kept, dim^-0.5 with two roundings, and the product.
  if (times_a_power)
    table.error = [](double entry, const Precision& precision) {
      return std::abs(entry) *
             (2 * std::max(precision.table(), precision.result) + precision.work() + precision.work());
    };
  table.rows = [=](std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r) {
      refuse_outside(positions[r], lo, hi);
      if (padding_row >= 0 && positions[r] == padding) continue;
      const auto first = static_cast<std::uint64_t>(positions[r] + offset) * dim;
      for (std::size_t c = 0; c < dim; ++c)
        rows.at(r, c) =
            share(seeded_table ? seeded(deviation, seed, first + c) : static_cast<double>(first + c));
    }
    return rows;
  };
  return table;
}

}  // namespace posproof
