#include "catalogue/properties/table/has_constant_norm.h"
#include "negative_examples.h"
#include "rows.h"

namespace posproof::properties_table_has_constant_norm {
namespace {

// Summing d squares and taking the root in double adds (d + 3)/2 roundings of the norm.
double ours(const Table& table, double norm) {
  return term(Term::ours, (static_cast<double>(table.dim) + 3) / 2 * unit_f64 * norm);
}

// However wrong its angle, a pair lies on its circle but for what its two entries are off by beside the
// angle, so the exact row y - e of the subject's own angles has the norm A sqrt h: |y|^2 - A^2 h = 2 y.e -
// |e|^2, and the norms differ by that over their sum. The worst case has every entry's error away from the
// origin; those of a right table point anywhere, and share 1/sqrt(2 h) of it: no bound on the norm of many
// pairs can be tighter without taking rounding for random (keeps_pairs_on_the_unit_circle asks pair by pair).
Residual on_a_ladder(const Table& table, Precision p, Draw& draw) {
  const Position t = draw.position("t", table.positions);
  const table_rows::RowsInParts at = table_rows::at(table, p, {t});
  const double expected = table.amplitude * std::sqrt(static_cast<double>(table.pairs.size()));
  const double value = table_rows::norm(at[0]);
  double product = 0, squares = 0;
  for (const Pair& pair : table.pairs)
    for (const std::size_t c : {pair.first, pair.second}) {
      const double error = at.beside[0][c];
      product += std::abs(at[0][c]) * error, squares += error * error;
    }
  const double bound = (2 * product + squares) / (value + expected) + ours(table, expected);
  return difference(value, expected, std::isfinite(bound) ? bound : 0, expected);
}

Residual check(const Table& table, Precision p, Draw& draw) {
  if (!table.pairs.empty()) return on_a_ladder(table, p, draw);
  const Position s = draw.position("s", table.positions);
  const Position t = draw.position("t", table.positions);
  if (s == t) throw Discard{};
  const table_rows::RowsInParts at = table_rows::at(table, p, {s, t});
  const double here = table_rows::norm(at[0]), there = table_rows::norm(at[1]);
  // Two infinite norms are equal, and no norms.
  if (!table_rows::finite(at.rows.data)) return {std::numeric_limits<double>::quiet_NaN(), 0, 1};
  // A norm is no further from the exact norm than the row from the exact row.
  const double bound =
      table_rows::norm(at.error[0]) + table_rows::norm(at.error[1]) + ours(table, here) + ours(table, there);
  return difference(there, here, std::isfinite(bound) ? bound : 0);
}

using namespace negative_examples;

Encoding skewed_pair() {
  return ladder(2, [](const Pair&, Position t, Position) {
    return std::array<double, 2>{std::sin(double(t)), std::cos(double(t) + 1e-6)};
  });
}

Made one_hot(std::size_t dim, std::size_t longer, double by) {
  return [=] {
    return plain(dim, Domain{0, static_cast<Position>(dim) - 1}, [=](std::size_t c, double t, double) {
      return static_cast<double>(c) == t ? (c == longer ? 1 + by : 1.0) : 0.0;
    });
  };
}

Encoding infinite() {
  return plain(1, Domain{0, 7},
               [](std::size_t, double, double) { return std::numeric_limits<double>::infinity(); });
}

}  // namespace

const Property entry{
    .statement =
        "Every row has the same norm; on a ladder of h pairs of one amplitude it is that amplitude times sqrt(h).",
    .formula = "|p_t| = |p_s|, = A sqrt(d/2) for d/2 pairs of amplitude A",
    .source = "Vaswani et al. 2017, section 3.5: sin^2 + cos^2 = 1 in each of d/2 pairs",
    .checks = {CheckOf<Table>(&check)},
    .must_reject = {{"a cosine that is rotated by 1e-6 radians against its sine", &skewed_pair},
                    {"a pair that is longer by 2^-20 of itself, in f32", row_longer({0, 0}, 0, 0x1p-20),
                     all_f32},
                    {"rows that are shorter by 2^-20, in f32",
                     sizes([](const Pair&, Position, Position) { return 1 - 0x1p-20; }), all_f32},
                    {"rows that are longer by 2^-6, in bf16",
                     sizes([](const Pair&, Position, Position) { return 1 + 0x1p-6; }), in_bf16},
                    {"a last entry that is larger by 2^-19, in f32", last_larger(small(), 0x1p-19), all_f32},
                    {"a first entry that is smaller by 2^-20, in f32", first_larger(small(), -0x1p-20),
                     all_f32},
                    {"the row of -8 longer by 2^-21, in f32", row_longer({-8, 7}, -8, 0x1p-21), all_f32},
                    {"a one-hot table with one code of sixteen longer by 1e-9", one_hot(16, 9, 1e-9)},
                    {"a one-hot table with the first of two codes longer by 2^-21, in f32",
                     one_hot(2, 0, 0x1p-21), all_f32},
                    {"a one-hot table with the last of two codes shorter by 2^-21, in f32",
                     one_hot(2, 1, -0x1p-21), all_f32},
                    {"a one-hot table with the last of two codes shorter by 2^-5, in bf16",
                     one_hot(2, 1, -0x1p-5), in_bf16},
                    {"rows whose norm is infinite", &infinite}},
};

}  // namespace posproof::properties_table_has_constant_norm
