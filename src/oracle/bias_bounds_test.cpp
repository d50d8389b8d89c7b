#include "oracle/bias_bounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

namespace posproof::oracle_bias_bounds_test {
namespace {

using posproof::bias_bounds::Error;
using posproof::bias_bounds::of_asymmetric_slopes;
using posproof::bias_bounds::Units;

// A key after its query costs a sum, a product and the factor that is kept, whatever stands behind the two
// numbers in memory.
TEST(BiasBounds, of_asymmetric_slopes_are_larger_for_keys_after_the_query) {
  const Error error = of_asymmetric_slopes({0.5, 0.25});
  const Precision p = Precision::parse("f32");
  const auto of = [&](double query, double key, double behind) {
    const std::vector<double> at = {query, behind}, of_key = {key, behind};
    return error(1, std::span(at).first(1), std::span(of_key).first(1), -3, p);
  };
  const Units u(p);
  const double before = of(7, 6, 0), after = of(5, 6, 7);
  EXPECT_GT(before, 0);
  EXPECT_EQ(after, before + (2 * u.work + u.kept) * 3);
  EXPECT_EQ(of(5, 6, 0), after);
  EXPECT_EQ(of(6, 6, 0), before);
  EXPECT_EQ(of(6, 6, 7), before);
}

// What is kept is of that query, that key, that precision and those scales.
TEST(BiasBounds, of_a_sum_of_cosines_that_are_kept_are_those_of_their_own_question) {
  const std::vector<double> frequencies = {1, 0.1, 0.01};
  const bias_bounds::CosinesErrors kept(frequencies);
  const Precision in_bf16 = Precision::parse("bf16");
  const auto expect_own = [&] {
    for (const Precision& p : {all_f32, in_bf16, all_f32})
      for (const double s : {0.0, 7.0, 900.0})
        for (const double t : {900.0, 7.0, 0.0})
          EXPECT_EQ(kept(s, t, std::abs(s - t), p),
                    bias_bounds::cosines_error(frequencies, s, t, std::abs(s - t), p))
              << s << ' ' << t;
  };
  expect_own();
  {
    const ScaledTerm larger(Term::angle_product, 16);
    expect_own();
  }
  expect_own();
}

// A hidden unit that is below 0 by more than rounding stays 0, whatever its numbers lose; the same unit above
// 0 hands on what its input is off by.
TEST(BiasBounds, of_a_perceptron_have_nothing_of_a_unit_that_stays_0) {
  using posproof::bias_bounds::Perceptron;
  const Units u(Precision::parse("f32"));
  const std::vector<double> x = {1}, of_x = {0x1p-20};
  const auto error = [&](double bias) {
    return Perceptron{.inputs = 1, .width = 1, .heads = 1, .biased = false, .numbers = {1, bias, 1}}.error(
        0, x, of_x, u);
  };
  EXPECT_EQ(error(-100), 0);
  EXPECT_GT(error(100), of_x[0]);
}

}  // namespace
}  // namespace posproof::oracle_bias_bounds_test
