#include "rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "catalogue/properties/table/has_geometric_wavelengths.h"
#include "core/formats.h"
#include "core/property.h"
#include "negative_examples.h"
#include "rotation.h"

using namespace posproof;

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

TEST(ToldApart, nan_is_told_apart_from_nothing) {
  const std::vector<double> row = {0, 1, 0, 1};
  const std::vector<double> nan = {0, std::numeric_limits<double>::quiet_NaN(), 0, 1};
  EXPECT_FALSE(table_rows::told_apart(right_table(), 0, 1, row, nan, 1).holds());
}

TEST(BoundedRows, rows_of_another_shape_are_refused) {
  Table table = right_table();
  table.dim = 6;
  EXPECT_THROW(table_rows::at(table, all_f64, {0, 1}), std::length_error);
}

TEST(Rotation, a_shift_turns_a_pair_by_its_frequency) {
  const Table table = right_table();
  const table_rows::BoundedRows at = table_rows::at(table, all_f64, {100, 107});
  const table_rows::Shift shift = table_rows::shift(table, at, 0, 1, table.pairs[1]);
  EXPECT_NEAR(shift.map.x, std::cos(0.07), shift.error);
  EXPECT_NEAR(shift.map.y, std::sin(0.07), shift.error);
  EXPECT_LT(shift.error, 1e-14);
}

TEST(Rotation, a_stretch_is_not_carried_by_a_turn) {
  const Table table = right_table();
  table_rows::BoundedRows at = table_rows::at(table, all_f64, {3, 7});
  EXPECT_TRUE(table_rows::carried(table, at).holds());
  for (double& x : at.rows.row(1)) x *= 1 + 1e-12;
  EXPECT_FALSE(table_rows::carried(table, at).holds());
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
