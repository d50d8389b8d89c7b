#include "experiments/moved_rows.h"

#include <gtest/gtest.h>

#include <cmath>

namespace posproof::experiments::moved_rows_test {
namespace {

// sin^2 of k times each frequency, in the mean: of width 2 the one frequency is 1, of width 4 the other is
// 1/100. Numbers below 1: two sines, a sum, a root and the result are rounded by half of 2^-53 each, in all
// less than four units of 2^-52.
TEST(MovedRows, are_missed_in_the_limit_by_the_mean_of_all_frequencies) {
  EXPECT_NEAR(static_cast<double>(moved_rows::missed_in_the_limit(2, 3)), std::abs(std::sin(3.0)), 1e-15);
  const double both = std::pow(std::sin(5.0), 2) + std::pow(std::sin(0.05), 2);
  EXPECT_NEAR(static_cast<double>(moved_rows::missed_in_the_limit(4, 5)), std::sqrt(both / 2), 1e-15);
}

}  // namespace
}  // namespace posproof::experiments::moved_rows_test
