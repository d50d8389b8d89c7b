// Golden numbers by mpmath at 40 digits, from the formula and SplitMix64 alone.
#include "catalogue/encodings/cable.h"
#include <gtest/gtest.h>
#include "catalogue/encodings/forgetting_transformer.h"

#include <cmath>

#include "encodings/asked.h"

namespace posproof::cable_test {
namespace {

using namespace asked;

TEST(Cable, has_the_golden_answers) {
  expect_answers(encodings::cable, "dim=2",
                 {1, 0, 0.4371491600455712, 0.5628508399544288, -0.70747541888644523, 1.7074754188864452});
}

Tensor minus(Tensor x) {
  for (double& one : x.data) one = -one;
  return x;
}

// -ln(1 + e^x) = ln f with f = 1 / (1 + e^x).
TEST(Cable, is_the_forgetting_transformer_with_gates_of_the_other_sign) {
  expect_near(answers(encodings::cable, "dim=2 scale=rsqrt gate_bias=-2", minus(q3), minus(k3), v3),
              answers(encodings::forgetting_transformer, "dim=2 gate_bias=2"), 1e-15, "negated");
}

TEST(Cable, does_not_divide_its_logits_unless_it_is_told_to) {
  Tensor q = q3;
  for (double& one : q.data) one *= std::sqrt(2.0);
  expect_near(answers(encodings::cable, "dim=2 scale=rsqrt", q, k3, v3), answers(encodings::cable, "dim=2"),
              2e-15, "scaled");
  EXPECT_NE(answers(encodings::cable, "dim=2 scale=rsqrt"), answers(encodings::cable, "dim=2"));
}

// e^1e9 is no number of any format, and neither is e^-1e9.
TEST(Cable, takes_penalties_of_any_size) {
  for (const std::string words : {"dim=2 gate_bias=1e8", "dim=2 gate_bias=1e9", "dim=2 gate_bias=1e300"})
    expect_nearest_alone(encodings::cable, words, Tensor({3, 2}));
}

}  // namespace
}  // namespace posproof::cable_test
