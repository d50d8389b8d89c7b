#include "core/bounds.h"

#include <gtest/gtest.h>

#include <cmath>

namespace posproof::core_bounds_test {
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

TEST(Bounds, of_so_many_decimals_are_on_their_side) {
  EXPECT_EQ(fixed_up(6.197518, 3), "6.198");
  EXPECT_EQ(fixed_up(6.2383251, 3), "6.239");
  EXPECT_EQ(fixed_up(-0.37344, 3), "-0.373");
  EXPECT_EQ(fixed_up(-0.0004, 3), "0.000");
  EXPECT_EQ(fixed_up(2.5, 1), "2.5");
  EXPECT_EQ(fixed_down(6.197518, 3), "6.197");
  EXPECT_EQ(fixed_down(-0.0831, 2), "-0.09");
  EXPECT_EQ(fixed_down(0.0004, 3), "0.000");
  EXPECT_EQ(fixed_down(2.5, 1), "2.5");
  EXPECT_EQ(scientific_up(2.205e-14, 1), "3e-14");
  EXPECT_EQ(figures_up(0.250001, 3), "0.251");
  EXPECT_EQ(figures_up(0x1p-24, 6), "5.96047e-08");
  EXPECT_EQ(figures_up(-0.2509, 3), "-0.25");
}

TEST(Bounds, of_a_share_are_no_larger_than_it) {
  EXPECT_EQ(percent_at_least(0.85457), "85.4 %");
  EXPECT_EQ(percent_at_least(0.85400001), "85.4 %");
  EXPECT_EQ(percent_at_least(0.15766), "15.7 %");
  EXPECT_EQ(percent_at_least(1), "100.0 %");
}

TEST(Bounds, of_a_share_are_no_smaller_than_it) {
  EXPECT_EQ(percent_at_most(0.1204), "13 %");
  EXPECT_EQ(percent_at_most(0.25), "25 %");
  EXPECT_EQ(percent_at_most(0.0053601), "0.54 %");
  EXPECT_EQ(percent_at_most(0.0000001), "1e-05 %");
  EXPECT_EQ(percent_at_most(0.9901), "100 %");
  EXPECT_EQ(percent_at_most(0), "0 %");
  EXPECT_EQ(percent_at_most(0.0000603, 1), "0.007 %");
  EXPECT_EQ(percent_at_most(0.1204, 1), "20 %");
}

}  // namespace
}  // namespace posproof::core_bounds_test
