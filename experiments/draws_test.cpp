#include "draws.h"

#include <gtest/gtest.h>

namespace posproof::experiments::draws_test {
namespace {

Drawn to(int last) {
  Drawn out;
  for (int n = 0; n < last; ++n) out.see(1 + (7 * n) % last);  // 1 to `last`, in another order
  return out;
}

// numpy's quantile gives the same for the numbers 1 to 200.
TEST(Drawn, has_the_quantiles_of_all_draws) {
  const Drawn all = to(200);
  EXPECT_EQ(all.least(), 1);
  EXPECT_EQ(all.most(), 200);
  EXPECT_DOUBLE_EQ(all.median(), 100.5);
  EXPECT_DOUBLE_EQ(all.band().first, 10.95);
  EXPECT_DOUBLE_EQ(all.band().second, 190.05);
  EXPECT_EQ(to(5).median(), 3);
}

// Of 200 draws the 86th and the 115th: no more than 85 lie below the median with probability 0.020, no more
// than 86 with 0.028. Of 20 draws the 6th and the 15th.
TEST(Drawn, has_an_interval_of_the_median_from_order_statistics) {
  EXPECT_EQ(to(200).of_median(), (std::pair<double, double>{86, 115}));
  EXPECT_EQ(to(20).of_median(), (std::pair<double, double>{6, 15}));
}

}  // namespace
}  // namespace posproof::experiments::draws_test
