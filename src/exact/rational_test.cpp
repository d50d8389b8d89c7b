#include "exact/rational.h"

#include <gtest/gtest.h>

namespace posproof::exact::rational_test {
namespace {

TEST(Rational, is_rounded_once) {
  EXPECT_EQ(nearest(Rational(1) / 3), 1.0 / 3);
  EXPECT_EQ(nearest(Rational(0.1) + Rational(0.2)), 0.30000000000000004);
  // Half way between two doubles, and by little more.
  const Rational tie = Rational(1) + Rational(0x1p-53);
  EXPECT_EQ(nearest(tie), 1);
  EXPECT_EQ(nearest(tie + Rational(0x1p-900)), 1 + 0x1p-52);
  EXPECT_EQ(nearest(Rational(-5) / 2), -2.5);
}

}  // namespace
}  // namespace posproof::exact::rational_test
