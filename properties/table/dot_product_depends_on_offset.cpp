#include "catalogue/properties/table/dot_product_depends_on_offset.h"
#include "negative_examples.h"
#include "rows.h"

namespace posproof::properties_table_dot_product_depends_on_offset {
namespace {

Residual check(const Table& table, Precision p, Draw& draw) {
  const Position lo = table.positions.lo, hi = table.positions.hi;
  const Position k = draw.position("k", {1, hi - lo, table.positions.hard});
  const Position s = draw.position("s", table.positions, lo, hi - k);
  const Position t = draw.position("t", table.positions, lo, hi - k);

  const table_rows::RowsInParts at = table_rows::at(table, p, {s, t, s + k, t + k});
  const table_rows::Measured here = table_rows::dot(at, 0, at, 1), there = table_rows::dot(at, 2, at, 3);
  // On a ladder both lie between -h A^2 and h A^2 (a lone sine lacks its partner, so its share is the same).
  const double squares = static_cast<double>(table.pairs.size()) * table.amplitude * table.amplitude;
  return difference(there.value, here.value, here.error + there.error,
                    table.pairs.empty() ? no_ceiling : 2 * squares);
}

using namespace negative_examples;

Made skewed(double by, Domain domain = {}) {
  return [=] {
    return ladder(
        4,
        [by](const Pair& pair, Position t, Position) {
          return std::array{std::sin(pair.frequency * double(t)), std::cos(pair.frequency * double(t) + by)};
        },
        domain);
  };
}

}  // namespace

const Property entry{
    .statement =
        "The dot product of two rows depends on how far apart their positions are, not on where they are.",
    .formula = "p_{s+k} . p_{t+k} = p_s . p_t",
    .source = "Vaswani et al. 2017, section 3.5: p_s . p_t = sum_i cos(w_i (s - t))",
    .checks = {CheckOf<Table>(&check)},
    .must_reject =
        {{"a cosine that is rotated by 1e-6 radians against its sine", skewed(1e-6)},
         // 64 units of f32, where two products of two pairs by small angles may be off by 16 and a few.
         {"a cosine that is rotated by 2^-18 radians against its sine, in f32", skewed(0x1p-18), all_f32},
         {"a cosine that is rotated by 2^-4 radians against its sine, in bf16", skewed(0x1p-4, {0, 15}),
          in_bf16},
         {"the last of two rows longer by 2^-20, in f32", row_longer({0, 1}, 1, 0x1p-20), all_f32},
         {"the first of two rows shorter by 2^-20, in f32", row_longer({0, 1}, 0, -0x1p-20), all_f32},
         {"the first row, of -8, longer by 2^-19, in f32", row_longer({-8, 7}, -8, 0x1p-19), all_f32},
         {"the last entry larger by 2^-18, in f32", last_larger(small(), 0x1p-18), all_f32},
         {"the last entry smaller by 2^-4, in bf16", last_larger(small(), -0x1p-4), in_bf16},
         {"the first entry larger by 2^-17, in f32", first_larger(small(), 0x1p-17), all_f32}},
};

}  // namespace posproof::properties_table_dot_product_depends_on_offset
