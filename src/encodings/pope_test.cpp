// Golden numbers by mpmath at 40 digits, from the formula and SplitMix64 alone.
#include "catalogue/encodings/pope.h"
#include <gtest/gtest.h>

#include <cmath>

#include "encodings/asked.h"

namespace posproof::pope_test {
namespace {

using namespace asked;

const Places places = {{0, 0}, {3, 1}, {1, 3}, {9, 2}, {2, 60}};

TEST(Pope, has_the_golden_logits) {
  expect_logits(
      encodings::pope, "dim=4", places,
      {2.2544088026105375, 1.3405210110684179, 1.3405210110684179, 2.0013258371230925, 1.5889002394777871});
  expect_logits(encodings::pope, "dim=4 base=100 phase=trained scale=one", places,
                {0.03897936852670299, -1.858383014890663, 0.52180920090099523, -0.31870768327294697,
                 2.0928611535001775});
}

// Magnitudes of ln 2: the kernel of as many frequencies as channels.
TEST(Pope, is_the_kernel_of_all_frequencies_without_content) {
  for (const Position n : {0, 1, 7, 100}) {
    double kernel = 0;
    for (int c = 0; c < 4; ++c) kernel += std::cos(static_cast<double>(n) * std::pow(10000, -c / 4.0));
    EXPECT_NEAR(logit(encodings::pope, "dim=4", {0, 0, 0, 0}, {0, 0, 0, 0}, n, 0),
                std::log(2) * std::log(2) * kernel / 2, 1e-15)
        << n;
  }
}

TEST(Pope, keeps_magnitudes_positive_however_small_the_content) {
  EXPECT_NEAR(logit(encodings::pope, "dim=1", {-50}, {0}, 0, 0) / std::exp(-50), std::log(2), 1e-14);
  EXPECT_EQ(logit(encodings::pope, "dim=1", {800}, {800}, 3, 3), 640000);
}

}  // namespace
}  // namespace posproof::pope_test
