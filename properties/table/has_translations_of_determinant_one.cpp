#include "catalogue/properties/table/has_translations_of_determinant_one.h"
#include "negative_examples.h"
#include "rotation.h"

namespace posproof::properties_table_has_translations_of_determinant_one {
namespace {

double area(table_rows::Point a, table_rows::Point b) {
  return a.x * b.y - a.y * b.x;
}

Residual check(const Table& table, Precision p, Draw& draw) {
  if (table.pairs.empty() || table.lone)
    throw Inapplicable{"no shift can be read off without both of each pair"};
  const Position lo = table.positions.lo, hi = table.positions.hi;
  const Position k = draw.position("k", {1, hi - lo, table.positions.hard});
  const Position s = draw.position("s", table.positions, lo, hi - k);
  const Position t = draw.position("t", table.positions, lo, hi - k);
  if (s == t) throw Discard{};

  const table_rows::BoundedRows at = table_rows::bounded(table, p, {s, t, s + k, t + k});
  Residual worst{0, 0, 0};
  for (const Pair& pair : table.pairs) {
    // Two rows of a pair span an area, which the shift multiplies by its determinant. Of exact rows of size
    // A the area is off by A(e + e') + e e'; two products and a difference in double are 3 roundings of at
    // most A^2 each.
    const double size = table.amplitude;
    double bound = term(Term::ours, 6 * unit_f64 * size * size);
    for (const std::size_t r : {std::size_t{0}, std::size_t{2}}) {
      const double e = table_rows::point_error(at, r, pair), f = table_rows::point_error(at, r + 1, pair);
      bound += size * (e + f) + e * f;
    }
    const double before = area(table_rows::point(at, 0, pair), table_rows::point(at, 1, pair));
    const double after = area(table_rows::point(at, 2, pair), table_rows::point(at, 3, pair));
    worst = worse(worst, difference(after, before, bound, 2 * size * size));
  }
  return worst;
}

using namespace negative_examples;

}  // namespace

const Property entry{
    .statement =
        "A shift keeps the area, with its sign, that two rows of a pair span: its determinant is one.",
    .formula = "det M_k = 1: p_{s+k} x p_{t+k} = p_s x p_t",
    .source = "Vaswani et al. 2017, section 3.5: M_k is made of rotations, and cos^2 + sin^2 = 1",
    .checks = {CheckOf<Table>(&check)},
    .must_reject =
        {{"rows that grow by 1e-10 a position", spiral(1e-10)},
         {"rows that grow by 2^-21 a position, in f32", spiral(0x1p-21, {0, 15}), all_f32},
         {"rows that shrink by 2^-8 a position, in bf16", spiral(-0x1p-8, {0, 15}), in_bf16},
         {"the last of three rows longer by 2^-18, in f32", row_longer({0, 2}, 2, 0x1p-18), all_f32},
         {"the first of three rows shorter by 2^-18, in f32", row_longer({0, 2}, 0, -0x1p-18), all_f32},
         {"the first row, of -8, longer by 2^-17, in f32", row_longer({-8, 7}, -8, 0x1p-17), all_f32},
         {"the fastest pair longer by 2^-17 past position 8, in f32", one_pair_longer(0, 0x1p-17), all_f32},
         {"the slowest pair longer by 2^-14 past position 8, in f32", one_pair_longer(1, 0x1p-14), all_f32},
         {"the last entry larger by 2^-14, in f32", last_larger(small(), 0x1p-14), all_f32},
         {"the first entry larger by 2^-16, in f32", first_larger(small(), 0x1p-16), all_f32}},
};

}  // namespace posproof::properties_table_has_translations_of_determinant_one
