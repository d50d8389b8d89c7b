// Taps by hand: which entries a new one is made of, their weights, and what the roundings come to.
#include "core/resampling.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace posproof::resampling::resampling_test {
namespace {

// Each is the result of at most 8 roundings, or 16, by 2^-64 of it (weights are 1 at most).
void expect_taps(const std::vector<Tap>& found, const std::vector<Tap>& right) {
  ASSERT_EQ(found.size(), right.size());
  for (std::size_t n = 0; n < right.size(); ++n) {
    EXPECT_EQ(found[n].index, right[n].index) << n;
    EXPECT_LE(std::abs(found[n].weight - right[n].weight), 8 * 0x1p-64L) << n;
    EXPECT_LE(std::abs(found[n].error - right[n].error), 16 * 0x1p-64L * right[n].error) << n;
  }
}

constexpr Axis doubled{4, 8, Method::linear, false, false, -0.75L, 0};

TEST(Resampling, lies_where_the_middles_of_entries_lie_on_each_other) {
  EXPECT_EQ(step(doubled), 0.5L);
  EXPECT_EQ(coordinate(doubled, 3), 1.25L);
  EXPECT_EQ(coordinate_error(doubled, 3), 5.25L);
  const Axis aligned{5, 3, Method::linear, true, false, 0, 0};
  EXPECT_EQ(step(aligned), 2);
  EXPECT_EQ(coordinate(aligned, 2), 4);
  EXPECT_EQ(step({5, 1, Method::linear, true, false, 0, 0}), 0);
  const Axis wide{5, 3, Method::linear, true, true, 0, 0};
  EXPECT_EQ(coordinate(wide, 2), 4.5L) << "a wide filter has the middles of squares, 2 (2 + 1/2) - 1/2";
  const Axis more{4, 3, Method::linear, false, false, 0, 1};
  EXPECT_EQ(step(more), 1);
  EXPECT_EQ(coordinate_error(more, 2), 12.5L) << "two more roundings: a sum in the divisor";
}

TEST(Resampling, between_two_entries_they_weigh_by_their_distance) {
  expect_taps(taps(doubled, 3), {{1, 0.75L, 1}, {2, 0.25L, 1}});
  expect_taps(taps(doubled, 3, 0.25L), {{1, 0.5L, 1}, {2, 0.5L, 1}});
  expect_taps(taps(doubled, 7), {{3, 0.75L, 1}, {3, 0.25L, 1}});
  expect_taps(taps(doubled, 0), {{0, 1, 1}, {1, 0, 0}});
}

// With Keys's coefficient -3/4 the weights are 128ths.
TEST(Resampling, a_cubic_has_four_entries) {
  Axis cubic = doubled;
  cubic.method = Method::cubic;
  expect_taps(taps(cubic, 3), {{0, -27.0L / 256, 25.53515625L},
                               {1, 225.0L / 256, 1.5234375L},
                               {2, 67.0L / 256, 5.0078125L},
                               {3, -9.0L / 256, 39.57421875L}});
  const auto ends = taps(cubic, 0);
  EXPECT_EQ(ends[0].index + ends[1].index + ends[2].index, 0u) << "past the end stands the last one again";
  EXPECT_EQ(ends[3].index, 1u);
}

// A step of 2: three entries within a filter of width 4, whose weights are divided by their sum, 7/4.
TEST(Resampling, an_average_is_as_wide_as_the_step) {
  const Axis half{4, 2, Method::linear, false, true, 0, 0};
  expect_taps(taps(half, 0), {{0, 3.0L / 7, 17.0L / 7}, {1, 3.0L / 7, 17.0L / 7}, {2, 1.0L / 7, 11.0L / 7}});
  expect_taps(taps(half, 1), {{1, 1.0L / 7, 11.0L / 7}, {2, 3.0L / 7, 17.0L / 7}, {3, 3.0L / 7, 17.0L / 7}});
  Axis longer = doubled;  // a step below 1: the filter is as wide as an entry
  longer.antialias = true;
  const auto two = taps(longer, 3);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[0].weight, 0.75L);
  // 1 + 3/4 of its own (the distance over the step has two roundings, one more in the sum), then 3 of the
  // sum.
  EXPECT_EQ(two[0].error, 0.5L + 0.75L + 3 * 0.75L);
  Axis wide = half;
  wide.method = Method::cubic;
  wide.coefficient = -0.5L;
  EXPECT_EQ(taps(wide, 0).size(), 4u) << "0.5 lies within 4 of all entries";
}

TEST(Resampling, copies_the_first_or_the_middle) {
  EXPECT_EQ(taps({5, 3, Method::first, false, false, 0, 0}, 2)[0].index, 2u);
  EXPECT_EQ(taps({5, 3, Method::centre, false, false, 0, 0}, 2)[0].index, 3u);
  EXPECT_FALSE(filters({5, 3, Method::centre, false, false, 0, 0}));
  EXPECT_FALSE(filters({5, 3, Method::first, false, false, 0, 0}));
  EXPECT_TRUE(filters(doubled));
}

}  // namespace
}  // namespace posproof::resampling::resampling_test
