#include "attention/dot_product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "attention/mask.h"

namespace posproof::attention::dot_product_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(DotProduct, equal_logits_give_the_mean_of_the_values) {
  const Tensor q({2, 3}), k({4, 3}), v({4, 1}, {1, 2, 3, 6});
  const Tensor out = scaled_dot_product(q, k, v, mask::none(2, 4));
  EXPECT_EQ(out, Tensor({2, 1}, {3, 3}));
}

// By hand: logits 1/sqrt(2) on the diagonal, so the own weight is w = 1 / (1 + exp(-1/sqrt(2))) =
// 0.66976154932...
TEST(DotProduct, two_tokens_by_hand) {
  const Tensor one({2, 2}, {1, 0, 0, 1}), v({2, 2}, {1, 2, 3, 5});
  const Tensor out = scaled_dot_product(one, one, v, mask::none(2));
  const double w = 0.66976154932665693;
  EXPECT_NEAR(out.at(0, 0), w * 1 + (1 - w) * 3, 1e-15);
  EXPECT_NEAR(out.at(0, 1), w * 2 + (1 - w) * 5, 1e-15);
  EXPECT_NEAR(out.at(1, 0), w * 3 + (1 - w) * 1, 1e-15);
  EXPECT_NEAR(out.at(1, 1), w * 5 + (1 - w) * 2, 1e-15);
}

TEST(DotProduct, logits_are_divided_by_the_root_of_the_width) {
  const Tensor q({1, 4}, {1, 2, 3, 4}), k({2, 4}, {1, 1, 1, 1, 2, 0, 0, -1});
  EXPECT_EQ(scaled_logits(q, k), Tensor({1, 2}, {5, -1}));
}

// In the order of the channels, so bit for bit, however many queries and keys run beside each other.
TEST(DotProduct, logits_of_any_number_of_queries_and_keys_are_plain_sums) {
  for (const std::size_t width : {1, 3, 8})
    for (std::size_t queries = 1; queries <= 9; ++queries)
      for (std::size_t keys = 1; keys <= 9; ++keys) {
        Tensor q({queries, width}), k({keys, width}), plain({queries, keys});
        for (std::size_t e = 0; e < q.data.size(); ++e) q.data[e] = std::sin(static_cast<double>(e));
        for (std::size_t e = 0; e < k.data.size(); ++e) k.data[e] = std::cos(static_cast<double>(3 * e));
        for (std::size_t i = 0; i < queries; ++i)
          for (std::size_t j = 0; j < keys; ++j) {
            for (std::size_t c = 0; c < width; ++c) plain.at(i, j) += q.at(i, c) * k.at(j, c);
            plain.at(i, j) /= std::sqrt(static_cast<double>(width));
          }
        EXPECT_EQ(scaled_logits(q, k), plain) << queries << " x " << keys << " x " << width;
      }
}

TEST(DotProduct, an_average_of_any_width_is_a_plain_sum_in_the_order_of_the_keys) {
  for (std::size_t width = 1; width <= 40; ++width) {
    const std::vector<double> weights = {0.1, 0.7, 0.2};
    Tensor v({3, width + 2});
    for (std::size_t e = 0; e < v.data.size(); ++e) v.data[e] = std::sin(static_cast<double>(e));
    std::vector<double> found(width, -7.0), plain(width);  // whatever stood there before
    average(weights, v, 1, found);
    for (std::size_t c = 0; c < width; ++c)
      for (std::size_t j = 0; j < 3; ++j) plain[c] += weights[j] * v.at(j, c + 1);
    EXPECT_EQ(found, plain) << width;
  }
}

TEST(DotProduct, a_common_shift_of_a_row_changes_no_weight) {
  const Tensor near({1, 3}, {0, 1, 2}), far({1, 3}, {65536, 65537, 65538}),
      low({1, 3}, {-65536, -65535, -65534});
  const Tensor weights = softmax(near, mask::none(1, 3));
  EXPECT_EQ(softmax(far, mask::none(1, 3)), weights);
  EXPECT_EQ(softmax(low, mask::none(1, 3)), weights);
  EXPECT_NEAR(weights.at(0, 2), 0.66524095577482190, 2e-16);  // 1 / (1 + e^-1 + e^-2)
}

TEST(DotProduct, a_hidden_key_has_no_weight_however_large_its_logit) {
  const Tensor logits({1, 3}, {0, 1e300, 0});
  EXPECT_EQ(softmax(logits, mask::padding(1, {true, false, true})), Tensor({1, 3}, {0.5, 0, 0.5}));
}

TEST(DotProduct, a_query_that_sees_no_key_is_refused) {
  try {
    softmax(Tensor({2, 2}), Mask({2, 2}, {1, 0, 0, 0}));
    FAIL() << "nothing was refused";
  } catch (const Refusal& refusal) {
    EXPECT_EQ(std::string(refusal.what()), "query 1 sees no key");
  }
}

TEST(DotProduct, what_is_not_a_number_stays_visible) {
  for (const double bad : {std::nan(""), infinity}) {
    const Tensor weights = softmax(Tensor({1, 2}, {0, bad}), mask::none(1, 2));
    EXPECT_TRUE(std::isnan(weights.at(0, 1))) << bad;
  }
  EXPECT_TRUE(std::isnan(softmax(Tensor({1, 1}, {-infinity}), mask::none(1)).at(0, 0)));
}

TEST(DotProduct, shapes_that_do_not_meet_are_refused) {
  EXPECT_THROW(product(Tensor({2, 3}), Tensor({2, 3})), std::invalid_argument);
  EXPECT_THROW(scaled_logits(Tensor({2, 3}), Tensor({2, 4})), std::invalid_argument);
  EXPECT_THROW(softmax(Tensor({2, 3}), mask::none(3, 2)), std::invalid_argument);
  for (const std::size_t values : {1, 3})
    EXPECT_THROW(scaled_dot_product(Tensor({1, 2}), Tensor({2, 2}), Tensor({values, 2}), mask::none(1, 2)),
                 std::invalid_argument)
        << values << " values of 2 keys";
}

TEST(DotProduct, a_product_by_hand) {
  EXPECT_EQ(product(Tensor({2, 2}, {1, 2, 3, 4}), Tensor({2, 3}, {1, 0, 2, 0, 1, 3})),
            Tensor({2, 3}, {1, 2, 8, 3, 4, 18}));
}

}  // namespace
}  // namespace posproof::attention::dot_product_test
