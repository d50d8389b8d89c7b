// Every bound against the number that its derivation gives by hand: everything that a property allows is
// built from these.
#include "core/error.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace posproof::error_by_hand_test {

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
  EXPECT_DOUBLE_EQ(power_error(all_f32, 1, 5), 4 * u);  // no ladder of steps, no error of a step
  EXPECT_DOUBLE_EQ(power_error(iterated, 1, 5), (4 + 3 * 5) * u);
  EXPECT_DOUBLE_EQ(power_error(mixed, 1), 4 * u);  // the angle's unit, not the result's
}

TEST(Error, of_an_angle_is_relative_and_at_most_half_a_turn) {
  EXPECT_DOUBLE_EQ(angle_error(all_f32, 1000, half), 500 * (6 + 3 * ln2) * u);
  EXPECT_DOUBLE_EQ(angle_error(all_f32, -1000, half), 500 * (6 + 3 * ln2) * u);
  EXPECT_DOUBLE_EQ(angle_error(all_f32, 1000, third), 500 * (6 + 3 * ln2) * u);
  EXPECT_DOUBLE_EQ(angle_error(iterated, 1000, third), 500 * (6 + 3 * ln2 + 3 * 2) * u);
  EXPECT_DOUBLE_EQ(angle_error(all_f32, 1e12, half), std::numbers::pi);
  EXPECT_EQ(angle_error(all_f32, 1e12, Pair{0, 1, 0, 0}), 0);
  // Of 500 the neighbours in f32 are 2 * 256 u away.
  EXPECT_DOUBLE_EQ(angle_rounding(all_f32, 1000, third), 256 * u);
  EXPECT_DOUBLE_EQ(angle_rounding(all_f32, -1000, third), 256 * u);
  EXPECT_DOUBLE_EQ(angle_rounding(iterated, 1000, third), (256 + 2 * 500) * u);
  // 512 u below the next binade, into which an own frequency may put it.
  EXPECT_DOUBLE_EQ(angle_rounding(all_f32, 1023.9999, half), 512 * u);
  // Past 2^24 the position is rounded, too.
  EXPECT_DOUBLE_EQ(angle_rounding(all_f32, 0x1p25, Pair{0, 1, 0x1p-20, 0}), (32 + 32) * u);
  // A frequency that no power of the base can be trusted with to 64 units.
  EXPECT_DOUBLE_EQ(angle_rounding(all_f32, 1e6, Pair{0, 1, 1.5e-9, 0}), 1.5e-3 * u);
  EXPECT_DOUBLE_EQ(angle_rounding(all_f32, 1e12, half), std::numbers::pi);
}

TEST(Error, of_a_sine_is_two_ulp_and_a_rounding_beside_its_angle) {
  EXPECT_DOUBLE_EQ(sine_error(mixed, 0, half), 4 * u + unit_bf16);
  EXPECT_DOUBLE_EQ(sine_error(mixed, 1000, half), 500 * (6 + 3 * ln2) * u + 4 * u + unit_bf16);
  EXPECT_DOUBLE_EQ(sine_error(mixed, 1e12, half), 2 + 4 * u + unit_bf16);
}

TEST(Error, of_a_rounded_number_is_half_the_distance_of_its_neighbours) {
  EXPECT_EQ(half_ulp(unit_bf16, 1), unit_bf16);
  EXPECT_EQ(half_ulp(unit_bf16, -1.99), unit_bf16);
  EXPECT_EQ(half_ulp(unit_bf16, 0.999), unit_bf16 / 2);
  EXPECT_EQ(half_ulp(unit_f32, -3e10), 0x1p34 * u);
  EXPECT_EQ(half_ulp(unit_f32, 0), 0);
  EXPECT_EQ(half_ulp(0, 5), 0);
}

