#include "catalogue/properties/table/composes_translations.h"
#include "negative_examples.h"
#include "rotation.h"

namespace posproof {
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

  const table_rows::BoundedRows at = table_rows::at(table, p, {s, s + a, t, t + b, u, u + a + b});
  Residual worst{0, 0, 0};
  for (const Pair& pair : table.pairs) {
    const table_rows::Shift by_a = table_rows::shift(table, at, 0, 1, pair),
                            by_b = table_rows::shift(table, at, 2, 3, pair),
                            by_both = table_rows::shift(table, at, 4, 5, pair);
    // The exact shifts are rotations: m_a m_b is off by e_a + e_b + e_a e_b, and our product by 3 roundings.
    const double bound = by_a.error + by_b.error + by_a.error * by_b.error + by_both.error + 3 * unit_f64;
    worst = worse(worst, difference(norm(by_a.map * by_b.map - by_both.map), 0, bound, 2));
  }
  return worst;
}

Encoding hesitant() {
  return negative_examples::ladder_of_angles(4, [](const Pair& pair, double t, double) {
    return pair.frequency * t + (std::fmod(t, 2) == 1 ? 1e-8 : 0);
  });
}

}  // namespace

const Property properties::table::composes_translations{
    .statement = "The shift by a and then by b is the shift by a + b, wherever each is read off the table.",
    .formula = "M_a M_b = M_{a+b}",
    .source = "Vaswani et al. 2017, section 3.5; angle addition",
    .checks = {CheckOf<Table>(&check)},
    .must_reject = {{"odd positions that are 1e-8 radians ahead", &hesitant}},
};

}  // namespace posproof
