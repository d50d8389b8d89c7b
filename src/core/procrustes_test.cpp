#include "core/procrustes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace posproof::procrustes_test {

TEST(Procrustes, finds_the_matrix_that_turned_and_mirrored_the_rows) {
  const Tensor x({3, 2}, {1, 0, 0.5, 2, -3, 1e-9});
  const double c = 0.6, s = 0.8;
  Tensor y({3, 2});
  for (std::size_t r = 0; r < 3; ++r) {
    y.at(r, 0) = c * x.at(r, 0) + s * x.at(r, 1);
    y.at(r, 1) = s * x.at(r, 0) - c * x.at(r, 1);
  }
  const Carried carried = procrustes(x, y);
  EXPECT_LE(carried.residual, carried.rounding + 3e-15);
  EXPECT_LT(carried.rounding, 1e-7);
}

TEST(Procrustes, sees_a_part_in_a_million) {
  const Tensor x({2, 3}, {1, 0, 0, 0, 1, 0});
  const Tensor longer({2, 3}, {0, 0, 1 + 1e-6, 1, 0, 0});
  EXPECT_NEAR(procrustes(x, longer).residual, 1e-6, 1e-12);
  EXPECT_GT(procrustes(x, longer).residual, procrustes(x, longer).rounding);
}

// Two unit vectors at 60 degrees cannot be carried to two at 90: each ends 15 degrees off, a chord of 2
// sin(7.5).
TEST(Procrustes, leaves_what_no_matrix_can_do) {
  const Tensor wide({2, 2}, {1, 0, 0, 1});
  const Tensor narrow({2, 2}, {1, 0, 0.5, std::sqrt(0.75)});
  const double chord = 2 * std::sin(std::acos(-1.0) / 24);
  EXPECT_NEAR(procrustes(narrow, wide).residual, std::sqrt(2.0) * chord, 1e-12);
}

// Of m = 2 directions, n d = 4 entries and two norms of sqrt(2), in units of long double: the two terms of
// the derivation.
TEST(Procrustes, rounds_by_a_polar_factor_and_by_its_reflections) {
  const Tensor x({2, 2}, {1, 0, 0, 1});
  const double u = std::ldexp(1.0, -std::numeric_limits<long double>::digits), m = 2, size = 4,
               norm = std::sqrt(2.0);
  EXPECT_DOUBLE_EQ(procrustes(x, x).rounding, std::sqrt(4 * std::sqrt(m) * 64 * m * u * norm * norm) +
                                                  (6 * size + 128 * m) * u * 2 * norm);
}

TEST(Procrustes, nan_is_carried_nowhere) {
  const Tensor x({1, 2}, {1, 0});
  const Tensor y({1, 2}, {std::numeric_limits<double>::quiet_NaN(), 0});
  EXPECT_TRUE(std::isnan(procrustes(x, y).residual));
  EXPECT_THROW(procrustes(x, Tensor({2, 2})), std::length_error);
}

}  // namespace posproof::procrustes_test
