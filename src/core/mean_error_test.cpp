#include "core/mean_error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/random.h"
#include "core/tensor.h"

namespace posproof::mean_error_test {
namespace {

constexpr double u = unit_f32;

// Values [n, width].
std::vector<double> errors_of(std::span<const double> logits, std::span<const double> errors,
                              const Tensor& values, double values_error = 0, const Precision& p = all_f32) {
  std::vector<std::span<const double>> rows;
  for (std::size_t j = 0; j < values.rows(); ++j) rows.push_back(values.row(j));
  return mean_errors({logits, errors, rows, values_error}, p);
}

// What the roundings of n keys allow a value of size 1.
double roundings(double n) {
  return (2 * n + 4) * u;
}

TEST(MeanError, is_how_far_values_are_from_their_mean_for_each_unit_of_a_logit) {
  const std::array<double, 2> logits = {std::log(1.0), std::log(3.0)}, errors = {0.001, 0.002};
  // The logit that is less is off by 1u of its distance, too; both exponentials by 4u.
  const double first = 0.001 + (std::log(3.0) + 4) * u, second = 0.002 + 4 * u;
  // Weights 1/4 and 3/4, values 4.5 and 1.5 from the mean.
  const double apart = std::expm1(first) * 4.5 / 4 + std::expm1(second) * 1.5 * 3 / 4;
  EXPECT_NEAR(errors_of(logits, errors, Tensor({2, 1}, {0, 6}))[0],
              std::exp(second) * apart + roundings(2) * 4.5 * std::exp(2 * second), 1e-15);
  EXPECT_DOUBLE_EQ(errors_of(logits, errors, Tensor({2, 1}, {-6, -6}), 0.25)[0], 0.25 + roundings(2) * 6);
}

TEST(MeanError, is_at_most_half_the_range_for_each_unit_of_the_worst_logit) {
  const std::array<double, 2> logits = {0, 0}, errors = {0.1, 0.1};
  const double e = 0.1 + 4 * u;
  EXPECT_DOUBLE_EQ(errors_of(logits, errors, Tensor({2, 1}, {-1, 1}))[0], e + roundings(2));
}

TEST(MeanError, is_never_more_than_the_range) {
  const std::array<double, 2> logits = {0, 0}, errors = {100, 0};
  EXPECT_DOUBLE_EQ(errors_of(logits, errors, Tensor({2, 1}, {0, 6}))[0], 6 + roundings(2) * 6);
}

TEST(MeanError, is_that_of_each_channel) {
  const std::array<double, 3> logits = {0, 1, 0}, errors = {0.001, 0, 0.002};
  const Tensor values({3, 3}, {1, 0, -2, 1, 6, 4, 1, 3, 1});
  const std::vector<double> all = errors_of(logits, errors, values);
  for (std::size_t c = 0; c < 3; ++c) {
    Tensor one({3, 1});
    for (std::size_t j = 0; j < 3; ++j) one.data[j] = values.at(j, c);
    EXPECT_EQ(errors_of(logits, errors, one)[0], all[c]) << c;
  }
  EXPECT_LT(all[0], all[1]);
}

// Each logit moved by its error, up or down, in every way: none leaves the bound, which one of them all but
// reaches.
TEST(MeanError, covers_every_way_to_move_the_logits_and_not_by_far) {
  constexpr std::size_t n = 8;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SplitMix64 random{seed};
    std::array<double, n> logits, errors;
    Tensor values({n, 1});
    const double scale = std::ldexp(0.2, -static_cast<int>(seed % 6));
    for (std::size_t j = 0; j < n; ++j) {
      logits[j] = 6 * random.uniform() - 3;
      errors[j] = scale * random.uniform();
      values.data[j] = 2 * random.uniform() - 1;
    }
    const auto mean = [&](std::size_t ways) {
      double sum = 0, whole = 0;
      for (std::size_t j = 0; j < n; ++j) {
        const double w = std::exp(logits[j] + (ways >> j & 1 ? errors[j] : -errors[j]));
        whole += w, sum += w * values.data[j];
      }
      return sum / whole;
    };
    double still = 0, whole = 0, most = 0;
    for (std::size_t j = 0; j < n; ++j)
      whole += std::exp(logits[j]), still += std::exp(logits[j]) * values.data[j];
    for (std::size_t ways = 0; ways < std::size_t{1} << n; ++ways)
      most = std::max(most, std::abs(mean(ways) - still / whole));
    const double bound = errors_of(logits, errors, values, 0, all_f64)[0];
    EXPECT_LE(most, bound) << seed;
    EXPECT_GE(most * (1 + 4 * scale), bound * 0.999) << seed;
  }
}

// A weight of e^-200 is 0 in f32, and all that a channel has; in f16 numbers below 2^-14 are 2^-24 apart.
TEST(MeanError, allows_what_is_lost_below_the_smallest_normal_number) {
  const std::array<double, 2> logits = {0, -200}, none = {0, 0};
  const Tensor values({2, 1}, {0, 1});
  EXPECT_GE(errors_of(logits, none, values)[0], std::exp(-200));
  EXPECT_LE(errors_of(logits, none, values)[0], 0x1p-122);
  const double f16 = errors_of(logits, none, values, 0, Precision::parse("f16"))[0];
  EXPECT_GE(f16, 3 * 0x1p-25);  // of the exponential, the weight and the product of the second key
  EXPECT_LE(f16, 0x1p-22);
  // Of 64 such keys, what each loses adds up.
  std::array<double, 65> many, exact = {};
  many.fill(-200);
  many[0] = 0;
  Tensor ones({65, 1}, std::vector<double>(65, 1));
  ones.data[0] = 0;
  EXPECT_GE(errors_of(many, exact, ones, 0, Precision::parse("f16"))[0], 64 * 3 * 0x1p-25);
}

TEST(MeanError, sums_in_the_format_of_the_work) {
  const std::array<double, 1> logits = {0}, errors = {0};
  EXPECT_DOUBLE_EQ(errors_of(logits, errors, Tensor({1, 1}, {1}), 0, {unit_f32, unit_bf16})[0],
                   2 * u + 4 * unit_bf16);
}

TEST(MeanError, allows_nothing_for_what_is_no_number) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::array<double, 1> logits = {0}, errors = {0}, unknown = {std::nan("")};
  EXPECT_EQ(errors_of(logits, errors, Tensor({1, 3}, {infinity, std::nan(""), 1})),
            (std::vector<double>{0, 0, roundings(1)}));
  EXPECT_EQ(errors_of(unknown, errors, Tensor({1, 1}, {1}))[0], 0);
  EXPECT_EQ(errors_of(logits, unknown, Tensor({1, 1}, {1}))[0], 0);
}

}  // namespace
}  // namespace posproof::mean_error_test
