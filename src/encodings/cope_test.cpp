// Golden numbers by mpmath at 40 digits, from the formula and SplitMix64 alone.
#include "catalogue/encodings/cope.h"
#include <gtest/gtest.h>
#include "encodings/seeded.h"

#include <cmath>

#include "encodings/asked.h"

namespace posproof::cope_test {
namespace {

using namespace asked;

TEST(Cope, has_the_golden_answers) {
  expect_answers(encodings::cope, "dim=2 length=3",
                 {1, 0, 0.33351097280153198, 0.66648902719846802, -0.92174769038521899, 1.921747690385219});
  expect_answers(encodings::cope, "dim=2 length=2 gate=plain counting=exclusive",
                 {1, 0, 0.35443262447007552, 0.64556737552992448, 0.277506831203261, 0.722493168796739});
}

// The mean of values under logits of these numbers: gates are all open or all shut.
double weighed(const std::vector<double>& logits) {
  double whole = 0, first = 0;
  for (const double l : logits) whole += std::exp(l), first += first == 0 ? std::exp(l) : 0;
  return first / whole;
}

double first_weight(std::string_view words, double key) {
  const Tensor q({3, 1}, {1, 1, 1}), k({3, 1}, {key, key, key}), v({3, 1}, {1, 0, 0});
  return answers(encodings::cope, words, q, k, v).at(2);
}

TEST(Cope, counts_tokens_from_one_where_all_gates_are_open) {
  const auto e = [](std::uint64_t p) { return seeded(1, p, 1); };
  EXPECT_NEAR(first_weight("dim=1 length=8", 60), weighed({e(3), e(2), e(1)}), 1e-15);
  EXPECT_NEAR(first_weight("dim=1 length=8 counting=exclusive", 60), weighed({e(2), e(1), e(0)}), 1e-15);
  EXPECT_NEAR(first_weight("dim=1 length=3", 60), weighed({e(2), e(2), e(1)}), 1e-15);
}

TEST(Cope, has_no_position_where_all_gates_are_shut) {
  EXPECT_NEAR(first_weight("dim=1 length=8", -60), 1.0 / 3, 1e-15);
}

TEST(Cope, does_not_count_a_token_whose_gate_is_shut) {
  const auto last_two = [](const std::vector<double>& keys) {  // weights of the first against the last
    const std::size_t n = keys.size();
    Tensor v({n, 1}), w({n, 1});
    v.at(0, 0) = 1, w.at(n - 1, 0) = 1;
    const Tensor q({n, 1}, Numbers(n, 1)), k({n, 1}, keys);
    return answers(encodings::cope, "dim=1 length=8", q, k, v).back() /
           answers(encodings::cope, "dim=1 length=8", q, k, w).back();
  };
  EXPECT_NEAR(last_two({1, -60, 0.5}), last_two({1, 0.5}), 1e-14);
  EXPECT_GT(std::abs(last_two({1, 1, 0.5}) - last_two({1, 0.5})), 1e-3);
}

TEST(Cope, counts_the_keys_that_a_query_sees) {
  const auto cope = encodings::cope.make<Attention>(Case::parse("dim=2 length=8"));
  Mask without_the_second = causal(3);
  without_the_second.at(2, 1) = 0;
  const Numbers masked = cope.attend(q3, k3, v3, without_the_second).data;
  const Tensor q({2, 2}, {1, 0, 2, 1}), k({2, 2}, {0.5, 1, 1, 1}), v({2, 2}, {1, 0, -1, 2});
  const Numbers short_one = cope.attend(q, k, v, causal(2)).data;
  EXPECT_NEAR(masked[4], short_one[2], 1e-15);
  EXPECT_NEAR(masked[5], short_one[3], 1e-15);
}

}  // namespace
}  // namespace posproof::cope_test
