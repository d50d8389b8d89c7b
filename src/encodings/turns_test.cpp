#include "encodings/turns.h"

#include <gtest/gtest.h>

namespace posproof::turns_test {
namespace {

TEST(Turns, are_exact_at_quarters) {
  const struct {
    long double turns, sine, cosine;
  } rows[] = {{0, 0, 1},       {0.25L, 1, 0},  {0.5L, 0, -1},        {0.75L, -1, 0}, {1, 0, 1},
              {-0.25L, -1, 0}, {-0.5L, 0, -1}, {1e6L + 0.25L, 1, 0}, {-3.75L, 1, 0}, {2.5L, 0, -1}};
  for (const auto& [turns, sine, cosine] : rows) {
    EXPECT_EQ(of_turns(turns).sine, sine) << turns;
    EXPECT_EQ(of_turns(turns).cosine, cosine) << turns;
  }
}

TEST(Turns, are_sines_and_cosines_in_every_octant) {
  const long double two_pi = 2 * std::numbers::pi_v<long double>;
  for (int n = -16; n <= 16; ++n) {
    const long double turns = n / 16.0L + 0.01L;
    EXPECT_NEAR(static_cast<double>(of_turns(turns).sine), static_cast<double>(std::sin(two_pi * turns)),
                1e-15)
        << n;
    EXPECT_NEAR(static_cast<double>(of_turns(turns).cosine), static_cast<double>(std::cos(two_pi * turns)),
                1e-15)
        << n;
  }
}

}  // namespace
}  // namespace posproof::turns_test
