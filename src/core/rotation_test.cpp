#include "core/rotation.h"

#include <gtest/gtest.h>

#include <string>

namespace posproof::rotation_test {
namespace {

// Of a rotation of 2 heads of 4 channels at positions of `axes` numbers.
std::string said(const Shape& shape, const Positions& positions, std::size_t axes = 1) {
  try {
    check_rotation(Tensor(shape), positions, 2, 4, axes);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(CheckRotation, takes_every_token_with_its_position_and_nothing_else) {
  const std::vector<Position> six(6), twelve(12);
  EXPECT_EQ(said({2, 2, 3, 4}, six), "");
  EXPECT_EQ(said({2, 2, 3, 4}, {twelve, 2}, 2), "");
  EXPECT_EQ(said({2, 2, 3}, six),
            "a rotation of x [2, 2, 3] at 6 positions of 1; allowed: [batch, 2, n, 4] and batch * n "
            "positions of 1");
  EXPECT_EQ(said({2, 2, 3, 4}, six, 2),
            "a rotation of x [2, 2, 3, 4] at 6 positions of 1; allowed: [batch, 2, n, 4] and batch * n "
            "positions of 2");
  for (const Shape& shape : {Shape{2, 1, 3, 4},
                             {2, 3, 3, 4},
                             {2, 2, 3, 5},
                             {2, 2, 3, 3},
                             {1, 2, 3, 4},
                             {2, 2, 4, 4},
                             {1, 2, 2, 3, 4}})
    EXPECT_NE(said(shape, six), "") << text(shape);
  EXPECT_NE(said({2, 2, 3, 4}, {twelve, 2}), "");
}

}  // namespace
}  // namespace posproof::rotation_test
