#include "bounds.h"

#include <gtest/gtest.h>

#include <cmath>

namespace posproof::experiments::bounds_test {
namespace {

TEST(Bounds, are_on_their_side_and_the_nearest_there) {
  EXPECT_EQ(rounded_up(0.1041, 2), 0.11);
  EXPECT_EQ(rounded_up(0.1051, 2), 0.11);
  EXPECT_EQ(rounded_down(0.1041, 2), 0.10);
  EXPECT_EQ(rounded_down(0.1099, 2), 0.10);
  EXPECT_EQ(rounded_up(9.91e-14, 2), 1e-13);
  EXPECT_EQ(rounded_down(1e-13 * (1 - 0x1p-52), 2), 9.9e-14);
  EXPECT_EQ(rounded_up(123, 3), 123);
  EXPECT_EQ(rounded_up(std::nextafter(123.0, 124.0), 3), 124);
  EXPECT_EQ(rounded_up(0, 2), 0);
  EXPECT_EQ(rounded_down(0, 2), 0);
}

TEST(Bounds, leave_a_number_of_so_many_digits_as_it_is) {
  for (const double value : {0.2, 4.5e-14, 7.0, 99.0, 1e-300, 1e22})
    for (const int digits : {2, 3}) {
      EXPECT_EQ(rounded_up(value, digits), value);
      EXPECT_EQ(rounded_down(value, digits), value);
    }
}

TEST(Bounds, of_a_share_are_no_larger_than_it) {
  EXPECT_EQ(percent_at_least(0.85457), "85.4 %");
  EXPECT_EQ(percent_at_least(0.85400001), "85.4 %");
  EXPECT_EQ(percent_at_least(0.15766), "15.7 %");
  EXPECT_EQ(percent_at_least(1), "100.0 %");
}

}  // namespace
}  // namespace posproof::experiments::bounds_test
