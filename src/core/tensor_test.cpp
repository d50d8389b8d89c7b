#include "core/tensor.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>

namespace posproof::tensor_test {
namespace {

TEST(Tensor, has_as_many_values_as_its_shape) {
  EXPECT_EQ(Tensor({2, 3}).data.size(), 6u);
  EXPECT_EQ(Tensor({2, 0, 3}).data.size(), 0u);
  for (const std::size_t came : {5, 7}) {
    try {
      Tensor({2, 3}, std::vector<double>(came));
      FAIL() << came;
    } catch (const std::length_error& error) {
      EXPECT_EQ(error.what(), "shape [2, 3] holds 6 values, " + std::to_string(came) + " came");
    }
  }
}

TEST(Tensor, has_no_more_values_than_can_be_counted) {
  const std::size_t half = std::numeric_limits<std::size_t>::max() / 2 + 1;
  EXPECT_EQ(count({half, 1}), half);
  EXPECT_THROW(count({half, 2}), std::length_error);
  EXPECT_EQ(count({half, 0, 2}), 0u);
}

TEST(Tensor, has_its_columns_in_another_order) {
  const std::vector<std::size_t> order = {2, 0, 1};
  EXPECT_EQ(columns_in_order(Tensor({2, 3}, {1, 2, 3, 4, 5, 6}), order), Tensor({2, 3}, {3, 1, 2, 6, 4, 5}));
}

}  // namespace
}  // namespace posproof::tensor_test
