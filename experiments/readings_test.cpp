#include "experiments/readings.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace posproof::experiments::readings_test
