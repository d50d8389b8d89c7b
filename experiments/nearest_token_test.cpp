#include "nearest_token.h"

#include <gtest/gtest.h>

namespace posproof::experiments::nearest_token_test {
namespace {

// Computed with 40 digits; to the five that they were printed with.
TEST(NearestToken, one_other_is_confused_as_often_as_derived) {
  EXPECT_NEAR(confusion(sinusoidal_ratio(0.3, 64), 64), 0.00910, 5e-6);
  EXPECT_NEAR(confusion(sinusoidal_ratio(0.1, 512), 512), 0.01196, 5e-6);
  EXPECT_NEAR(confusion(sinusoidal_ratio(0.02, 512), 512), 0.3258, 5e-5);
  EXPECT_NEAR(confusion(sinusoidal_ratio(1, 2), 2), 0.17748, 5e-6);
}

// Two derivations: with one other token the integral over |x + p| is the probability above.
TEST(NearestToken, the_integral_of_two_tokens_is_the_probability_of_one) {
  for (const std::size_t dim : {2, 16, 512})
    for (const double scale : {0.05, 0.3, 1.0}) {
      const double ratio = sinusoidal_ratio(scale, dim);
      EXPECT_NEAR(confusion(ratio, dim, 2) / confusion(ratio, dim), 1, 1e-7) << dim << ' ' << scale;
    }
}

// Of many tokens no more than their number times as often, and nearly that where it is rare.
TEST(NearestToken, many_others_are_confused_as_the_union_says) {
  const double ratio = sinusoidal_ratio(1, 64), one = confusion(ratio, 64), all = confusion(ratio, 64, 32000);
  EXPECT_LE(all, 31999 * one);
  EXPECT_NEAR(all / (31999 * one), 1, 1e-3);
  EXPECT_LT(confusion(1e-4, 400, 32000), 1e-100);  // of a row that is nearly nothing
  EXPECT_NEAR(confusion(sinusoidal_ratio(scale_of_error(0.01, 64, 100), 64), 64, 100), 0.01, 2e-6);
}

template <class Distance>
Index nearest(Index rows, Distance&& distance) {
  Index out = 0;
  for (Index r = 1; r < rows; ++r)
    if (distance(r) < distance(out)) out = r;
  return out;
}

TEST(NearestToken, a_threshold_is_where_the_nearest_changes) {
  const Matrix p = sinusoidal_rows(6, 40);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    attention::Generator numbers(seed);
    const Matrix z = normal(numbers, 5, 6);
    const Vector offset = p.row(7).transpose();
    const double token = token_lost_below(z, 2, offset);
    const auto decoded = [&](double s) {
      return nearest(5, [&](Index b) { return (s * (z.row(2) - z.row(b)) + p.row(7)).norm(); });
    };
    if (token > 0) {  // else it is lost at no scale
      EXPECT_NE(decoded(0.9999 * token), 2) << seed;
    }
    EXPECT_EQ(decoded(1.0001 * token + 1e-9), 2) << seed;
    const double position = position_lost_above(p, 7, z.row(2).transpose());
    const auto placed = [&](double s) {
      return nearest(40, [&](Index t) { return (s * z.row(2) + p.row(7) - p.row(t)).norm(); });
    };
    EXPECT_EQ(placed(0.9999 * position), 7) << seed;
    EXPECT_NE(placed(1.0001 * position), 7) << seed;
  }
}

}  // namespace
}  // namespace posproof::experiments::nearest_token_test
