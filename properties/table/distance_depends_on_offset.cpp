#include "catalogue/properties/table/distance_depends_on_offset.h"
#include "negative_examples.h"
#include "rows.h"

namespace posproof {
namespace {

Residual check(const Table& table, Precision p, Draw& draw) {
  const Position lo = table.positions.lo, hi = table.positions.hi;
  const Position k = draw.position("k", {1, hi - lo, table.positions.hard});
  const Position s = draw.position("s", table.positions, lo, hi - k);
  const Position t = draw.position("t", table.positions, lo, hi - k);
  if (s == t) throw Discard{};

  const table_rows::BoundedRows at = table_rows::at(table, p, {s, t, s + k, t + k});
  const table_rows::Measured here = table_rows::apart(at, 0, at, 1), there = table_rows::apart(at, 2, at, 3);
  const double farthest = 2 * table.amplitude * std::sqrt(static_cast<double>(table.pairs.size()));
  return difference(there.value, here.value, here.error + there.error,
                    table.pairs.empty() ? no_ceiling : farthest);
}

Encoding flat_circle() {
  return negative_examples::ladder(4, [](const Pair& pair, Position t, Position) {
    return std::array<double, 2>{std::sin(pair.frequency * double(t)),
                                 (1 - 1e-6) * std::cos(pair.frequency * double(t))};
  });
}

// 64 units of f32, where two distances of small angles may be off by 8 and a few.
Encoding nearly_a_circle() {
  return negative_examples::ladder(4, [](const Pair& pair, Position t, Position) {
    const auto [sine, cosine] = negative_examples::right(pair.frequency * double(t));
    return std::array<double, 2>{sine, (1 - 0x1p-18) * cosine};
  });
}

}  // namespace

const Property properties::table::distance_depends_on_offset{
    .statement =
        "The distance between two rows depends on how far apart their positions are, not on where they are.",
    .formula = "|p_{s+k} - p_{t+k}| = |p_s - p_t|",
    .source = "|p_s - p_t|^2 = 2 sum_i (1 - cos(w_i (s - t))), from Vaswani et al. 2017, section 3.5",
    .checks = {CheckOf<Table>(&check)},
    .must_reject = {{"cosines that are smaller than their sines by 1e-6", &flat_circle},
                    {"cosines that are smaller by 2^-18, in f32", &nearly_a_circle, all_f32}},
};

}  // namespace posproof
