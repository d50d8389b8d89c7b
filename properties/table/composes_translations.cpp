#include "catalogue/properties/table/composes_translations.h"
#include "negative_examples.h"
#include "rotation.h"

namespace posproof::properties_table_composes_translations {
namespace {

Residual check(const Table& table, Precision p, Draw& draw) {
  if (table.pairs.empty() || table.lone)
    throw Inapplicable{"no shift can be read off without both of each pair"};
  const Position lo = table.positions.lo, hi = table.positions.hi;
  const Position a = draw.position("a", {1, hi - lo, table.positions.hard});
  const Position b = draw.position("b", {1, hi - lo - a, table.positions.hard});
  const Position s = draw.position("s", table.positions, lo, hi - a);
  const Position t = draw.position("t", table.positions, lo, hi - b);
  const Position u = draw.position("u", table.positions, lo, hi - a - b);

  const table_rows::BoundedRows at = table_rows::bounded(table, p, {s, s + a, t, t + b, u, u + a + b});
  Residual worst{0, 0, 0};
  for (const Pair& pair : table.pairs) {
    const table_rows::Shift by_a = table_rows::shift(table, at, 0, 1, pair),
                            by_b = table_rows::shift(table, at, 2, 3, pair),
                            by_both = table_rows::shift(table, at, 4, 5, pair);
    // The exact shifts are rotations: m_a m_b is off by e_a + e_b + e_a e_b, and our product by 3 roundings.
    const double bound =
        by_a.error + by_b.error + by_a.error * by_b.error + by_both.error + term(Term::ours, 3 * unit_f64);
    worst = worse(worst, difference(norm(by_a.map * by_b.map - by_both.map), 0, bound, 2));
  }
  return worst;
}

using namespace negative_examples;

Made odd_ahead(double by) {
  return angles_off([by](const Pair&, Position t, Position) { return t % 2 == 1 ? by : 0; });
}

// Where a, b and all positions are drawn from the fewest there can be.
Made middle_ahead() {
  return angles_off([](const Pair&, Position t, Position) { return t == 1 ? 0x1p-18 : 0; }, {0, 2});
}

Made one_pair_ahead(std::size_t which) {
  return angles_off([which](const Pair& pair, Position t, Position) {
    return pair.index == which && t % 2 == 1 ? 0x1p-17 : 0;
  });
}

Made one_position_ahead(Position which) {
  return angles_off([which](const Pair&, Position t, Position) { return t == which ? 0x1p-17 : 0; }, {-8, 7});
}

Encoding hesitant() {
  return ladder_of_angles(4, [](const Pair& pair, double t, double) {
    return pair.frequency * t + (std::fmod(t, 2) == 1 ? 1e-8 : 0);
  });
}

}  // namespace

const Property entry{
    .statement =
        "Shifting by a and then by b is shifting by a + b, for shift matrices read off the table at any positions.",
    .formula = "M_a M_b = M_{a+b}",
    .source = "Vaswani et al. 2017, section 3.5; angle addition",
    .checks = {CheckOf<Table>(&check)},
    .must_reject = {{"odd positions that are 1e-8 radians ahead", &hesitant},
                    {"odd positions that are 2^-18 radians ahead, in f32", odd_ahead(0x1p-18), all_f32},
                    {"odd positions that are 2^-4 radians ahead, in bf16", odd_ahead(0x1p-4), in_bf16},
                    {"odd positions that are 2^-7 radians behind, in f16", odd_ahead(-0x1p-7), in_f16},
                    {"the second of three positions 2^-18 radians ahead, in f32", middle_ahead(), all_f32},
                    {"the fastest pair alone 2^-17 radians ahead, in f32", one_pair_ahead(0), all_f32},
                    {"the slowest pair alone 2^-17 radians ahead, in f32", one_pair_ahead(1), all_f32},
                    {"the first position, -8, alone 2^-17 radians ahead, in f32", one_position_ahead(-8),
                     all_f32},
                    {"the last position alone 2^-17 radians ahead, in f32", one_position_ahead(7), all_f32},
                    {"the last entry larger by 2^-17, in f32", last_larger(small(), 0x1p-17), all_f32},
                    {"the last entry smaller by 2^-3, in bf16", last_larger(small(), -0x1p-3), in_bf16},
                    {"the first entry larger by 2^-16, in f32", first_larger(small(), 0x1p-16), all_f32}},
};

}  // namespace posproof::properties_table_composes_translations
