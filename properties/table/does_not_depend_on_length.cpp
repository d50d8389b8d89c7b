#include "catalogue/properties/table/does_not_depend_on_length.h"
#include "lengths.h"
#include "negative_examples.h"

namespace posproof {
namespace {

Residual check(const Table& table, Precision p, Draw& draw) {
  const Position t = draw.position("t", table.positions);
  const auto [n, far] = table_rows::two_lengths(table, draw, t + 1);
  return table_rows::same(table_rows::at(table, p, {t}, n), table_rows::at(table, p, {t}, far));
}

Encoding slows_down() {
  return negative_examples::ladder_of_angles(
      4, [](const Pair& pair, double t, double n) { return pair.frequency * t / (n > 4096 ? 1 + 1e-9 : 1); });
}

}  // namespace

const Property properties::table::does_not_depend_on_length{
    .statement = "The code of a position is the same in a sequence of any length.",
    .formula = "p_t(n) = p_t(n')",
    .source = "Vaswani et al. 2017, section 3.5: the length is not in the formula",
    .checks = {CheckOf<Table>(&check)},
    .must_reject = {{"angles that are smaller by 1e-9 in sequences of more than 4096 tokens", &slows_down}},
};

}  // namespace posproof
