// Golden numbers by mpmath at 40 digits, from the formula and SplitMix64 alone.
#include "catalogue/encodings/cope.h"
#include <gtest/gtest.h>
#include "encodings/seeded.h"

#include <algorithm>
#include <cmath>
#include <vector>

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

// In f32, for one channel: positions from the last key on, or as the rest of all gates; `late`: of the keys
// from the 64th on the sum of the first 64 gates is off by that.
Tensor in_f32(const Call& call, bool rest, float late = 0) {
  const auto n = call.mask.rows();
  const auto at = [&](std::size_t of, std::size_t r) {
    return static_cast<float>(call.contents[of].at(r, 0));
  };
  Tensor out({n, 1});
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<float> logits(i + 1), gates(i + 1);
    float total = 0, sum = 0, weights = 0, mean = 0, largest = -INFINITY;
    for (std::size_t j = 0; j <= i; ++j) total += gates[j] = 1 / (1 + std::exp(-at(0, i) * at(1, j)));
    for (std::size_t j = 0; rest && j <= i; ++j) {
      sum += gates[j];
      logits[j] = total - sum + gates[j] + (j >= 64 ? late : 0);
    }
    for (std::size_t j = i + 1; !rest && j-- > 0;) logits[j] = sum += gates[j];
    for (std::size_t j = 0; j <= i; ++j) {
      const float p = std::min(logits[j], 11.0F), below = std::min(std::floor(p), 10.0F), share = p - below;
      const auto entry = [&](float t) {
        return at(0, i) * static_cast<float>(seeded(1, static_cast<std::uint64_t>(t), 1));
      };
      logits[j] = at(0, i) * at(1, j) + entry(below) * (1 - share) + entry(below + 1) * share;
      largest = std::max(largest, logits[j]);
    }
    for (std::size_t j = 0; j <= i; ++j) {
      const float weight = std::exp(logits[j] - largest);
      weights += weight, mean += weight * at(2, j);
    }
    out.at(i, 0) = mean / weights;
  }
  return out;
}

// The rest of all gates is rounded as their sum is, which is larger.
TEST(Cope, allows_positions_that_are_the_rest_of_all_gates) {
  constexpr std::size_t n = 127;
  const Encoding cope = encodings::cope.oracle(with(encodings::cope, Case::parse("dim=1 length=12")));
  Call call{.mask = causal(n), .contents = {Tensor({n, 1}), Tensor({n, 1}), Tensor({n, 1})}};
  for (std::size_t r = 0; r < n; ++r) {
    call.contents[0].at(r, 0) = 2;
    call.contents[1].at(r, 0) = 0.375;
    call.contents[2].at(r, 0) = r < n / 2 ? -1 : 1;
  }
  const Tensor exact = answer(cope, call);
  const auto share = [&](const Tensor& given) {
    return compare(cope, call, given, exact, bound(cope, call, given, all_f32)).worst.error_over_bound();
  };
  EXPECT_LE(share(in_f32(call, false)), 1);
  EXPECT_LE(share(in_f32(call, true)), 1);
  EXPECT_GT(share(in_f32(call, true, 0x1p-8F)), 1);
}

}  // namespace
}  // namespace posproof::cope_test
