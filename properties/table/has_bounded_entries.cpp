#include "catalogue/properties/table/has_bounded_entries.h"
#include "negative_examples.h"
#include "rows.h"

namespace posproof::properties_table_has_bounded_entries {
namespace {

Residual check(const Table& table, Precision p, Draw& draw) {
  const Position t = draw.position("t", table.positions);
  const Position n = draw.position("n", table.positions, t + 1, table.positions.hi + 1);
  const table_rows::BoundedRows at = table_rows::bounded(table, p, {t}, n);
  // Whatever its angle, a sine is at most 1: what is left is the error of an entry whose angle is right.
  const double bound = entry_error(table, p);
  Residual worst{0, 0, 0};
  for (const double entry : at[0]) worst = worse(worst, excess(std::abs(entry), table.amplitude, bound));
  return worst;
}

using namespace negative_examples;

Made larger_ladder(double by) {
  return sizes([by](const Pair&, Position, Position) { return 1 + by; }, Domain{});
}

// Where every entry is a largest one: all rows of both pairs are the same.
Table still(std::array<double, 2> row, double amplitude = 1) {
  Table table = of_pairs({0, 0}, {0, 3}, [=](const Pair&, Position, Position) { return row; });
  table.amplitude = amplitude;
  return table;
}
Made column_larger(std::size_t which, std::array<double, 2> row, double by, double amplitude = 1) {
  return larger(still(row, amplitude), by, [=](const AnswerEntry& at) { return at.channel == which; });
}

}  // namespace

const Property entry{
    .statement = "No entry is larger than the amplitude, however far the position.",
    .formula = "|p_t[c]| <= A",
    .source = "Vaswani et al. 2017, section 3.5: |sin|, |cos| <= 1",
    .checks = {CheckOf<Table>(&check)},
    .must_reject =
        {{"an amplitude that is larger by 1e-6", larger_ladder(1e-6)},
         {"an amplitude that is larger by 2^-21, in f32", larger_ladder(0x1p-21), all_f32},
         {"a first entry larger than 1 by 2^-21, in f32", column_larger(0, {1, 0}, 0x1p-21), all_f32},
         {"a last entry larger than 1 by 2^-21, in f32", column_larger(3, {0, 1}, 0x1p-21), all_f32},
         {"a last entry below -1 by 2^-21, in f32", column_larger(3, {0, -1}, 0x1p-21), all_f32},
         {"a last entry below -1 by 2^-7, in bf16", column_larger(3, {0, -1}, 0x1p-7), in_bf16},
         {"a last entry larger than an amplitude of 1/4 by 2^-20 of it, in f32",
          column_larger(3, {0, 0.25}, 0x1p-20, 0.25), all_f32},
         {"entries of the only position larger by 2^-21, in f32", row_longer({0, 0}, 0, 0x1p-21), all_f32},
         {"entries larger by 2^-21 in the longest sequence, in f32",
          larger(still({0, 1}), 0x1p-21, in_length(4)), all_f32},
         {"entries larger by 2^-21 in the shortest sequence, in f32",
          larger(still({0, 1}), 0x1p-21, in_length(1)), all_f32},
         {"entries larger by 2^-21 at the last position, in f32",
          larger(still({0, 1}), 0x1p-21, at_position(3)), all_f32}},
};

}  // namespace posproof::properties_table_has_bounded_entries
