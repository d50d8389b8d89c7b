#include "exact/number.h"

#include <gtest/gtest.h>

#include <array>

namespace posproof::exact::number_test {
namespace {

TEST(Number, keeps_256_bits) {
  const Number tiny(0x1p-200);
  EXPECT_EQ((Number(1) + tiny - Number(1)).nearest(), 0x1p-200);
  EXPECT_EQ((Number(1) + tiny * tiny - Number(1)).nearest(), 0);
  Number copy = tiny;
  copy += tiny;
  EXPECT_EQ(tiny.nearest(), 0x1p-200);
  EXPECT_EQ(copy.nearest(), 0x1p-199);
}

TEST(Number, has_the_functions_of_formulas) {
  EXPECT_EQ((Number(7) / Number(2) - Number(0.5)).nearest(), 3);
  EXPECT_EQ(sqrt(Number(9)).nearest(), 3);
  EXPECT_EQ(pow(Number(2), Number(-3)).nearest(), 0.125);
  EXPECT_EQ(floor(Number(-1.5)).nearest(), -2);
  EXPECT_EQ(log(exp(Number(1))).nearest(), 1);
  EXPECT_EQ(log1p(Number(0)).nearest(), 0);
  EXPECT_EQ((sin(Number(1)) * sin(Number(1)) + cos(Number(1)) * cos(Number(1))).nearest(), 1);
  EXPECT_TRUE(Number(1) < Number(2));
  EXPECT_FALSE(Number(2) < Number(2));
}

TEST(InFull, is_the_arithmetic_of_formulas_without_roundings) {
  const InFull in;
  const std::array<Number, 2> x = {1, 2}, y = {3, -4};
  EXPECT_EQ(in.dot(x, y).nearest(), -5);
  EXPECT_EQ(in.total(y).nearest(), -1);
  EXPECT_EQ(in.over_root(6, 4).nearest(), 3);
  EXPECT_EQ(in.softplus(0).nearest(), 0x1.62e42fefa39efp-1);
  EXPECT_EQ(in.log_sigmoid(0).nearest(), -0x1.62e42fefa39efp-1);
  EXPECT_EQ(in.sigmoid(0).nearest(), 0.5);
  EXPECT_EQ(in.leaky(-2, 0.5).nearest(), -1);
  EXPECT_EQ(in.leaky(2, 0.5).nearest(), 2);
}

TEST(InFull, has_the_layers_of_perceptrons) {
  const InFull in;
  const std::array<double, 2> weights = {0.1, -0.5};
  const std::array<Number, 2> x = {3, Number(1) / Number(3)};
  EXPECT_EQ(in.weighted(weights, x).nearest(), (Number(0.1) * Number(3) - Number(1) / Number(6)).nearest());
  EXPECT_EQ(in.rectified(-2).nearest(), 0);
  EXPECT_EQ(in.rectified(2).nearest(), 2);
  EXPECT_EQ(in.whole(7).nearest(), 7);
  EXPECT_EQ(in.log_of_1_and(1).nearest(), 0x1.62e42fefa39efp-1);
}

// Also where e^-x is left out: nothing of it would show.
TEST(InFull, has_silu_on_both_sides_of_where_it_is_cut_short) {
  const InFull in;
  const auto whole = [](const Number& x) { return x / (Number(1) + exp(Number() - x)); };
  for (const double x : {-2.0, 0.0, 1.0, 40.0, 179.0, 181.0, 1e6, -799.0})
    EXPECT_EQ((in.silu(x) - whole(x)).nearest(), 0) << x;
  EXPECT_NE(in.silu(-740).nearest(), 0) << "still a double";
  EXPECT_EQ(in.silu(-801).nearest(), 0);
  EXPECT_EQ(whole(-801).nearest(), 0) << "no double any more";
}

TEST(InFull, turns_by_differences_of_angles) {
  const InFull in;
  const Wave quarter{16, 1, 2};
  EXPECT_EQ(in.power(quarter).nearest(), 0.25);
  EXPECT_EQ(in.sine(4, quarter).nearest(), sin(Number(1)).nearest());
  EXPECT_EQ(in.cosine(4, quarter).nearest(), cos(Number(1)).nearest());
  const auto turn = in.turn(in.angle_at(8, quarter, 0.5), in.angle(1));
  EXPECT_EQ(turn.cosine.nearest(), cos(Number(1.5)).nearest());
  EXPECT_EQ(turn.sine.nearest(), sin(Number(1.5)).nearest());
}

TEST(InFull, interpolates_up_to_the_last_entry) {
  const InFull in;
  const std::array<Number, 3> entries = {0, 1, 5};
  EXPECT_EQ(in.interpolated(0.25, entries).nearest(), 0.25);
  EXPECT_EQ(in.interpolated(1.5, entries).nearest(), 3);
  EXPECT_EQ(in.interpolated(2, entries).nearest(), 5);
  EXPECT_EQ(in.interpolated(9, entries).nearest(), 5);
}

}  // namespace
}  // namespace posproof::exact::number_test
