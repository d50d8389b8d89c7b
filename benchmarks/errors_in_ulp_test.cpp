#include "benchmarks/errors_in_ulp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace posproof::errors_in_ulp_test {
namespace {

// sin(0.5) = 0.47942553860420300027328793521557138808..., whose last place is 2^-54, and
// cos(0.5) = 0.87758256189037271611628158260382965199..., whose last place is 2^-53.
constexpr long double sine = 0.47942553860420300027328793521557139L,
                      cosine = 0.87758256189037271611628158260382965L;

TEST(UlpErrors, are_of_the_exact_values_of_the_angle) {
  UlpErrors errors;
  errors.add(0.5, static_cast<double>(sine), static_cast<double>(cosine));
  const long double of_sine = std::abs(static_cast<double>(sine) - sine) * 0x1p54L,
                    of_cosine = std::abs(static_cast<double>(cosine) - cosine) * 0x1p53L;
  EXPECT_LE(errors.largest(), 0.5);
  // A long double has 11 bits more than a double.
  EXPECT_NEAR(errors.largest(), static_cast<double>(std::max(of_sine, of_cosine)), 0x1p-11);
  EXPECT_NEAR(errors.mean(), static_cast<double>((of_sine + of_cosine) / 2), 0x1p-11);
}

TEST(UlpErrors, count_units_of_either_and_the_largest_stays) {
  const double right_sine = static_cast<double>(sine), right_cosine = static_cast<double>(cosine);
  UlpErrors of_sine, of_cosine;
  of_sine.add(0.5, right_sine + 3 * 0x1p-54, right_cosine);
  of_cosine.add(0.5, right_sine, right_cosine - 5 * 0x1p-53);
  of_cosine.add(0.5, right_sine, right_cosine);
  EXPECT_NEAR(of_sine.largest(), 3, 0.5);
  EXPECT_NEAR(of_cosine.largest(), 5, 0.5);
  EXPECT_LT(of_cosine.mean(), 5.5 / 4 + 0.5);
}

TEST(UlpErrors, of_the_angle_0_and_of_what_is_no_number) {
  UlpErrors errors;
  EXPECT_EQ(errors.mean(), 0);
  errors.add(0, 0, 1);
  EXPECT_EQ(errors.largest(), 0);
  errors.add(0, std::numeric_limits<double>::quiet_NaN(), 1);
  EXPECT_EQ(errors.largest(), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace posproof::errors_in_ulp_test
