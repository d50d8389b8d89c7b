#include "catalogue/properties/table/has_bounded_entries.h"
#include "negative_examples.h"
#include "rows.h"

namespace posproof {
namespace {

Residual check(const Table& table, Precision p, Draw& draw) {
  const Position t = draw.position("t", table.positions);
  const Position n = draw.position("n", table.positions, t + 1, table.positions.hi + 1);
  const table_rows::BoundedRows at = table_rows::at(table, p, {t}, n);
  // Whatever its angle, a sine is at most 1: what is left is the error of an entry whose angle is right.
  const double bound = entry_error(table, p);
  Residual worst{0, 0, 0};
  for (const double entry : at[0]) worst = worse(worst, excess(std::abs(entry), table.amplitude, bound));
  return worst;
}

Encoding larger() {
  return negative_examples::ladder(4, [](const Pair& pair, Position t, Position) {
    const double size = 1 + 1e-6;
    return std::array<double, 2>{size * std::sin(pair.frequency * double(t)),
                                 size * std::cos(pair.frequency * double(t))};
  });
}

}  // namespace

const Property properties::table::has_bounded_entries{
    .statement = "No entry of a code is larger than the amplitude, however far the position.",
    .formula = "|p_t[c]| <= A",
    .source = "Vaswani et al. 2017, section 3.5: |sin|, |cos| <= 1",
    .checks = {CheckOf<Table>(&check)},
    .must_reject = {{"an amplitude that is larger by 1e-6", &larger}},
};

}  // namespace posproof
