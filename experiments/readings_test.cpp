#include "experiments/readings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace posproof::experiments::readings_test {
namespace {

const Reading plain{"rope", "dim=8", "", ""}, linear{"rope", "dim=8 scaling=linear factor=4", "", ""},
    ntk{"rope", "dim=8 scaling=ntk factor=4", "", ""};

// NTK keeps the fastest pair, and divides the slowest by its factor.
TEST(Readings, differ_in_the_pairs_that_rotate_otherwise) {
  using Pairs = std::vector<std::size_t>;
  EXPECT_EQ(pairs_that_differ(plain, plain), Pairs{});
  EXPECT_EQ(pairs_that_differ(plain, linear), (Pairs{0, 1, 2, 3}));
  EXPECT_EQ(pairs_that_differ(plain, ntk), (Pairs{1, 2, 3}));
}

TEST(Readings, have_the_largest_of_all_ratios_whichever_is_faster) {
  for (const auto& [one, other] : {std::pair{plain, linear}, {linear, plain}})
    EXPECT_DOUBLE_EQ(ratio(one, other).most, 4);
  EXPECT_EQ(ratio(plain, ntk).pair, 3u);
  EXPECT_DOUBLE_EQ(ratio(ntk, plain).most, 4);
}

// At a position t pair i of one turns by t w, of the other by t w': both columns of the rotation differ.
// NTK's base is 10000 4^(8/6), so that the first pair turns alike, and the others do not. In double either
// angle, t at most, is within 3 units (the power, the frequency as it is kept, the product), and either sine
// or cosine within 1 of 1.
TEST(Readings, are_as_far_apart_as_the_pair_that_differs_most) {
  const long double base = 10000, larger = base * std::pow(4.0L, 8.0L / 6);
  for (const Position t : {1, 100}) {
    long double most = 0;
    for (int i = 0; i < 4; ++i) {
      const long double a = t * std::pow(base, -i / 4.0L), b = t * std::pow(larger, -i / 4.0L);
      most = std::max({most, std::abs(std::cos(a) - std::cos(b)), std::abs(std::sin(a) - std::sin(b))});
    }
    const double rounding = 2 * (3 * static_cast<double>(t) + 1) * 0x1p-53;
    EXPECT_NEAR(apart(plain, ntk, {t}), static_cast<double>(most), rounding) << t;
  }
  EXPECT_EQ(apart(plain, plain, {100}), 0);
}

}  // namespace
}  // namespace posproof::experiments::readings_test
