#include "matrices.h"

#include <gtest/gtest.h>

namespace posproof::experiments::matrices_test {
namespace {

// 300 x 300 x 300 is cut into blocks by caches of 32 kB, 256 kB and 2 MB, and is one block for the largest
// here.
Matrix product() {
  attention::Generator numbers(1);
  const Matrix a = normal(numbers, 300, 300), b = normal(numbers, 300, 300);
  return a * b;
}

struct CacheSizes {
  std::ptrdiff_t l1 = Eigen::l1CacheSize(), l2 = Eigen::l2CacheSize(), l3 = Eigen::l3CacheSize();
};

TEST(Matrices, multiply_in_the_same_order_on_every_machine) {
  const CacheSizes here;
  EXPECT_EQ(here.l1, 32 << 10);
  EXPECT_EQ(here.l2, 256 << 10);
  EXPECT_EQ(here.l3, 2 << 20);
  const Matrix ours = product();
  Eigen::setCpuCacheSizes(4 << 10, 16 << 10, 32 << 10);
  const Matrix elsewhere = product();
  Eigen::setCpuCacheSizes(here.l1, here.l2, here.l3);
  EXPECT_NE(ours, elsewhere) << "the sizes have no effect on sums: the setting is not needed";
  EXPECT_EQ(ours, product());
}

}  // namespace
}  // namespace posproof::experiments::matrices_test