TEST(Error, of_an_entry_beside_its_angle_is_that_of_the_library_the_table_and_the_result) {
  const Table table{.dim = 2, .pairs = {half}};
  const auto beside = [&](const char* precision, double entry) {
    return RowErrors(table, Precision::parse(precision), RowErrors::Against::itself).beside_angle(entry);
  };
  EXPECT_DOUBLE_EQ(beside("f32", 0.75), 2 * u);
  EXPECT_DOUBLE_EQ(beside("f32", -0.3), u);
  EXPECT_DOUBLE_EQ(beside("f32", 0.001), u);
  EXPECT_DOUBLE_EQ(beside("bf16", 0.75), 2 * u + unit_bf16 / 2);
  EXPECT_DOUBLE_EQ(beside("bf16", 0.001), u + 0x1p-10 * unit_bf16);
  EXPECT_DOUBLE_EQ(beside("bf16", 0.999), 2 * u + unit_bf16);  // next to a binade of bf16
  EXPECT_DOUBLE_EQ(beside("bf16/bf16", 0.75), 2 * unit_bf16);
  EXPECT_DOUBLE_EQ(beside("f32+table=bf16", 0.75), 2 * u + unit_bf16 / 2);
  EXPECT_DOUBLE_EQ(beside("f16", 0.75), 2 * u + unit_f16 / 2 + 0x1p-25);
  const Table doubled{.dim = 2, .pairs = {half}, .amplitude = 2};
  EXPECT_DOUBLE_EQ(RowErrors(doubled, all_f32, RowErrors::Against::itself).beside_angle(1.5),
                   2 * 2 * u + 2 * 1.5 * u);
  std::array<double, 1> angle = {};
  RowErrors(table, all_f32, RowErrors::Against::itself).angles_at(1000, angle);
  EXPECT_EQ(angle[0], angle_rounding(all_f32, 1000, half));
  RowErrors(table, all_f32, RowErrors::Against::declared).angles_at(1000, angle);
  EXPECT_EQ(angle[0], angle_error(all_f32, 1000, half));
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
  EXPECT_DOUBLE_EQ(error[2], 0.25 * (500 * (6 + 3 * ln2) + 6) * u);
  EXPECT_DOUBLE_EQ(error[3], (2 * 7 + 3 * 2) * u);
  EXPECT_EQ(error[4], 0);  // what is no number is allowed nothing
  EXPECT_DOUBLE_EQ(rounding[0], 0.25 * (256 + 6) * u);
  EXPECT_DOUBLE_EQ(rounding[3], error[3]);
  const double squares = 2 * error[0] * error[0] + error[2] * error[2] + error[3] * error[3];
  EXPECT_DOUBLE_EQ(row_norm_error(table, all_f32, 990, row), std::sqrt(squares));
}

TEST(Error, of_a_turn_is_its_angle_and_the_roundings_of_each_format) {
  const double root = std::numbers::sqrt2;
  // Computed in f32, rounded to bf16 once.
  const double once = (1 + 4 * root * u) * (1 + root * u) * (1 + u) * (1 + unit_bf16) - 1;
  EXPECT_DOUBLE_EQ(rotation_error(mixed, 0, half), once);
  EXPECT_DOUBLE_EQ(rotation_error(mixed, 1000, half), 500 * (6 + 3 * ln2) * u + once);
  EXPECT_DOUBLE_EQ(rotation_error(mixed, 1e12, half), 2 + once);
  EXPECT_DOUBLE_EQ(rotation_rounding(mixed, 1000, half), 256 * u + once);
  const auto at_zero = [](const char* words) { return rotation_error(Precision::parse(words), 0, half); };
  EXPECT_NEAR(at_zero("f32"), (4 * root + root + 1) * u, 1e-3 * u);
  constexpr double b = unit_bf16;
  EXPECT_DOUBLE_EQ(at_zero("bf16/bf16"), (1 + 4 * root * b) * (1 + root * b) * (1 + b) - 1);
  EXPECT_DOUBLE_EQ(at_zero("bf16+table=bf16"), (1 + 4 * root * u) * (1 + b) * (1 + root * b) * (1 + b) - 1);
  EXPECT_DOUBLE_EQ(at_zero("f32+table=bf16"), (1 + 4 * root * u) * (1 + b) * (1 + root * u) * (1 + u) - 1);
  EXPECT_DOUBLE_EQ(at_zero("bf16+table=bf16+work=f32"),
                   (1 + 4 * root * u) * (1 + b) * (1 + root * u) * (1 + u) * (1 + b) - 1);
  const Rotary rotary{.dim = 3, .pairs = {half}};
  const auto error = rotated_error(rotary, mixed, 1000, std::array{3.0, -4.0, 9.0});
  EXPECT_DOUBLE_EQ(error[0], 5 * rotation_error(mixed, 1000, half));
  EXPECT_DOUBLE_EQ(error[1], error[0]);
  EXPECT_EQ(error[2], 0);  // it does not rotate
  const auto second_alone = rotated_error(rotary, mixed, 1000, std::array{0.0, -4.0, 9.0});
  EXPECT_DOUBLE_EQ(second_alone[0], 4 * rotation_error(mixed, 1000, half));
  EXPECT_EQ(rotated_error(rotary, mixed, 1000, std::array{0.0, 0.0, 9.0})[0], 0);  // nothing is off
}

