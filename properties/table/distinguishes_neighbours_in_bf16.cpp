#include "catalogue/properties/table/distinguishes_neighbours_in_bf16.h"
#include "negative_examples.h"
#include "neighbours.h"

namespace posproof {
namespace {

Residual check(const Table& table, Precision p, Draw& draw) {
  return table_rows::neighbours_told_apart(table, p, draw, &to_bf16, unit_bf16);
}

// The best-known precision defect: 256 and 257 are one number in bf16, 2048 and 2049 in f16.
Encoding rounded_positions() {
  return negative_examples::ladder_of_angles(
      4, [](const Pair& pair, double t, double) { return pair.frequency * to_bf16(t); });
}

// Its step is 1/(256 * 2), and just below 1 that of bf16 is 1/256.
Encoding even_steps() {
  return negative_examples::plain(1, Domain{0, 2 * 256},
                                  [](std::size_t, double t, double) { return t / (2 * 256); });
}

}  // namespace

const Property properties::table::distinguishes_neighbours_in_bf16{
    .statement = "The rows of neighbours still differ when they are rounded to bf16.",
    .formula = "bf16(p_t) != bf16(p_{t+1})",
    .source = "bf16 has 8 significant bits, so that whole numbers are exact up to 256 only",
    .checks = {CheckOf<Table>(&check)},
    .must_reject = {{"positions that are rounded to bf16 before the sine", &rounded_positions},
                    {"rows in steps of half a unit of bf16", &even_steps}},
};

}  // namespace posproof
