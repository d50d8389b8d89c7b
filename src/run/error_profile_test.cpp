#include "run/error_profile.h"

#include <gtest/gtest.h>

namespace posproof::error_profile_test {
namespace {

TEST(ErrorProfile, ranges_are_single_positions_below_16_and_sixteenths_of_octaves_from_there) {
  for (Position t = 0; t < 16; ++t) {
    EXPECT_EQ(ErrorProfile::begin(t), t);
    EXPECT_EQ(ErrorProfile::end(t), t + 1);
  }
  EXPECT_EQ(ErrorProfile::begin(16), 16);
  EXPECT_EQ(ErrorProfile::end(16), 17);
  EXPECT_EQ(ErrorProfile::end(31), 32);
  EXPECT_EQ(ErrorProfile::begin(33), 32);
  EXPECT_EQ(ErrorProfile::end(33), 34);
  EXPECT_EQ(ErrorProfile::begin(1023), 992);
  EXPECT_EQ(ErrorProfile::end(1023), 1024);
  EXPECT_EQ(ErrorProfile::begin(1024), 1024);
  EXPECT_EQ(ErrorProfile::end(1024), 1088);
}

TEST(ErrorProfile, keeps_the_largest_error_with_its_bound_and_the_largest_ulp_by_the_distance_from_0) {
  ErrorProfile profile;
  profile.add(33, 2, 20, 5);
  profile.add(-32, 3, 30, 4);
  profile.add(32, 1, 90, 1);
  profile.add(5, 7, 70, 0.5);
  profile.add(34, 4, 40, 2);
  const auto ranges = profile.ranges();
  ASSERT_EQ(ranges.size(), 3u);
  EXPECT_EQ(ranges[0].first, 5);
  EXPECT_EQ(ranges[0].last, 5);
  EXPECT_EQ(ranges[1].first, 32);
  EXPECT_EQ(ranges[1].last, 33);
  EXPECT_EQ(ranges[1].error, 3);
  EXPECT_EQ(ranges[1].bound, 30);
  EXPECT_EQ(ranges[1].ulp, 5);
  EXPECT_EQ(ranges[2].first, 34);
  EXPECT_EQ(ranges[2].error, 4);

  profile.add(0, 9, 91, 9);
  const auto octaves = by_octave(profile.ranges());
  ASSERT_EQ(octaves.size(), 3u);
  EXPECT_EQ(octaves[0].first, 0);
  EXPECT_EQ(octaves[0].last, 0);
  EXPECT_EQ(octaves[1].first, 4);
  EXPECT_EQ(octaves[1].last, 7);
  EXPECT_EQ(octaves[1].error, 7);
  EXPECT_EQ(octaves[2].first, 32);
  EXPECT_EQ(octaves[2].last, 63);
  EXPECT_EQ(octaves[2].error, 4);
  EXPECT_EQ(octaves[2].bound, 40);
  EXPECT_EQ(octaves[2].ulp, 5);
}

}  // namespace
}  // namespace posproof::error_profile_test