// A lone column is the first of a pair whose other column is not there: kept in bf16, it errs in proportion
// to its entry as that one does.
TEST(Error, of_a_lone_column_that_is_kept_in_few_bits_is_that_of_the_first_of_a_pair) {
  const Table lone{.dim = 3, .pairs = {half}, .lone = third}, pair{.dim = 4, .pairs = {half, third}};
  const std::array<double, 4> row = {0.75, 0.125, 0.0625, 0.5};
  std::array<double, 4> alone = {}, both = {}, whole = {};
  const auto declared = RowErrors::Against::declared;
  RowErrors(lone, mixed, declared).narrowed(10, std::span(row).first(3), std::span(alone).first(3));
  RowErrors(pair, mixed, declared).narrowed(10, row, both);
  RowErrors(pair, mixed, declared).at(10.0, row, whole);
  EXPECT_DOUBLE_EQ(alone[2], both[2]);
  EXPECT_LT(both[2], whole[2] / 8) << "an entry of 1/16";
}

// Of (3, -4), rotated by an angle of sine 0.6: by a cosine of 0.8 to (4.8, -1.4).
TEST(Error, of_a_channel_that_is_kept_in_few_bits_is_in_proportion_to_what_it_is_a_sum_of) {
  const Rotary rotary{.dim = 3, .pairs = {half}};
  const auto of = [&](const char* words, Position t) {
    const Precision p = Precision::parse(words);
    const std::array<double, 1> at = {static_cast<double>(t)};
    return rotated_error(rotary, p, at, std::array{3.0, -4.0, 9.0}, std::array{4.8, -1.4, 9.0}, Role::query);
  };
  constexpr double b = unit_bf16;
  const double root = std::numbers::sqrt2, library = (1 + 4 * root * u) * (1 + root * u) * (1 + u) - 1;
  const auto expected = [&](double before, double sum, double after) {
    return (before + (sum + before) * after) * (1 + 2 * after);
  };
  // The products are 2.4 and 2.4, and -1.8 and 3.2: sums of 4.8 and 5.
  const double once = (1 + u) * (1 + u) * (1 + b) - 1, kept = (1 + b) * (1 + b) * (1 + b) - 1;
  EXPECT_DOUBLE_EQ(of("bf16", 0)[0], expected(5 * library, 4.8, once));
  EXPECT_DOUBLE_EQ(of("bf16+table=bf16", 0)[0], expected(5 * library, 4.8, kept));
  const double angle = rotation_error(all_f32, 1000, half);
  EXPECT_DOUBLE_EQ(of("bf16", 1000)[0], expected(5 * angle, 4.8, once));
  // No more than of the pair's norm, and the same where nothing is kept in fewer bits.
  EXPECT_DOUBLE_EQ(of("bf16", 0)[1], 5 * rotation_error(mixed, 0, half));
  EXPECT_EQ(of("f32", 1000)[0], 5 * rotation_error(all_f32, 1000, half));
  EXPECT_EQ(of("bf16", 1000)[2], 0);
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
  EXPECT_EQ(divided_by_each().roundings, 3);
  const Pair scaled{0, 1, 0.5, 0, {3, 7}};
  EXPECT_DOUBLE_EQ(angle_error(all_f32, 1000, scaled), 500 * (3 * (4 + 3 * ln2) + 7 + 2) * u);
  // The same at every position; an interpolated position is divided first.
  EXPECT_DOUBLE_EQ(angle_rounding(all_f32, 1000, scaled), 500 * 2 * u);
}

