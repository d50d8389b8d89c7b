#include "confidence.h"

#include <gtest/gtest.h>

#include <cmath>

namespace posproof::experiments::confidence_test {
namespace {

// 1 - (1 - p)^20 = 0.025 below and p^20-type equations at the ends; 5 of 20: R's binom.test(5, 20).
TEST(Confidence, of_a_share_is_clopper_and_pearsons) {
  EXPECT_EQ(share(0, 20).low, 0);
  EXPECT_NEAR(share(0, 20).high, 1 - std::pow(0.025, 1.0 / 20), 1e-12);
  EXPECT_NEAR(share(20, 20).low, std::pow(0.025, 1.0 / 20), 1e-12);
  EXPECT_EQ(share(20, 20).high, 1);
  EXPECT_EQ(share(5, 20).value, 0.25);
  EXPECT_NEAR(share(5, 20).low, 0.08657147, 1e-8);
  EXPECT_NEAR(share(5, 20).high, 0.49104587, 1e-8);
}

// Standard deviation sqrt(5/3), half of 4 draws' standard error times t(3) = 3.18244630528371.
TEST(Confidence, of_a_mean_is_students) {
  const Estimate of = mean({1, 2, 3, 4});
  EXPECT_DOUBLE_EQ(of.value, 2.5);
  EXPECT_NEAR(of.high - 2.5, 3.18244630528371 * std::sqrt(5.0 / 3 / 4), 1e-12);
  EXPECT_NEAR(2.5 - of.low, of.high - 2.5, 1e-12);
}

}  // namespace
}  // namespace posproof::experiments::confidence_test
