#include "exact/interval.h"

#include <gtest/gtest.h>

#include <utility>

namespace posproof::exact::interval_test {
namespace {

using Ends = std::pair<double, double>;

Interval between(double low, double high) {
  Interval out(64, low);
  mpfr_set_d(out.high.x, high, MPFR_RNDN);
  return out;
}
Ends ends(const Interval& of) {
  return {mpfr_get_d(of.low.x, MPFR_RNDD), mpfr_get_d(of.high.x, MPFR_RNDU)};
}

TEST(Interval, of_a_sum_and_a_difference_has_the_ends_of_least_and_most) {
  EXPECT_EQ(ends(between(-2, 3) + between(5, 7)), Ends(3, 10));
  EXPECT_EQ(ends(between(-2, 3) - between(5, 7)), Ends(-9, -2));
}

// Each of the four products is an end of one of these.
TEST(Interval, of_a_product_has_the_ends_of_least_and_most_whatever_the_signs) {
  EXPECT_EQ(ends(between(2, 3) * between(5, 7)), Ends(10, 21));
  EXPECT_EQ(ends(between(-2, 3) * between(5, 7)), Ends(-14, 21));
  EXPECT_EQ(ends(between(-2, 3) * between(-7, 5)), Ends(-21, 15));
  EXPECT_EQ(ends(between(-4, 3) * between(-7, 5)), Ends(-21, 28));
  EXPECT_EQ(ends(between(-3, -2) * between(-7, -5)), Ends(10, 21));
  EXPECT_EQ(ends(between(2, 3) * between(-7, -5)), Ends(-21, -10));
}

TEST(Interval, of_a_quotient_has_the_ends_of_least_and_most_and_none_where_it_may_be_by_0) {
  EXPECT_EQ(ends(between(2, 8) / between(2, 4)), Ends(0.5, 4));
  EXPECT_EQ(ends(between(-2, 8) / between(2, 4)), Ends(-1, 4));
  EXPECT_EQ(ends(between(2, 8) / between(-4, -2)), Ends(-4, -0.5));
  EXPECT_EQ(ends(between(-8, 2) / between(-4, -2)), Ends(-1, 4));
  for (const Interval& near_0 : {between(-1, 1), between(0, 1), between(-1, 0)}) {
    const Interval none = between(2, 8) / near_0;
    EXPECT_NE(mpfr_nan_p(none.low.x), 0);
    EXPECT_NE(mpfr_nan_p(none.high.x), 0);
  }
}

// 1/3 lies between: the ends are neighbours of 64 bits.
TEST(Interval, is_rounded_outwards) {
  const Interval third = between(1, 1) / between(3, 3);
  Real next = third.low;
  mpfr_nextabove(next.x);
  EXPECT_NE(mpfr_equal_p(next.x, third.high.x), 0);
  const Interval minus = between(-1, -1) / between(3, 3);
  EXPECT_NE(mpfr_less_p(minus.low.x, minus.high.x), 0);
}

TEST(Interval, is_clamped_at_each_end_alone) {
  EXPECT_EQ(ends(clamped(between(-2, 3), -1, 5)), Ends(-1, 3));
  EXPECT_EQ(ends(clamped(between(-2, 3), -5, 1)), Ends(-2, 1));
  EXPECT_EQ(ends(clamped(between(4, 9), -1, 1)), Ends(1, 1));
}

}  // namespace
}  // namespace posproof::exact::interval_test
