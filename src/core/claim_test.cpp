#include "core/claim.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace posproof::claim_test {

TEST(Claim, three_digits_end_at_half_a_unit_of_the_third) {
  EXPECT_TRUE(same_to_three_digits(1.95, 1.95));
  EXPECT_TRUE(same_to_three_digits(1.9549, 1.95));
  EXPECT_TRUE(same_to_three_digits(1.945, 1.95));  // halves belong to both sides
  EXPECT_TRUE(same_to_three_digits(1.955, 1.95));
  EXPECT_FALSE(same_to_three_digits(1.9551, 1.95));
  EXPECT_FALSE(same_to_three_digits(1.9449, 1.95));
  EXPECT_FALSE(same_to_three_digits(-1.95, 1.95));
  EXPECT_FALSE(same_to_three_digits(19.5, 1.95));
}

TEST(Claim, three_digits_are_of_the_recorded_size) {
  EXPECT_TRUE(same_to_three_digits(1.2345e-17, 1.23e-17));
  EXPECT_FALSE(same_to_three_digits(1.24e-17, 1.23e-17));
  EXPECT_TRUE(same_to_three_digits(99950, 100000));
  EXPECT_TRUE(same_to_three_digits(0.9996, 1));
  EXPECT_FALSE(same_to_three_digits(0.99, 1));
  EXPECT_TRUE(same_to_three_digits(-0.123449, -0.123));
}

TEST(Claim, nothing_and_everything_are_recorded_exactly) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(same_to_three_digits(0, 0));
  EXPECT_FALSE(same_to_three_digits(1e-300, 0));
  EXPECT_FALSE(same_to_three_digits(0, 1e-300));
  EXPECT_TRUE(same_to_three_digits(inf, inf));
  EXPECT_FALSE(same_to_three_digits(1e308, inf));
  EXPECT_FALSE(same_to_three_digits(inf, 1));
  EXPECT_FALSE(same_to_three_digits(std::nan(""), 1));
  EXPECT_FALSE(same_to_three_digits(1, std::nan("")));
}

}  // namespace posproof::claim_test
