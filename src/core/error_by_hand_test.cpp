// Every bound against the number that its derivation gives by hand: everything that a property allows is
// built from these.
#include "core/error.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

using namespace posproof;

namespace {

constexpr double u = unit_f32, ln2 = std::numbers::ln2;
constexpr Precision iterated{unit_f32, unit_f32, Precision::Angles::iterated};
constexpr Precision mixed{unit_f32, unit_bf16};
const Pair half{0, 1, 0.5, 0};   // rotates by half a radian a position
const Pair third{2, 3, 0.5, 2};  // the third of its ladder

}  // namespace

TEST(Error, of_a_power_grows_with_its_exponent_and_its_place_on_the_ladder) {
  EXPECT_DOUBLE_EQ(power_error(all_f32, 1), 4 * u);
  EXPECT_DOUBLE_EQ(power_error(all_f32, 0.5), (4 + 3 * ln2) * u);
  EXPECT_DOUBLE_EQ(power_error(all_f32, 2), (4 + 3 * ln2) * u);
  EXPECT_DOUBLE_EQ(power_error(all_f32, 1, 5), (4 + 2 * 5) * u);
  EXPECT_DOUBLE_EQ(power_error(iterated, 1, 5), (4 + 3 * 5) * u);
  EXPECT_DOUBLE_EQ(power_error(mixed, 1), 4 * u);  // the angle's unit, not the result's
}

TEST(Error, of_an_angle_is_relative_and_at_most_half_a_turn) {
  EXPECT_DOUBLE_EQ(angle_error(all_f32, 1000, half), 500 * (6 + 3 * ln2) * u);
  EXPECT_DOUBLE_EQ(angle_error(all_f32, -1000, half), 500 * (6 + 3 * ln2) * u);
  EXPECT_DOUBLE_EQ(angle_error(all_f32, 1000, third), 500 * (6 + 3 * ln2 + 2 * 2) * u);
  EXPECT_DOUBLE_EQ(angle_error(all_f32, 1e12, half), std::numbers::pi);
  EXPECT_EQ(angle_error(all_f32, 1e12, Pair{0, 1, 0, 0}), 0);
  EXPECT_DOUBLE_EQ(angle_rounding(all_f32, 1000, third), 500 * 3 * u);
  EXPECT_DOUBLE_EQ(angle_rounding(iterated, 1000, third), 500 * (3 + 2) * u);
  EXPECT_DOUBLE_EQ(angle_rounding(all_f32, 1e12, half), std::numbers::pi);
}

TEST(Error, of_a_sine_is_two_ulp_and_a_rounding_beside_its_angle) {
  EXPECT_DOUBLE_EQ(sine_error(mixed, 0, half), 4 * u + unit_bf16);
  EXPECT_DOUBLE_EQ(sine_error(mixed, 1000, half), 500 * (6 + 3 * ln2) * u + 4 * u + unit_bf16);
  EXPECT_DOUBLE_EQ(sine_error(mixed, 1e12, half), 2 + 4 * u + unit_bf16);
}

TEST(Error, of_a_row_is_that_of_each_column) {
  const Table table{.dim = 5,
                    .pairs = {half},
                    .amplitude = 0.25,
                    .offset = 10,
                    .lone = third,
                    .error = [](double entry, const Precision& p) { return difference_error(p, entry, 2); }};
  const std::array<double, 5> row = {0.1, 0.2, 0.1, -7, std::numeric_limits<double>::infinity()};
  const auto error = row_error(table, all_f32, 990, row), rounding = row_rounding(table, all_f32, 990, row);
  EXPECT_DOUBLE_EQ(error[0], 0.25 * (500 * (6 + 3 * ln2) + 6) * u);
  EXPECT_DOUBLE_EQ(error[1], error[0]);
  EXPECT_DOUBLE_EQ(error[2], 0.25 * (500 * (6 + 3 * ln2 + 2 * 2) + 6) * u);
  EXPECT_DOUBLE_EQ(error[3], (2 * 7 + 3 * 2) * u);
  EXPECT_EQ(error[4], 0);  // what is no number is allowed nothing
  EXPECT_DOUBLE_EQ(rounding[0], 0.25 * (500 * 3 + 6) * u);
  EXPECT_DOUBLE_EQ(rounding[3], error[3]);
  const double squares = 2 * error[0] * error[0] + error[2] * error[2] + error[3] * error[3];
  EXPECT_DOUBLE_EQ(row_norm_error(table, all_f32, 990, row), std::sqrt(squares));
}