// Of a call of three trained lengths under a factor of 8 the base grows by 3 * 8 - 7 = 17 to a power: the
// length counts 24/17 times, the factor 31/17 times, and the sum is rounded.
TEST(Error, of_a_base_that_grows_with_the_length_is_that_of_the_length_and_the_factor) {
  EXPECT_EQ(from_length(0.5, 8, 3).condition, 1);
  EXPECT_DOUBLE_EQ(from_length(0.5, 8, 3).roundings, 5 + 1.5 * std::log(17) + 0.5 * (2 * 24 + 7 + 17) / 17);
  EXPECT_DOUBLE_EQ(from_length(2, 4, 1.5).roundings, 5 + 6 * std::log(3) + 2.0 * (2 * 6 + 3 + 3) / 3);
  EXPECT_DOUBLE_EQ(from_length(0, 8, 3).roundings, 5);
}

// Of a ramp over the indices from 2 to 4, whose ends are off by 10 units: much of the share is
// (1 - 1/8) 0.5/0.125 = 3.5, and an index within 1/64 of an end may be on the ramp.
TEST(Error, of_a_ramp_between_ends_that_are_not_whole_reaches_past_them) {
  const auto roundings = [](double index, double end_error) {
    return by_index(0.5, 0.125, 8, index, 2, 4, end_error).roundings;
  };
  const double on_the_ramp = 5 + (3 + 10 / 2.0) * 3.5;
  for (const double index : {2 - 1.0 / 128, 2.0, 3.0, 4.0, 4 + 1.0 / 128})
    EXPECT_DOUBLE_EQ(roundings(index, 10), on_the_ramp) << index;
  for (const double index : {1.0, 2 - 1.0 / 64, 4 + 1.0 / 64}) EXPECT_EQ(roundings(index, 10), 2) << index;
  EXPECT_EQ(roundings(2, 0), 2);  // whole ends are exact
  EXPECT_EQ(roundings(4, 0), 2);
  EXPECT_DOUBLE_EQ(roundings(3, 0), 5 + 3 * 3.5);
}

// A share that jumps: on which side it is formats know that are fine enough, and only the others may be off
// by the whole jump.
TEST(Error, of_a_step_is_the_jump_where_the_format_cannot_tell_the_side) {
  const FrequencyError kept = by_rotations(0.5, 0.5, 8, 1.25, 1, 1),
                       slowed = by_rotations(0.5, 0.0625, 8, 0.75, 1, 1);
  EXPECT_EQ(kept.margin, 0.25);
  EXPECT_EQ(kept.jump, 7.0 / 8);
  EXPECT_EQ(slowed.margin, 0.25);
  EXPECT_EQ(slowed.jump, 7);
  EXPECT_EQ(kept.roundings, 2);
  const double formed = (4 + 3 * ln2 + 3) * u, plain = 0.5 * (4 + 3 * ln2 + 4) * u;
  const auto error = [](double margin) {
    return angle_error(all_f32, 1, {0, 1, 0.5, 0, {1, 2, margin, 0.25}});
  };
  EXPECT_DOUBLE_EQ(error(formed * 1.001), plain);
  EXPECT_DOUBLE_EQ(error(formed * 0.999), plain + 0.5 * 0.25);
}

TEST(Error, of_a_turn_grows_with_what_multiplies_it) {
  const Rotary rotary{.dim = 2, .pairs = {half}, .amplitude = 1.25};
  EXPECT_DOUBLE_EQ(amplitude_error(rotary, mixed), (2 + 5) * u);
  EXPECT_DOUBLE_EQ(amplitude_error(rotary, Precision::parse("bf16+table=bf16")), 2 * unit_bf16 + 5 * u);
  EXPECT_EQ(amplitude_error(Rotary{.dim = 2, .pairs = {half}}, mixed), 0);
  EXPECT_DOUBLE_EQ(rotated_error(rotary, mixed, 1000, std::array{3.0, -4.0})[0],
                   6.25 * (rotation_error(mixed, 1000, half) + (2 + 5) * u));
}

