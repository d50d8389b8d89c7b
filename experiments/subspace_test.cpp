#include "subspace.h"

#include <gtest/gtest.h>

namespace posproof::experiments::subspace_test {
namespace {

// Rows along three axes, of lengths 4, 2 and 1: energies 16, 4 and 1.
TEST(Directions, are_those_of_the_strongest_rows) {
  Matrix rows = Matrix::Zero(3, 3);
  rows(0, 1) = 4, rows(1, 2) = -2, rows(2, 0) = 1;
  const Directions of = directions(rows);
  EXPECT_NEAR(of.strength[1], 2, 1e-14);
  EXPECT_EQ(of.holding(16.0 / 21 - 1e-9), 1);
  EXPECT_EQ(of.holding(16.0 / 21 + 1e-9), 2);
  EXPECT_EQ(of.holding(20.0 / 21 + 1e-9), 3);
  EXPECT_EQ(of.above(0.26), 2);
  EXPECT_EQ(of.above(0.24), 3);
  EXPECT_NEAR(strengths(rows.topRows(2)).strength[1], 2, 1e-14);
  const Vector row = Vector{{3, 5, 7}};
  EXPECT_NEAR(of.outside(row, 1), 9 + 49, 1e-12);
  EXPECT_NEAR(of.outside(row, 2), 9, 1e-12);
}

// Of sinusoidal rows, counted by numpy's svd; and what is predicted of them, by hand: width 256 and 512 rows
// have c = 0.06941, 27.794 ln(5.656) = 48.16 and 2 / c = 28.81.
TEST(Directions, of_sinusoidal_rows_are_those_of_another_program) {
  EXPECT_EQ(directions(sinusoidal_rows(64, 512)).holding(0.999), 31);
  EXPECT_EQ(directions(sinusoidal_rows(64, 512)).above(1e-5), 34);
  EXPECT_NEAR(predicted_directions(256, 512), 76.97, 0.01);
}

}  // namespace
}  // namespace posproof::experiments::subspace_test
