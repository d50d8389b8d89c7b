#include "core/mean_error.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace posproof::mean_error_test {
namespace {

constexpr double u = unit_f32;

TEST(MeanError, is_half_the_range_of_the_values_for_each_unit_of_a_logit) {
  const std::array<double, 2> logits = {1, 3}, errors = {0.001, 0.002};
  // The farther logit is off by 2u of its distance, too; both exponentials by 4u.
  const double e = std::max(0.001 + (2 + 4) * u, 0.002 + 4 * u);
  EXPECT_DOUBLE_EQ(mean_error(logits, errors, Tensor({2, 1}, {0, 6}), 0, all_f32),
                   e * 3 + (2 * 2 + 4) * u * 6);
  EXPECT_DOUBLE_EQ(mean_error(logits, errors, Tensor({2, 1}, {-6, -6}), 0.25, all_f32),
                   0.25 + (2 * 2 + 4) * u * 6);
}

TEST(MeanError, is_the_largest_of_all_channels) {
  const std::array<double, 2> logits = {0, 0}, errors = {0.001, 0};
  const double one = mean_error(logits, errors, Tensor({2, 1}, {0, 6}), 0, all_f32);
  EXPECT_EQ(mean_error(logits, errors, Tensor({2, 2}, {1, 0, 1, 6}), 0, all_f32), one);
  EXPECT_EQ(mean_error(logits, errors, Tensor({2, 2}, {0, 1, 6, 1}), 0, all_f32), one);
}

TEST(MeanError, is_never_more_than_the_range) {
  const std::array<double, 2> logits = {0, 0}, errors = {100, 0};
  EXPECT_DOUBLE_EQ(mean_error(logits, errors, Tensor({2, 1}, {0, 6}), 0, all_f32), 6 + 8 * u * 6);
}

TEST(MeanError, sums_in_the_format_of_the_work) {
  const std::array<double, 1> logits = {0}, errors = {0};
  EXPECT_DOUBLE_EQ(mean_error(logits, errors, Tensor({1, 1}, {1}), 0, {unit_f32, unit_bf16}),
                   2 * u + 4 * unit_bf16);
}

TEST(MeanError, allows_nothing_for_what_is_no_number) {
  const std::array<double, 1> logits = {0}, errors = {0};
  EXPECT_EQ(mean_error(logits, errors, Tensor({1, 1}, {std::numeric_limits<double>::infinity()}), 0, all_f32),
            0);
}

}  // namespace
}  // namespace posproof::mean_error_test
