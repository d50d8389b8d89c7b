#include "core/rotation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

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

// Powers of two around those where squares overflow, lose bits or vanish.
TEST(PairNorm, is_within_two_units_whatever_the_exponents) {
  EXPECT_EQ(pair_norm(3, -4), 5);
  EXPECT_EQ(pair_norm(-0x1p1000 * 3, 0x1p1000 * 4), 0x1p1000 * 5);
  EXPECT_EQ(pair_norm(0x1p-1000 * 3, 0x1p-1000 * 4), 0x1p-1000 * 5);
  for (const int exponent : {-1073, -1000, -541, -481, -480, -479, -1, 0, 300, 479, 480, 481, 511, 1020})
    for (const int less : {0, 1, 26, 27, 60, 500, 2000}) {
      const double x = std::ldexp(1.1, exponent), y = -std::ldexp(1.7, exponent - less);
      const long double exact = std::hypot(static_cast<long double>(x), static_cast<long double>(y));
      // Below the normal numbers half of the smallest one is more than any share of the norm.
      EXPECT_LE(std::abs(pair_norm(x, y) - exact), exact * 0x1p-52L + 0x1p-1075L) << exponent << ' ' << less;
    }
}

TEST(PairNorm, of_0_is_the_size_of_the_other_and_of_no_number_none) {
  constexpr double infinity = std::numeric_limits<double>::infinity(),
                   nan = std::numeric_limits<double>::quiet_NaN();
  for (const double x : {0.0, -2.5, 0x1p-1074, 0x1.8p1023, infinity})
    EXPECT_EQ(pair_norm(x, -0.0), std::abs(x)) << x;
  EXPECT_EQ(pair_norm(0, -7), 7);
  EXPECT_EQ(pair_norm(1, -infinity), infinity);
  for (const auto& [x, y] : {std::pair{nan, 0.0}, {0.0, nan}, {1.0, nan}, {nan, 1.0}})
    EXPECT_TRUE(std::isnan(pair_norm(x, y)));
}

TEST(ColumnsInOrder, are_those_of_the_order_in_every_row) {
  const std::vector<std::size_t> order = {2, 0, 1};
  EXPECT_EQ(columns_in_order(Tensor({2, 3}, {1, 2, 3, 4, 5, 6}), order), Tensor({2, 3}, {3, 1, 2, 6, 4, 5}));
}

}  // namespace
}  // namespace posproof::rotation_test