TEST(Error, of_a_bias_is_that_of_its_slope_and_a_product) {
  EXPECT_DOUBLE_EQ(bias_error(mixed, -8, 0.5, 1), 8 * ((4 + 3 * ln2 + 2) * u + unit_bf16));
  // 1/2 is the first power of 1/2, exactly; 2^-0.5 is the first of what f32 holds of it.
  const double root = std::numbers::sqrt2 / 2, held = static_cast<float>(root);
  EXPECT_NEAR(bias_error(all_f32, -8, root, 1), 8 * ((4 + 1.5 * ln2 + 2) * u + std::abs(held / root - 1)),
              1e-6 * u);
  EXPECT_NEAR(bias_error(all_f32, -8, std::pow(root, 9), 9),
              8 * ((4 + 13.5 * ln2 + 2) * u + 9 * std::abs(held / root - 1)), 1e-6 * u);
  // What f32 holds of 1/10 is more than that, and of the root of 1/2 less.
  EXPECT_GT(0.1F, 0.1);
  EXPECT_NEAR(bias_error(all_f32, -8, 0.1, 1),
              8 * ((4 + 3 * std::numbers::ln10 + 2) * u + std::abs(0.1F / 0.1 - 1)), 1e-6 * u);
  EXPECT_NEAR(bias_error(iterated, -8, std::pow(root, 9), 9), 8 * (4 + 13.5 * ln2 + 2 + 27) * u, 1e-6 * u);
  EXPECT_DOUBLE_EQ(bias_error(Precision::parse("bf16+table=bf16"), -8, 0.5, 1),
                   8 * ((4 + 3 * ln2) * u + (1 + 2) * unit_bf16));
  EXPECT_DOUBLE_EQ(bias_error(mixed, -8, 0, 1), 8 * 2 * unit_bf16);  // a number from a table
  EXPECT_DOUBLE_EQ(bias_rounding(mixed, -8, 0.5), 8 * (2 * u + unit_bf16));
  EXPECT_DOUBLE_EQ(bias_rounding(mixed, -8, 0), 8 * 2 * unit_bf16);
}

TEST(Error, of_a_head_past_a_power_of_two_is_that_of_powers_of_the_root) {
  const Bias bias{.heads = 3, .slopes = {0x1p-4, 0x1p-8, 0x1p-2}};
  EXPECT_EQ(bias_error(all_f32, -8, bias, 1), bias_error(all_f32, -8, 0x1p-8, 2));
  EXPECT_EQ(bias_error(iterated, -8, bias, 1), bias_error(iterated, -8, 0x1p-8, 2));
  EXPECT_EQ(bias_error(iterated, -8, bias, 2), bias_error(iterated, -8, 0x1p-2, 1));  // of 2^-2
  EXPECT_EQ(bias_error(all_f32, -8, Bias{.heads = 1}, 0), bias_error(all_f32, -8, 0, 0));
  // 2^-6 is the third power of the root 2^-2 of the first.
  EXPECT_EQ(bias_error(iterated, -8, Bias{.heads = 2, .slopes = {0x1p-4, 0x1p-6}}, 1),
            bias_error(iterated, -8, 0x1p-6, 3));
  // Of 1 no other slope is a power: each is counted as the one of its place.
  EXPECT_EQ(bias_error(iterated, -8, Bias{.heads = 3, .slopes = {1, 1, 0.5}}, 2),
            bias_error(iterated, -8, 0.5, 3));
}

TEST(Error, of_a_bias_below_the_smallest_normal_number_is_that_number) {
  // A slope of 2^-130 is subnormal in f32, or nothing: times 16.
  EXPECT_GE(bias_error(all_f32, -0x1p-126, 0x1p-130, 1), 16 * 0x1p-126);
  EXPECT_LE(bias_error(all_f32, -0x1p-126, 0x1p-130, 1), 18 * 0x1p-126);
  EXPECT_LT(bias_error(all_f32, -0x1p-100, 0x1p-104, 1), 0x1p-100 * 400 * u);  // a normal slope
  EXPECT_GE(bias_error(all_f64, -0x1p-1040, 0x1p-1060, 1), 0x1p-1040);
  // Of a normal slope, what is less than twice that number may be computed as less than it, and flushed to 0.
  constexpr double least = 0x1p-126;
  EXPECT_DOUBLE_EQ(bias_rounding(all_f32, -1.5 * least, 0.5), 1.5 * least * 2 * u + least);
  EXPECT_DOUBLE_EQ(bias_rounding(all_f32, -2 * least, 0.5), 2 * least * 2 * u);
  EXPECT_GE(bias_error(Precision::parse("f16"), -0x1p-20, 0x1p-20, 1), 0x1p-25);
}

