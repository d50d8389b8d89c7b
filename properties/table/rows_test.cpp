#include "rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "catalogue/properties/table/has_geometric_wavelengths.h"
#include "core/formats.h"
#include "core/property.h"
#include "negative_examples.h"
#include "rotation.h"

namespace posproof::rows_test {

namespace {

Table right_table() {
  return negative_examples::ladder_of_angles(
      4, [](const Pair& pair, double t, double) { return pair.frequency * t; });
}

}  // namespace

TEST(ToldApart, equal_codes_are_off_by_what_the_ladder_puts_between_them) {
  const std::vector<double> row = {0, 1, 0, 1};
  const double chord = 2 * std::sin(0.5), slow = 2 * std::sin(0.005);
  const Residual collided = table_rows::told_apart(right_table(), 0, 1, row, row, 1e-9);
  EXPECT_NEAR(collided.error, std::sqrt(chord * chord + slow * slow), 1e-15);
  EXPECT_FALSE(collided.holds());
  // Where rounding alone may bring two rows together, that they are equal says nothing.
  EXPECT_TRUE(table_rows::told_apart(right_table(), 0, 1, row, row, 2).vacuous());
}

// Whole turns, as far as doubles tell: 8 units of the angle, and no more. Eight steps of an eighth of a turn
// are one, whose remainder is what the frequency is off by.
TEST(ToldApart, a_ladder_comes_round_within_8_units_of_its_angle) {
  const auto comes_round = [](double off) {
    Table table{.dim = 2};
    table.pairs = {{0, 1, std::numbers::pi / 4 * (1 + off)}};
    return table_rows::comes_round(table, 0, 8);
  };
  EXPECT_TRUE(comes_round(0));
  EXPECT_TRUE(comes_round(4 * unit_f64));
  EXPECT_FALSE(comes_round(16 * unit_f64));
  EXPECT_FALSE(comes_round(-64 * unit_f64));
}

TEST(ToldApart, nan_is_told_apart_from_nothing) {
  const std::vector<double> row = {0, 1, 0, 1};
  const std::vector<double> nan = {0, std::numeric_limits<double>::quiet_NaN(), 0, 1};
  EXPECT_FALSE(table_rows::told_apart(right_table(), 0, 1, row, nan, 1).holds());
}

TEST(ToldApart, what_is_no_number_in_either_row_is_none) {
  const std::vector<double> row = {0, 1, 0, 1};
  const std::vector<double> nan = {0, 1, 0, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_TRUE(std::isnan(table_rows::told_apart(right_table(), 0, 1, nan, row, 1).error));
  EXPECT_TRUE(std::isnan(table_rows::told_apart(right_table(), 0, 1, row, nan, 1).error));
}

// Without a ladder there is nothing to measure by: equal is off by 1, and nothing is allowed.
TEST(ToldApart, without_a_ladder_rows_are_equal_or_not) {
  const Table plain{.dim = 2};
  const std::vector<double> row = {0, 1}, other = {0, 2}, another = {1, 1};
  const Residual equal = table_rows::told_apart(plain, 0, 1, row, row, 0.5);
  EXPECT_EQ(equal.error, 1);
  EXPECT_EQ(equal.bound, 0);
  EXPECT_EQ(equal.ceiling, 1);
  EXPECT_EQ(table_rows::told_apart(plain, 0, 1, row, other, 0.5).error, 0) << "the last entry differs";
  EXPECT_EQ(table_rows::told_apart(plain, 0, 1, row, another, 0.5).error, 0) << "the first entry differs";
}

namespace {

// Rows of one pair, each off by an angle and by what is beside it.
table_rows::RowsInParts made(std::vector<double> rows, double angle, std::vector<double> beside) {
  const std::size_t n = rows.size() / 2;
  table_rows::RowsInParts at{{Tensor({n, 2}, std::move(rows)), {Tensor({n, 2})}}, {{0, 1, 1.0}}};
  at.angle.all = Tensor({n, 1});
  for (double& a : at.angle.all.data) a = angle;
  at.beside.all = Tensor({n, 2}, std::move(beside));
  return at;
}

}  // namespace

TEST(RowError, is_along_the_circle_and_beside_it) {
  const std::vector<double> other = {0, 2};
  const table_rows::RowError small = table_rows::row_error(made({3, 4}, 0.125, {0.25, 0.5}), 0, other);
  const double rest = std::sqrt(0.3125);  // of 1/4 and 1/2
  // 1/2 of 2; 1/8 of the cross product 6; (1/8)^2 / 2 of 5 times 2; 1/8 of the rest times 2.
  EXPECT_DOUBLE_EQ(small.product, 1 + 0.75 + 0.078125 + 0.125 * rest * 2);
  EXPECT_DOUBLE_EQ(small.norm, std::sqrt(0.3125 + 0.625 * 0.625 + 2 * 0.625 * rest));
}

TEST(RowError, of_an_angle_is_no_more_than_a_diameter) {
  const std::vector<double> other = {0, 2};
  const table_rows::RowError all = table_rows::row_error(made({3, 4}, 4, {0, 0}), 0, other);
  EXPECT_DOUBLE_EQ(all.product, 2 * 5 * 2);
  EXPECT_DOUBLE_EQ(all.norm, 2 * 5);
}

TEST(Apart, is_off_by_no_more_than_both_rows) {
  const auto near = made({1, 0, 0.5, 0}, 0, {1, 0, 1, 0});
  EXPECT_DOUBLE_EQ(table_rows::apart(near, 0, near, 1).error, 2) << "by its square it would be 12";
  EXPECT_EQ(table_rows::apart(near, 0, near, 0).error, 2) << "equal rows";
}

TEST(Measured, of_rows_that_are_no_numbers_is_allowed_nothing) {
  const double infinite = std::numeric_limits<double>::infinity();
  const auto rows = made({infinite, 1, 1, 1}, 0, {1, 1, 1, 1});
  EXPECT_EQ(table_rows::dot(rows, 0, rows, 1).error, 0);
  EXPECT_EQ(table_rows::apart(rows, 0, rows, 1).error, 0);
}

TEST(RowsInParts, rows_of_another_shape_are_refused) {
  Table table = right_table();
  table.dim = 6;
  EXPECT_THROW(table_rows::at(table, all_f64, {0, 1}), std::length_error);
}

TEST(Rotation, a_shift_turns_a_pair_by_its_frequency) {
  const Table table = right_table();
  const table_rows::RowsInParts at = table_rows::at(table, all_f64, {100, 107});
  const table_rows::Shift shift = table_rows::shift(table, at, 0, 1, table.pairs[1]);
  EXPECT_NEAR(shift.map.x, std::cos(0.07), shift.error);
  EXPECT_NEAR(shift.map.y, std::sin(0.07), shift.error);
  EXPECT_LT(shift.error, 1e-14);
}

TEST(Rotation, a_stretch_is_not_carried_by_a_turn) {
  const Table table = right_table();
  table_rows::RowsInParts at = table_rows::at(table, all_f64, {3, 7});
  EXPECT_TRUE(table_rows::carried(table, at).holds());
  for (double& x : at.rows.row(1)) x *= 1 + 1e-12;
  EXPECT_FALSE(table_rows::carried(table, at).holds());
}

TEST(Rotation, a_shift_of_what_may_be_nothing_is_off_by_anything) {
  const Table table = right_table();
  table_rows::RowsInParts at = table_rows::at(table, all_f64, {3, 7});
  at.error.all.row(0)[0] = 0.75, at.error.all.row(0)[1] = 1;  // 1.25 of a circle of 1
  EXPECT_EQ(table_rows::shift(table, at, 0, 1, table.pairs[0]).error, no_ceiling);
}

// Two directions: of a point that is off by e, 2 e / (2 - e).
TEST(Rotation, is_off_by_both_directions) {
  const Table table = right_table();
  table_rows::RowsInParts at = table_rows::at(table, all_f64, {3, 7});
  const auto error = [&](double from, double to) {
    at.error.all.row(0)[0] = 0.6 * from, at.error.all.row(0)[1] = 0.8 * from;
    at.error.all.row(1)[0] = 0.6 * to, at.error.all.row(1)[1] = 0.8 * to;
    return table_rows::rotate(table, at, 0, 1, table.pairs[0]).error;
  };
  EXPECT_EQ(error(0, 0), 8 * unit_f64);
  EXPECT_NEAR(error(0.5, 0), 2.0 / 3, 1e-14);
  EXPECT_NEAR(error(0.5, 0.2), 2.0 / 3 + 2.0 / 9, 1e-14);
  EXPECT_EQ(error(1.5, 0.2), 2);
  EXPECT_EQ(error(3, 0.2), 2) << "twice the radius and more";
}

TEST(Rotation, leaves_columns_on_no_pair_as_they_are) {
  Table table{.dim = 4};
  table.pairs = {{1, 2, 1.0}};
  table_rows::RowsInParts at{Tensor({2, 4}, {0.5, 0, 1, 3, 0.25, 0, 1, 3}), {Tensor({2, 4})}};
  for (const std::size_t r : {0u, 1u})
    for (const std::size_t c : {0u, 3u}) at.error.all.at(r, c) = r == 0 ? 0.125 : 0.0625;
  const Residual first = table_rows::carried(table, at);
  EXPECT_EQ(first.error, 0.25);
  EXPECT_EQ(first.bound, 0.1875);
  at.rows.at(1, 0) = 0.5, at.rows.at(1, 3) = 1;
  EXPECT_EQ(table_rows::carried(table, at).error, 2) << "the last column";
}

// Lengths of 5 and 6 are 1 apart, however the one is rotated.
TEST(Rotation, is_sought_among_all_where_no_pairs_are_declared) {
  Table table{.dim = 2};
  const table_rows::RowsInParts at{Tensor({2, 2}, {3, 4, 0, 6}), {Tensor({2, 2}, {0.375, 0.5, 0, 0.25})}};
  const double ours = procrustes(Tensor({1, 2}, {3, 4}), Tensor({1, 2}, {0, 6})).rounding;
  const Residual any = table_rows::carried(table, at);
  EXPECT_NEAR(any.error, 1, 1e-15);
  EXPECT_EQ(any.bound, 0.625 + 0.25 + ours);
  EXPECT_EQ(any.ceiling, 11);
  table.pairs = {{0, 1, 1.0}};
  EXPECT_NE(table_rows::carried(table, at).ceiling, 11);
  table.lone = Pair{0, 0, 1.0};
  EXPECT_EQ(table_rows::carried(table, at).ceiling, 11) << "a lone column has no pair to rotate with";
}

// In bf16 points fall onto the negative axis, where the sign of a zero says whether their angle is pi or -pi.
TEST(Wavelengths, of_points_on_the_negative_axis_are_measured) {
  const Table exact = negative_examples::ladder(16, [](const Pair& pair, Position t, Position) {
    const auto [sine, cosine] =
        negative_examples::right(to_f32(static_cast<double>(t) * to_f32(pair.frequency)));
    return std::array<double, 2>{to_bf16(sine), to_bf16(cosine)};
  });
  const auto check = std::get<CheckOf<Table>>(properties::table::has_geometric_wavelengths.checks.front());
  for (int t = 0; t < 600; ++t)
    for (int doublings = 17; doublings < 20; ++doublings) {
      Case at;
      at.set("t", static_cast<double>(t)), at.set("doublings", static_cast<double>(doublings));
      Replay draw(at);
      const Residual residual = check(exact, Precision{unit_f32, unit_bf16}, draw);
      ASSERT_TRUE(residual.holds()) << at.text() << " off by " << residual.error;
    }
}

}  // namespace posproof::rows_test