TEST(Error, of_a_turn_is_its_angle_and_the_roundings_of_two_formats) {
  EXPECT_DOUBLE_EQ(rotation_error(mixed, 0, half), (6 * u + 4 * unit_bf16));
  EXPECT_DOUBLE_EQ(rotation_error(mixed, 1000, half), 500 * (6 + 3 * ln2) * u + (6 * u + 4 * unit_bf16));
  EXPECT_DOUBLE_EQ(rotation_error(mixed, 1e12, half), 2 + (6 * u + 4 * unit_bf16));
  EXPECT_DOUBLE_EQ(rotation_rounding(mixed, 1000, half), 500 * 3 * u + (6 * u + 4 * unit_bf16));
  const Rotary rotary{.dim = 3, .pairs = {half}};
  const auto error = rotated_error(rotary, mixed, 1000, std::array{3.0, -4.0, 9.0});
  EXPECT_DOUBLE_EQ(error[0], 5 * rotation_error(mixed, 1000, half));
  EXPECT_DOUBLE_EQ(error[1], error[0]);
  EXPECT_EQ(error[2], 0);  // it does not rotate
}

TEST(Error, of_a_scaled_frequency_is_the_powers_and_what_the_scaling_adds) {
  EXPECT_EQ(divided().roundings, 2);
  EXPECT_DOUBLE_EQ(from_scaled_base(0.5, 8).roundings, 5 + 1.5 * std::log(8));
  // Of 2.5 rotations, half way from 1 to 4, g is 1/2 and v is 0.5625 w for a factor of 8: g counts 14/9
  // times, and w 2.5/3 times in g.
  const FrequencyError half_way = by_rotations(0.5, 0.28125, 8, 2.5, 1, 4);
  EXPECT_DOUBLE_EQ(half_way.condition, 1 + 2.5 / 3 * 14 / 9);
  EXPECT_DOUBLE_EQ(half_way.roundings, 5 + 3 * (2.5 / 3 + 1) * 14 / 9);
  for (const FrequencyError& kept :
       {by_rotations(0.5, 0.5, 8, 6, 1, 4), by_rotations(0.5, 0.0625, 8, 0.5, 1, 4),
        by_index(0.5, 0.5, 8, 2, 2, 6, 0), by_index(0.5, 0.0625, 8, 6, 2, 6, 0)}) {
    EXPECT_EQ(kept.condition, 1);
    EXPECT_EQ(kept.roundings, 2);
  }
  EXPECT_EQ(by_index(0.5, 0.28125, 8, 4, 2, 6, 0).condition, 1);
  EXPECT_DOUBLE_EQ(by_index(0.5, 0.28125, 8, 4, 2, 6, 0).roundings, 5 + 3 * 14.0 / 9);
  EXPECT_DOUBLE_EQ(by_index(0.5, 0.28125, 8, 4, 2, 6, 10).roundings, 5 + (3 + 10.0 / 4) * 14 / 9);
  EXPECT_DOUBLE_EQ(ramp_end_error(64, std::exp(1.0), -2), 96 + 12);
  const Pair scaled{0, 1, 0.5, 0, {3, 7}};
  EXPECT_DOUBLE_EQ(angle_error(all_f32, 1000, scaled), 500 * (3 * (4 + 3 * ln2) + 7 + 2) * u);
  EXPECT_DOUBLE_EQ(angle_rounding(all_f32, 1000, scaled), 500 * 3 * u);  // the same at every position
}

TEST(Error, of_a_turn_grows_with_what_multiplies_it) {
  const Rotary rotary{.dim = 2, .pairs = {half}, .amplitude = 1.25};
  EXPECT_DOUBLE_EQ(amplitude_error(rotary, mixed), 2 * unit_bf16 + 5 * u);
  EXPECT_EQ(amplitude_error(Rotary{.dim = 2, .pairs = {half}}, mixed), 0);
  EXPECT_DOUBLE_EQ(rotated_error(rotary, mixed, 1000, std::array{3.0, -4.0})[0],
                   6.25 * (rotation_error(mixed, 1000, half) + 2 * unit_bf16 + 5 * u));
}

TEST(Error, of_a_bias_is_that_of_its_slope_and_two_products) {
  EXPECT_DOUBLE_EQ(bias_error(mixed, -8, 0.5, 1), 8 * ((4 + 3 * ln2 + 2 + 2) * u + 2 * unit_bf16));
  EXPECT_DOUBLE_EQ(bias_error(mixed, -8, 0.5, 3), 8 * ((4 + 3 * ln2 + 6 + 2) * u + 2 * unit_bf16));
  EXPECT_DOUBLE_EQ(bias_error(mixed, -8, 0, 1), 8 * 2 * unit_bf16);  // a number from a table
  EXPECT_DOUBLE_EQ(bias_rounding(mixed, -8, 0.5), 8 * (2 * u + 2 * unit_bf16));
  EXPECT_DOUBLE_EQ(bias_rounding(mixed, -8, 0), 8 * 2 * unit_bf16);
}
