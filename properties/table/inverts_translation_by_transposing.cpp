#include "catalogue/properties/table/inverts_translation_by_transposing.h"
#include "negative_examples.h"
#include "rotation.h"

namespace posproof::properties_table_inverts_translation_by_transposing {
namespace {

Residual check(const Table& table, Precision p, Draw& draw) {
  if (table.pairs.empty() || table.lone)
    throw Inapplicable{"no shift can be read off without both of each pair"};
  const Position lo = table.positions.lo, hi = table.positions.hi;
  const Position k = draw.position("k", {1, hi - lo, table.positions.hard});
  const Position s = draw.position("s", table.positions, lo, hi - k);
  const Position t = draw.position("t", table.positions, lo + k, hi);

  const table_rows::BoundedRows at = table_rows::bounded(table, p, {s, s + k, t, t - k});
  Residual worst{0, 0, 0};
  for (const Pair& pair : table.pairs) {
    const table_rows::Shift on = table_rows::shift(table, at, 0, 1, pair),
                            back = table_rows::shift(table, at, 2, 3, pair);
    // A rotation and stretch as a complex number: the transposed matrix is the conjugate.
    worst = worse(worst, difference(norm(back.map - conjugate(on.map)), 0, on.error + back.error, 2));
  }
  return worst;
}

using namespace negative_examples;

}  // namespace

const Property entry{
    .statement =
        "The matrix that shifts rows back by k is the transpose of the one that shifts them forward by k, read off the table at any positions.",
    .formula = "M_{-k} = M_k^T",
    .source = "Vaswani et al. 2017, section 3.5: M_k is made of rotations",
    .checks = {CheckOf<Table>(&check)},
    .must_reject =
        {{"rows that shrink by 1e-9 a position", spiral(-1e-9)},
         {"rows that grow by 2^-22 a position, in f32", spiral(0x1p-22, {0, 15}), all_f32},
         {"rows that shrink by 2^-9 a position, in bf16", spiral(-0x1p-9, {0, 15}), in_bf16},
         {"the last of two rows longer by 2^-19, in f32", row_longer({0, 1}, 1, 0x1p-19), all_f32},
         {"the first of two rows shorter by 2^-19, in f32", row_longer({0, 1}, 0, -0x1p-19), all_f32},
         {"the first row, of -8, longer by 2^-18, in f32", row_longer({-8, 7}, -8, 0x1p-18), all_f32},
         {"the fastest pair longer by 2^-17 past position 8, in f32", one_pair_longer(0, 0x1p-17), all_f32},
         {"the slowest pair longer by 2^-18 past position 8, in f32", one_pair_longer(1, 0x1p-18), all_f32},
         {"the last entry larger by 2^-18, in f32", last_larger(small(), 0x1p-18), all_f32},
         {"the last entry smaller by 2^-4, in bf16", last_larger(small(), -0x1p-4), in_bf16},
         {"the first entry larger by 2^-17, in f32", first_larger(small(), 0x1p-17), all_f32}},
};

}  // namespace posproof::properties_table_inverts_translation_by_transposing
