#include "catalogue/properties/table/has_a_step_that_does_not_depend_on_length.h"
#include "lengths.h"
#include "negative_examples.h"

namespace posproof {
namespace {

Residual check(const Table& table, Precision p, Draw& draw) {
  const Position t = draw.position("t", table.positions, table.positions.lo, table.positions.hi - 1);
  const auto [n, far] = table_rows::two_lengths(table, draw, t + 2);
  const table_rows::BoundedRows in_short = table_rows::at(table, p, {t, t + 1}, n),
                                in_long = table_rows::at(table, p, {t, t + 1}, far);
  const table_rows::Measured here = table_rows::apart(in_short, 0, in_short, 1),
                             there = table_rows::apart(in_long, 0, in_long, 1);
  return difference(there.value, here.value, here.error + there.error);
}

Encoding stretches() {
  return negative_examples::ladder_of_angles(
      4, [](const Pair& pair, double t, double n) { return pair.frequency * t * (1 + 1e-6 * std::log(n)); });
}

}  // namespace

const Property properties::table::has_a_step_that_does_not_depend_on_length{
    .statement = "Neighbours are as far apart in a long sequence as in a short one.",
    .formula = "|p_{t+1} - p_t| is the same for every n",
    .source = "the argument against t/(n-1): its step 1/(n-1) means another distance in every sequence",
    .checks = {CheckOf<Table>(&check)},
    .must_reject = {{"angles that grow by 1e-6 of the logarithm of the length", &stretches}},
};

}  // namespace posproof
