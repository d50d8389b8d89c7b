#include "core/rounded.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace posproof::rounded_test {
namespace {

constexpr double u = unit_f32, b = unit_bf16;
constexpr Precision bf16_over_f32{unit_f32, unit_bf16};

void expect(const Rounded& there, double value, double size, double error) {
  EXPECT_DOUBLE_EQ(there.value, value);
  EXPECT_DOUBLE_EQ(there.size, size);
  EXPECT_NEAR(there.error, error, 1e-15 * size);
}

TEST(Rounded, is_exact_where_it_is_given_and_off_by_a_rounding_where_it_is_trained) {
  const InPrecision in(all_f32);
  expect(in.given(-3), -3, 3, 0);
  expect(in.trained(-3), -3, 3, 3 * u);
  expect(in.minus(in.trained(-3)), 3, 3, 3 * u);
}

TEST(Rounded, counts_terms_by_their_absolute_values) {
  const InPrecision in(all_f32);
  expect(in.sum(in.trained(3), in.trained(-2)), 1, 5, (3 + 2 + 5) * u);
  expect(in.product(in.trained(3), in.trained(-2)), -6, 6, (6 + 6 + 6) * u + 6 * u * u);
  const std::array<Rounded, 2> x = {in.given(1), in.given(2)}, y = {in.trained(3), in.trained(-4)};
  expect(in.dot(x, y), -5, 11, 11 * u + (2 + 1) * 11 * u);
  expect(in.total(y), -1, 7, 7 * u + (2 * 2 + 1) * 7 * u);
  expect(in.over_root(in.given(6), 4), 3, 3, 3 * 3 * u);
  expect(in.next(in.given(1), in.trained(-2)), -1, 3, (2 + 3) * u);
  expect(in.stored(in.given(-2)), -2, 2, 2 * u);
  expect(in.either(in.given(3), in.sum(in.given(5), in.given(-2))), 3, 7, 7 * u);
  expect(in.either(in.trained(3), in.given(3)), 3, 3, 3 * u);
}

TEST(Rounded, sums_in_the_format_of_the_work_and_stores_in_that_of_the_result) {
  const InPrecision in(bf16_over_f32);
  const std::array<Rounded, 2> x = {in.given(1), in.given(2)}, y = {in.given(3), in.given(-4)};
  expect(in.dot(x, y), -5, 11, (2 * u + b) * 11);
  expect(in.total(y), -1, 7, (4 * u + b) * 7);
  expect(in.next(in.given(1), in.given(-2)), -1, 3, 3 * u);
  expect(in.stored(in.given(-2)), -2, 2, 2 * b);
  expect(in.sum(in.given(3), in.given(-2)), 1, 5, 5 * b);
}

TEST(Rounded, bounds_functions_by_their_slopes) {
  const InPrecision in(bf16_over_f32);
  const double ln2 = std::log(2.0);
  const Rounded off = {0, 0, 0.01};
  expect(in.softplus(off), ln2, ln2, 0.01 + u * (4 * 0.5 + 4 * ln2 + 2) + b * ln2);
  expect(in.log_sigmoid(off), -ln2, ln2, 0.01 + u * (4 * 0.5 + 4 * ln2 + 2) + b * ln2);
  expect(in.softplus(in.given(1000)), 1000, 1000, u * (4 + 4000 + 2) + b * 1000);
  expect(in.sigmoid(off), 0.5, 0.5, 0.01 / 4 + (6 * u + b) * 0.5);
  expect(in.leaky({-2, 2, 0.01}, 0.5), -1, 1, 0.01 + 2 * b);
  expect(in.leaky({2, 2, 0.01}, 0.5), 2, 2, 0.01 + 4 * b);
}

TEST(Rounded, bounds_the_layers_of_perceptrons) {
  const InPrecision in(bf16_over_f32);
  const std::array<double, 2> weights = {3, -4};
  const std::array<Rounded, 2> x = {in.given(1), in.given(2)};
  expect(in.weighted(weights, x), -5, 11, 11 * b + (2 * u + b) * 11);
  expect(in.rectified({2, 3, 0.5}), 2, 2, 0.5);
  expect(in.rectified({-2, 3, 0.5}), 0, 0, 0.5);
  const double y = 2 / (1 + std::exp(-2.0)), z = -2 / (1 + std::exp(2.0));
  expect(in.silu({2, 3, 0.5}), y, y, 0.55 + (6 * u + 2 * b) * y);
  expect(in.silu({-2, 3, 0.5}), z, -z, 0.55 - (6 * u + 2 * b) * z);
  expect(in.whole(0x1p24), 0x1p24, 0x1p24, 0);
  expect(in.whole(0x1p24 + 1), 0x1p24 + 1, 0x1p24 + 1, u * (0x1p24 + 1));
  const double log = std::log(4.0);
  expect(in.log_of_1_and(3), log, log, u * (4 * log + 1) + b * log);
  expect(in.log_of_1_and(0), 0, 0, 0);
}

// Its slope is largest where x tanh(x / 2) = 2, at 2.3994, and 1.09984 there.
TEST(Rounded, has_a_slope_of_silu_that_is_none_too_large) {
  const auto silu = [](double x) { return x / (1 + std::exp(-x)); };
  double steepest = 0;
  for (double x = -40; x < 40; x += 0x1p-8)
    steepest = std::max(steepest, std::abs(silu(x + 0x1p-8) - silu(x)) * 0x1p8);
  EXPECT_LT(steepest, 1.1);
  EXPECT_GT(steepest, 1.0998);
}

TEST(Rounded, bounds_angles_as_the_rest_of_the_suite_does) {
  const InPrecision in(all_f32);
  const Wave wave{10000, 2, 4};
  EXPECT_DOUBLE_EQ(wave.radians, 0.01);
  const Pair pair{.first = 0, .second = 1, .frequency = 0.01, .index = 2};
  expect(in.sine(300, wave), std::sin(3.0), 1, sine_error(all_f32, 300, pair));
  expect(in.cosine(300, wave), std::cos(3.0), 1, sine_error(all_f32, 300, pair));
  expect(in.power(wave), 0.01, 0.01, 0.01 * power_error(all_f32, 0.01, 2));
  expect(in.angle_at(300, wave, 0), 3, 3, angle_error(all_f32, 300, pair));
  expect(in.angle_at(-300, wave, -1), -4, 4, angle_error(all_f32, 300, pair) + 4 * u + u);
  const auto turn = in.turn({3, 3, 0.001}, {2, 2, 0.002});
  const double beside = 0.003 + 5 * u + 8 * std::sqrt(2.0) * u;
  expect(turn.cosine, std::cos(1.0), 1, beside);
  expect(turn.sine, std::sin(1.0), 1, beside);
  EXPECT_EQ(in.turn({0, 0, 3}, {0, 0, 0}).sine.error, 2);
}

TEST(Rounded, interpolates_by_the_steepest_slope_that_it_may_be_on) {
  const InPrecision in(all_f32);
  const std::array<Rounded, 4> entries = {in.given(0), in.given(1), in.given(5), Rounded{6, 6, 0.5}};
  expect(in.interpolated({0.5, 1, 0.01}, entries), 0.5, 1, 0.01 + 3 * u);
  expect(in.interpolated({0.995, 1, 0.01}, entries), 0.995, 1, 4 * 0.01 + 3 * u);
  expect(in.interpolated({1.5, 2, 0}, entries), 3, 6, 3 * 6 * u);
  expect(in.interpolated({9, 9, 0.25}, entries), 6, 12, 0.5 + 0.25 + 3 * 12 * u);
}

}  // namespace
}  // namespace posproof::rounded_test
