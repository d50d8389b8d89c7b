#include "catalogue/properties/table/rotates_clockwise.h"
#include "negative_examples.h"
#include "rotation.h"

namespace posproof::properties_table_rotates_clockwise {
namespace {

Residual check(const Table& table, Precision p, Draw& draw) {
  const Position t = draw.position("t", table.positions, table.positions.lo, table.positions.hi - 1);
  const table_rows::BoundedRows at = table_rows::bounded(table, p, {t, t + 1});
  Residual worst{0, 0, 0};
  for (const Pair& pair : table.pairs) {
    // Half a rotation or more in one step has no direction.
    if (!(pair.frequency > 0 && pair.frequency < std::acos(-1.0))) continue;
    // The axes of the clock: x the sine column, y the cosine column. The cross product of exact rows of size
    // A is off by A(e + e') + e e'; two products and a difference in double are 3 roundings of at most A^2.
    const double e = table_rows::point_error(at, 0, pair), f = table_rows::point_error(at, 1, pair),
                 size = table.amplitude;
    const double cross = at[0][pair.first] * at[1][pair.second] - at[0][pair.second] * at[1][pair.first];
    const double bound = size * (e + f) + e * f + term(Term::ours, 3 * unit_f64 * size * size);
    worst = worse(worst, excess(cross, 0, bound, size * size * std::sin(pair.frequency)));
  }
  return worst;
}

using namespace negative_examples;

Encoding backwards() {
  return ladder_of_angles(8, [](const Pair& pair, double t, double) {
    return pair.index == 3 ? -pair.frequency * t : pair.frequency * t;
  });
}

Encoding swapped() {
  return ladder(2, [](const Pair& pair, Position t, Position) {
    return std::array<double, 2>{std::cos(pair.frequency * double(t)), std::sin(pair.frequency * double(t))};
  });
}

// A pair that should rotate by a radian a position and rotates back by little.
Made hardly_backwards(double by, Domain domain = {0, 15}) {
  return [=] {
    return of_pairs({1}, domain, [by](const Pair&, Position t, Position) { return right(-by * double(t)); });
  };
}

// Two pairs, right but for one step of one of them.
Made one_step_backwards(std::size_t which, Position from, double by) {
  return [=] {
    return of_pairs({0.5, 0.25}, {-8, 7}, [=](const Pair& pair, Position t, Position n) {
      return pair.index == which && t == from + 1 ? right(pair.frequency * double(from) - by)
                                                  : right_pair(pair, t, n);
    });
  };
}

}  // namespace

const Property entry{
    .statement =
        "With the sine to the right and the cosine upwards, each pair of a frequency between 0 and pi rotates clockwise from position to position.",
    .formula = "x = p[2i], y = p[2i+1], 0 < w_i < pi: x_t y_{t+1} - y_t x_{t+1} = -A^2 sin w_i < 0",
    .source =
        "Vaswani et al. 2017, section 3.5; with the cosine to the right the same pair rotates "
        "counter-clockwise",
    .checks = {CheckOf<Table>(&check)},
    .must_reject = {{"the slowest pair of four, which rotates the other way", &backwards},
                    {"sine and cosine in each other's column", &swapped},
                    {"a pair that rotates back by 2^-19 radians a position, in f32",
                     hardly_backwards(0x1p-19), all_f32},
                    {"a pair that rotates back by 2^-5 radians a position, in bf16", hardly_backwards(0x1p-5),
                     in_bf16},
                    {"a pair that rotates back by 2^-19 radians in its only step, in f32",
                     hardly_backwards(0x1p-19, {0, 1}), all_f32},
                    {"the first pair of two, back by 2^-18 radians from -8 to -7, in f32",
                     one_step_backwards(0, -8, 0x1p-18), all_f32},
                    {"the last pair of two, back by 2^-18 radians from 6 to 7, in f32",
                     one_step_backwards(1, 6, 0x1p-18), all_f32}},
};

}  // namespace posproof::properties_table_rotates_clockwise
