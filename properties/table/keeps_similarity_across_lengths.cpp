#include "catalogue/properties/table/keeps_similarity_across_lengths.h"
#include "lengths.h"
#include "negative_examples.h"

namespace posproof {
namespace {

Residual check(const Table& table, Precision p, Draw& draw) {
  const Position s = draw.position("s", table.positions);
  const Position t = draw.position("t", table.positions);
  const auto [n, far] = table_rows::two_lengths(table, draw, std::max(s, t) + 1);
  const table_rows::BoundedRows in_short = table_rows::at(table, p, {s, t}, n),
                                in_long = table_rows::at(table, p, {s, t}, far);
  const table_rows::Measured here = table_rows::dot(in_short, 0, in_short, 1),
                             there = table_rows::dot(in_long, 0, in_long, 1);
  return difference(there.value, here.value, here.error + there.error);
}

Encoding stretches() {
  return negative_examples::ladder_of_angles(
      4, [](const Pair& pair, double t, double n) { return pair.frequency * t * (1 + 1e-6 * std::log(n)); });
}

}  // namespace

const Property properties::table::keeps_similarity_across_lengths{
    .statement = "Two positions are as similar in a long sequence as in a short one.",
    .formula = "p_s(n) . p_t(n) = p_s(n') . p_t(n')",
    .source = "the argument against t/(n-1); p_s . p_t = sum_i cos(w_i (s - t)) has no n in it",
    .checks = {CheckOf<Table>(&check)},
    .must_reject = {{"angles that grow by 1e-6 of the logarithm of the length", &stretches}},
};

}  // namespace posproof
