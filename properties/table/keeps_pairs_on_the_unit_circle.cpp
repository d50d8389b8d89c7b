#include "catalogue/properties/table/keeps_pairs_on_the_unit_circle.h"
#include "negative_examples.h"
#include "rotation.h"

namespace posproof {
namespace {

Residual check(const Table& table, Precision p, Draw& draw) {
  if (table.pairs.empty()) throw Inapplicable{"it has no pairs"};
  const Position t = draw.position("t", table.positions);
  const table_rows::BoundedRows at = table_rows::at(table, p, {t});
  Residual worst{0, 0, 0};
  for (const Pair& pair : table.pairs) {
    // However wrong the angle, the point stays on its circle but for its own rounding; two squares, their sum
    // and the root are 2.5 roundings of it.
    const double bound = circle_error(table, p) + 3 * unit_f64 * table.amplitude;
    worst = worse(worst,
                  difference(norm(table_rows::point(at, 0, pair)), table.amplitude, bound, table.amplitude));
  }
  return worst;
}

Encoding longer_pair() {
  return negative_examples::ladder(8, [](const Pair& pair, Position t, Position) {
    const double size = pair.index == 3 ? 1 + 1e-9 : 1;
    return std::array<double, 2>{size * std::sin(pair.frequency * double(t)),
                                 size * std::cos(pair.frequency * double(t))};
  });
}

}  // namespace

const Property properties::table::keeps_pairs_on_the_unit_circle{
    .statement = "Sine and cosine of each pair lie on a circle whose radius is the amplitude.",
    .formula = "sqrt(p_t[2i]^2 + p_t[2i+1]^2) = A",
    .source = "Vaswani et al. 2017, section 3.5",
    .checks = {CheckOf<Table>(&check)},
    .must_reject = {{"one pair of four that is longer by 1e-9", &longer_pair}},
};

}  // namespace posproof
