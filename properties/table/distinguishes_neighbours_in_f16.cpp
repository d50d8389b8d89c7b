#include "catalogue/properties/table/distinguishes_neighbours_in_f16.h"
#include "negative_examples.h"
#include "neighbours.h"

namespace posproof::properties_table_distinguishes_neighbours_in_f16 {
namespace {

Residual check(const Table& table, Precision p, Draw& draw) {
  return table_rows::neighbours_told_apart(table, p, draw, &to_f16, unit_f16);
}

using namespace negative_examples;

// The best-known precision defect: 256 and 257 are one number in bf16, 2048 and 2049 in f16.
Encoding rounded_positions() {
  return ladder_of_angles(4, [](const Pair& pair, double t, double) { return pair.frequency * to_f16(t); });
}

// Its step is 1/(2048 * 2), and just below 1 that of f16 is 1/2048.
Encoding even_steps() {
  return plain(1, Domain{0, 2 * 2048}, [](std::size_t, double t, double) { return t / (2 * 2048); });
}

}  // namespace

const Property entry{
    .statement = "The rows of neighbours still differ when they are rounded to f16.",
    .formula = "f16(p_t) != f16(p_{t+1})",
    .source = "f16 has 11 significant bits, so that whole numbers are exact up to 2048 only",
    .checks = {CheckOf<Table>(&check)},
    .must_reject =
        {{"positions that are rounded to f16 before the sine", &rounded_positions},
         {"rows in steps of half a unit of f16", &even_steps},
         {"rows that are equal and should be 2^-8 apart, in f32", equal_neighbours(0x1p-8), all_f32},
         {"rows that are equal and should be 2^-5 apart, in bf16", equal_neighbours(0x1p-5), in_bf16},
         {"rows that are equal and should be 2^-7 apart, in f16", equal_neighbours(0x1p-7), in_f16},
         {"two rows that are equal and should be 2^-8 apart, in f32", equal_neighbours(0x1p-8, {0, 1}),
          all_f32},
         {"rows of -8 and -7 that are equal and should be 2^-8 apart, in f32",
          repeated_row(0x1p-8, {-8, 7}, -7, -8), all_f32},
         {"the last two rows, equal where they should be 2^-8 apart, in f32",
          repeated_row(0x1p-8, {-8, 7}, 7, 6), all_f32}},
};

}  // namespace posproof::properties_table_distinguishes_neighbours_in_f16
