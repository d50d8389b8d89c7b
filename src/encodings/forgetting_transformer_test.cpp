// Golden numbers by mpmath at 40 digits, from the formula and SplitMix64 alone.
#include "catalogue/encodings/forgetting_transformer.h"
#include <gtest/gtest.h>

#include <cmath>

#include "encodings/asked.h"

namespace posproof::forgetting_transformer_test {
namespace {

using namespace asked;

TEST(ForgettingTransformer, has_the_golden_answers) {
  expect_answers(encodings::forgetting_transformer, "dim=2 gate_bias=2",
                 {1, 0, 0.40475151261527742, 0.59524848738472258, -0.54976409519706337, 1.5497640951970634});
}

// Gates that are all alike: a penalty of ln(1 + e^-b) for each position of distance.
TEST(ForgettingTransformer, is_alibi_of_one_slope_where_gates_do_not_see_the_content) {
  const Numbers there = answers(encodings::forgetting_transformer, "dim=2 gate_std=0 gate_bias=2");
  const double slope = std::log1p(std::exp(-2.0));
  for (std::size_t i = 0; i < 3; ++i) {
    double whole = 0, first = 0;
    for (std::size_t j = 0; j <= i; ++j) {
      const double content = q3.at(i, 0) * k3.at(j, 0) + q3.at(i, 1) * k3.at(j, 1);
      const double weight = std::exp(content / std::sqrt(2.0) - slope * static_cast<double>(i - j));
      whole += weight, first += weight * v3.at(j, 0);
    }
    EXPECT_NEAR(there[2 * i], first / whole, 2e-15) << i;
  }
}

// What two tokens forget one after the other is forgotten once by both: cutting a sequence in two leaves a
// product of gates.
TEST(ForgettingTransformer, forgets_over_two_intervals_what_it_forgets_over_both) {
  const auto forgotten = [](std::vector<double> keys) {  // of the first of two equal keys, by those after it
    const std::size_t n = keys.size();
    Tensor k({n, 2}), v({n, 2});
    for (std::size_t j = 0; j < n; ++j) k.at(j, 1) = keys[j];
    v.at(0, 0) = 1;
    v.at(n - 1, 1) = 1;
    const Numbers y = answers(encodings::forgetting_transformer, "dim=2", Tensor({n, 2}), k, v);
    return std::log(y[2 * n - 2] / y[2 * n - 1]);
  };
  EXPECT_NEAR(forgotten({0, 1, -2, 0.5}), forgotten({0, 1}) + forgotten({0, -2}) + forgotten({0, 0.5}),
              1e-14);
}

TEST(ForgettingTransformer, acts_on_the_logits_alone_and_only_backwards) {
  for (const bool exact : {false, true}) {
    const auto made = as<Attention>(exact ? encodings::forgetting_transformer.oracle({})
                                          : encodings::forgetting_transformer.make({}));
    EXPECT_TRUE(made.causal);
    EXPECT_TRUE(made.only_logits);
  }
}

// Of gates of e^-1e9, which is no number of any format.
TEST(ForgettingTransformer, takes_gates_of_any_size) {
  for (const double size : {1e8, 1e9, 1e300})
    expect_nearest_alone(encodings::forgetting_transformer, "dim=2",
                         Tensor({3, 2}, {-size, 0, -size, 0, -size, 0}));
}

}  // namespace
}  // namespace posproof::forgetting_transformer_test
