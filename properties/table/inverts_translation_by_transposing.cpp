#include "catalogue/properties/table/inverts_translation_by_transposing.h"
#include "negative_examples.h"
#include "rotation.h"

namespace posproof {
namespace {

Residual check(const Table& table, Precision p, Draw& draw) {
  if (table.pairs.empty() || table.lone)
    throw Inapplicable{"no shift can be read off without both of each pair"};
  const Position lo = table.positions.lo, hi = table.positions.hi;
  const Position k = draw.position("k", {1, hi - lo, table.positions.hard});
  const Position s = draw.position("s", table.positions, lo, hi - k);
  const Position t = draw.position("t", table.positions, lo + k, hi);

  const table_rows::BoundedRows at = table_rows::at(table, p, {s, s + k, t, t - k});
  Residual worst{0, 0, 0};
  for (const Pair& pair : table.pairs) {
    const table_rows::Shift on = table_rows::shift(table, at, 0, 1, pair),
                            back = table_rows::shift(table, at, 2, 3, pair);
    // A rotation and stretch as a complex number: the transposed matrix is the conjugate.
    worst = worse(worst, difference(norm(back.map - conjugate(on.map)), 0, on.error + back.error, 2));
  }
  return worst;
}

Encoding spiral() {
  return negative_examples::ladder(4, [](const Pair& pair, Position t, Position) {
    const double size = std::exp(-1e-9 * double(t));
    return std::array<double, 2>{size * std::sin(pair.frequency * double(t)),
                                 size * std::cos(pair.frequency * double(t))};
  });
}

}  // namespace

const Property properties::table::inverts_translation_by_transposing{
    .statement = "The shift back by k is the transposed shift on by k, wherever each is read off the table.",
    .formula = "M_{-k} = M_k^T",
    .source = "Vaswani et al. 2017, section 3.5: M_k is made of rotations",
    .checks = {CheckOf<Table>(&check)},
    .must_reject = {{"rows that shrink by 1e-9 a position", &spiral}},
};

}  // namespace posproof
