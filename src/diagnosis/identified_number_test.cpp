#include "diagnosis/identified_number.h"

#include <gtest/gtest.h>

#include <cmath>

namespace posproof::identified_number_test {
namespace {

TEST(IdentifiedNumber, simplest_has_the_fewest_digits) {
  EXPECT_EQ(simplest({9999.98, 10000.03}), 10000);
  EXPECT_EQ(simplest({499999.2, 500000.9}), 500000);
  EXPECT_EQ(simplest({3.9, 4.2}), 4);
  EXPECT_EQ(simplest({0.7069, 0.7071}), 0.707);
  EXPECT_EQ(simplest({82684.5, 82684.9}), 82684.7);
  EXPECT_EQ(simplest({-1e-9, 2e-9}), 0);
  EXPECT_EQ(simplest({-2.1, -1.9}), -2);
  EXPECT_EQ(simplest({19.9, 25}), 20);
  EXPECT_EQ(simplest({0.3, 0.3}), 0.3);
}

TEST(IdentifiedNumber, simplest_lies_within_and_no_shorter_one_does) {
  for (double lo = 0.011; lo < 1e7; lo *= 1.37)
    for (const double width : {1e-9, 1e-6, 1e-3, 0.3}) {
      const Interval among{lo, lo * (1 + width)};
      const double found = simplest(among);
      EXPECT_TRUE(among.has(found)) << lo;
      // Every number of fewer digits near it lies outside.
      for (int fewer = 1; fewer < digits(found); ++fewer) {
        const double step = std::pow(10, std::floor(std::log10(found)) - fewer + 1);
        const double shorter = std::round(found / step) * step;
        EXPECT_FALSE(shorter > among.lo * (1 + 1e-14) && shorter < among.hi * (1 - 1e-14))
            << lo << " " << fewer;
      }
    }
}

TEST(IdentifiedNumber, digits_are_those_that_read_back) {
  EXPECT_EQ(digits(1), 1);
  EXPECT_EQ(digits(12000), 2);
  EXPECT_EQ(digits(-1.5), 2);
  EXPECT_EQ(digits(8192), 4);
  EXPECT_EQ(digits(0.707), 3);
  EXPECT_EQ(digits(0), 1);
  EXPECT_EQ(digits(0.1 + 0.2), 17);
}

TEST(IdentifiedNumber, an_interval_has_its_ends) {
  const Interval one = around(-4, 0.25);
  EXPECT_EQ(one.lo, -5);
  EXPECT_EQ(one.hi, -3);
  EXPECT_TRUE(one.has(-5) && one.has(-3) && !one.has(-2.99) && !one.has(-5.01));
}

TEST(IdentifiedNumber, most_overlap_is_where_most_intervals_are) {
  EXPECT_FALSE(most_overlap({}));
  const std::vector<Interval> all{{1, 5}, {4, 8}, {4.5, 6}, {20, 30}, {21, 25}, {7, 6}};
  const auto best = most_overlap(all);
  ASSERT_TRUE(best);
  EXPECT_EQ(best->lo, 4.5);
  EXPECT_EQ(best->hi, 5);
  const std::vector<Interval> touching{{1, 2}, {2, 3}};
  EXPECT_EQ(most_overlap(touching)->lo, 2);
  EXPECT_EQ(most_overlap(touching)->hi, 2);
}

}  // namespace
}  // namespace posproof::identified_number_test
