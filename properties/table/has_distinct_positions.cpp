#include "catalogue/properties/table/has_distinct_positions.h"
#include "negative_examples.h"
#include "rows.h"

namespace posproof::properties_table_has_distinct_positions {
namespace {

// Offsets after which the fastest pair, one radian a position, comes nearest to where it was (numerators of
// the convergents of 2 pi, and twice 355), and powers of two, where tables and integers wrap around.
const std::vector<Position> returns = {1,    6,    25,    44,    333,   710,    103993, 208696, 312689, 2,
                                       4,    8,    16,    32,    64,    128,    256,    512,    1024,   2048,
                                       4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288};

Residual check(const Table& table, Precision p, Draw& draw) {
  const Position lo = table.positions.lo, hi = table.positions.hi;
  const Position k = draw.position("k", {1, hi - lo, returns});
  // Two rows at a table's end are equal where it was filled short.
  std::vector<Position> ends = table.positions.hard;
  ends.push_back(hi - k);
  const Position t = draw.position("t", {lo, hi - k, ends});
  const table_rows::RowsInParts at = table_rows::at(table, p, {t, t + k}, table_rows::Against::declared);
  const double error = table_rows::norm(at.error[0]) + table_rows::norm(at.error[1]);
  return table_rows::told_apart(table, t, t + k, at[0], at[1], error);
}

using namespace negative_examples;

Encoding wraps() {
  return ladder_of_angles(
      4, [](const Pair& pair, double t, double) { return pair.frequency * std::fmod(t, 65536); });
}

Encoding clamps() {
  return plain(2, Domain{0, 511},
               [](std::size_t c, double t, double) { return std::min(t, 509.0) + static_cast<double>(c); });
}

}  // namespace

const Property entry{
    .statement = "No two positions have the same row.",
    .formula = "s != t: p_s != p_t",
    .source =
        "Vaswani et al. 2017, section 3.5: the first pair rotates by 1 radian a position, and pi is "
        "irrational",
    .checks = {CheckOf<Table>(&check)},
    .must_reject = {{"a position that wraps around at 65536", &wraps},
                    {"a table whose last three rows are equal", &clamps},
                    {"two rows that are the same and should be 2^-19 apart, in f32",
                     repeated_row(0x1p-19, {0, 1}, 1, 0), all_f32},
                    {"the first row, of -8, that is the second one and should be 2^-19 off, in f32",
                     repeated_row(0x1p-19, {-8, 7}, -8, -7), all_f32},
                    {"a last row that is the one before and should be 2^-19 off, in f32",
                     repeated_row(0x1p-19, {0, 31}, 31, 30), all_f32},
                    {"a row of 16 that is that of 0 and should be 2^-18 off, in f32",
                     repeated_row(0x1p-22, {0, 17}, 16, 0), all_f32},
                    {"two rows that are the same and should be 2^-5 apart, in bf16",
                     repeated_row(0x1p-5, {0, 1}, 1, 0), in_bf16},
                    {"two rows that are the same and should be 2^-8 apart, in f16",
                     repeated_row(0x1p-8, {0, 1}, 1, 0), in_f16}},
};

}  // namespace posproof::properties_table_has_distinct_positions
