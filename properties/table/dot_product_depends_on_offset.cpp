#include "catalogue/properties/table/dot_product_depends_on_offset.h"
#include "negative_examples.h"
#include "rows.h"

namespace posproof {
namespace {

Residual check(const Table& table, Precision p, Draw& draw) {
  const Position lo = table.positions.lo, hi = table.positions.hi;
  const Position k = draw.position("k", {1, hi - lo, table.positions.hard});
  const Position s = draw.position("s", table.positions, lo, hi - k);
  const Position t = draw.position("t", table.positions, lo, hi - k);

  const table_rows::BoundedRows at = table_rows::at(table, p, {s, t, s + k, t + k});
  const table_rows::Measured here = table_rows::dot(at, 0, at, 1), there = table_rows::dot(at, 2, at, 3);
  // On a ladder both lie between -h A^2 and h A^2 (a lone sine lacks its partner, so its share is the same).
  const double squares = static_cast<double>(table.pairs.size()) * table.amplitude * table.amplitude;
  return difference(there.value, here.value, here.error + there.error,
                    table.pairs.empty() ? no_ceiling : 2 * squares);
}

Encoding skewed() {
  return negative_examples::ladder(4, [](const Pair& pair, Position t, Position) {
    return std::array<double, 2>{std::sin(pair.frequency * double(t)),
                                 std::cos(pair.frequency * double(t) + 1e-6)};
  });
}

// 64 units of f32, where two products of two pairs by small angles may be off by 16 and a few.
Encoding hardly_skewed() {
  return negative_examples::ladder(4, [](const Pair& pair, Position t, Position) {
    return std::array<double, 2>{std::sin(pair.frequency * double(t)),
                                 std::cos(pair.frequency * double(t) + 0x1p-18)};
  });
}

}  // namespace

const Property properties::table::dot_product_depends_on_offset{
    .statement =
        "The dot product of two rows depends on how far apart their positions are, not on where they are.",
    .formula = "p_{s+k} . p_{t+k} = p_s . p_t",
    .source = "Vaswani et al. 2017, section 3.5: p_s . p_t = sum_i cos(w_i (s - t))",
    .checks = {CheckOf<Table>(&check)},
    .must_reject = {{"a cosine that is rotated by 1e-6 radians against its sine", &skewed},
                    {"a cosine that is rotated by 2^-18 radians against its sine, in f32", &hardly_skewed,
                     all_f32}},
};

}  // namespace posproof
