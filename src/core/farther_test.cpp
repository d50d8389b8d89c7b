#include "core/farther.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace posproof::farther_test {
namespace {

TEST(AnyFarther, is_so_where_one_number_is_off_by_more_than_it_may_be) {
  const std::array<double, 3> here = {1, -2, 3}, most = {0.5, 0, 0.25};
  EXPECT_FALSE(any_farther(here, here, most));
  EXPECT_FALSE(any_farther(std::array{1.5, -2.0, 2.75}, here, most)) << "each as far as it may be";
  EXPECT_TRUE(any_farther(std::array{1.5, -2.0, 2.5}, here, most)) << "the last by twice as much";
  EXPECT_TRUE(any_farther(std::array{std::nextafter(1.5, 2), -2.0, 3.0}, here, most));
  EXPECT_TRUE(any_farther(std::array{1.0, std::nextafter(-2.0, 0), 3.0}, here, most)) << "nothing is allowed";
}

}  // namespace
}  // namespace posproof::farther_test
