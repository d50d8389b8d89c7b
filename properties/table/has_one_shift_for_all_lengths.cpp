#include "catalogue/properties/table/has_one_shift_for_all_lengths.h"
#include "lengths.h"
#include "negative_examples.h"

namespace posproof {
namespace {

// One rigid motion carries the rows of two sequences k positions on exactly where every distance among them
// stays what it was; here the distance of a row of one sequence from a row of the other.
Residual check(const Table& table, Precision p, Draw& draw) {
  const Position lo = table.positions.lo, hi = table.positions.hi;
  const Position k = draw.position("k", {1, hi - lo, table.positions.hard});
  const Position t = draw.position("t", table.positions, lo, hi - k);
  const Position u = draw.position("u", table.positions, lo, hi - k);
  const auto [n, far] = table_rows::two_lengths(table, draw, std::max(t, u) + k + 1);
  const table_rows::BoundedRows in_short = table_rows::at(table, p, {t, t + k}, n),
                                in_long = table_rows::at(table, p, {u, u + k}, far);
  const table_rows::Measured here = table_rows::apart(in_short, 0, in_long, 0),
                             there = table_rows::apart(in_short, 1, in_long, 1);
  return difference(there.value, here.value, here.error + there.error);
}

Encoding stretches() {
  return negative_examples::ladder_of_angles(
      4, [](const Pair& pair, double t, double n) { return pair.frequency * t * (1 + 1e-6 * std::log(n)); });
}

// From 2 tokens to a million by 13 units of f32 of the angle, where each of four angles may be off by 1.
Encoding hardly_stretches() {
  return negative_examples::ladder_of_angles(4, [](const Pair& pair, double t, double n) {
    return pair.frequency * t * (1 + 0x1p-24 * std::log(n));
  });
}

}  // namespace

const Property properties::table::has_one_shift_for_all_lengths{
    .statement =
        "One rigid motion (a rotation and a translation) carries the rows of sequences of every length k "
        "positions on.",
    .formula =
        "p_{t+k}(n) = M_k p_t(n) + c_k for all t and n: |p_{t+k}(n) - p_{u+k}(n')| = |p_t(n) - p_u(n')|",
    .source = "the argument against t/(n-1): a shift by k is a shift by k/(n-1), another one for every n",
    .checks = {CheckOf<Table>(&check)},
    .must_reject = {{"angles that grow by 1e-6 of the logarithm of the length", &stretches},
                    {"angles that grow by 2^-24 of the logarithm of the length, in f32", &hardly_stretches,
                     all_f32}},
};

}  // namespace posproof