TEST(Error, of_an_entry_counts_the_wider_of_table_and_work_and_what_underflows) {
  const Rotary rotary{.dim = 2, .pairs = {half}, .amplitude = 1.25};
  EXPECT_DOUBLE_EQ(amplitude_error(rotary, Precision::parse("f32+table=bf16")), 2 * unit_bf16 + 5 * u);
  const Table table{.dim = 3, .pairs = {half}, .lone = third};
  EXPECT_DOUBLE_EQ(entry_error(table, Precision::parse("f16")), 4 * u + unit_f16 + 0x1p-25);
  std::array<double, 2> angles = {};
  RowErrors(table, iterated, RowErrors::Against::itself).angles_at(1000, angles);
  EXPECT_DOUBLE_EQ(angles[0], 256 * u);
  EXPECT_DOUBLE_EQ(angles[1], (256 + 2 * 500) * u);  // the lone column's
}

// Half the smallest subnormal of f16, whatever else an entry may be off by; of a pair that is rotated, of two
// products and their sum.
TEST(Error, of_what_f16_holds_as_a_subnormal_is_half_the_smallest_one_at_least) {
  const Precision f16 = Precision::parse("f16");
  constexpr double least = 0x1p-25, of_a_pair = 2 * std::numbers::sqrt2 * least;
  Table own{.dim = 1};
  own.row_error = [](std::span<const double>, std::span<const double>, const Precision&,
                     std::span<double> error) { error[0] = 0x1p-30; };
  std::array<double, 1> row = {0.5}, error = {};
  RowErrors(own, f16, RowErrors::Against::declared).at(3.0, row, error);
  EXPECT_DOUBLE_EQ(error[0], 0x1p-30 + least);
  RowErrors(own, all_f32, RowErrors::Against::declared).at(3.0, row, error);
  EXPECT_EQ(error[0], 0x1p-30);

  const Rotary rotary{.dim = 2, .pairs = {half}};
  const std::array<double, 2> x = {3 * 0x1p-20, -4 * 0x1p-20};
  EXPECT_DOUBLE_EQ(rotated_error(rotary, f16, 1000, x)[0],
                   5 * 0x1p-20 * rotation_error(f16, 1000, half) + of_a_pair);
  EXPECT_EQ(rotated_error(rotary, f16, 1000, std::array{0.0, 0.0})[0], 0);
  // In proportion to the channel, as above: sums of 4.8 and 5, by a cosine of 0.8.
  const double before = 5 * ((1 + 4 * std::numbers::sqrt2 * u) * (1 + std::numbers::sqrt2 * u) * (1 + u) - 1),
               after = (1 + u) * (1 + u) * (1 + unit_f16) - 1;
  const std::array<double, 1> at = {0};
  EXPECT_DOUBLE_EQ(
      rotated_error(rotary, f16, at, std::array{3.0, -4.0}, std::array{4.8, -1.4}, Role::query)[0],
      (before + (4.8 + before) * after) * (1 + 2 * after) + of_a_pair);
}

TEST(Error, of_a_slope_that_its_format_holds_as_a_normal_number_is_no_underflow) {
  const Precision f16 = Precision::parse("f16/f16");
  for (const double slope : {0.5, 0x1p-14})
    EXPECT_DOUBLE_EQ(bias_rounding(f16, -8, slope), 8 * 2 * unit_f16 + 0x1p-25) << slope;
  EXPECT_DOUBLE_EQ(bias_rounding(f16, -8, 0x1p-15), 8 * 2 * unit_f16 + 8 * 0x1p15 * 0x1p-14 + 0x1p-25);
}

}  // namespace posproof::error_by_hand_test
