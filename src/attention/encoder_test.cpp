#include "attention/encoder.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "attention/dot_product.h"
#include "attention/generator.h"
#include "attention/mask.h"
#include "attention/order.h"

namespace posproof::attention::encoder_test {
namespace {

Tensor ones(std::size_t n) {
  return {{n}, std::vector<double>(n, 1.0)};
}

Tensor identity(std::size_t n) {
  Tensor out({n, n});
  for (std::size_t i = 0; i < n; ++i) out.at(i, i) = 1;
  return out;
}

double largest_difference(const Tensor& a, const Tensor& b) {
  double most = 0;
  for (std::size_t e = 0; e < a.data.size(); ++e) most = std::max(most, std::abs(a.data[e] - b.data.at(e)));
  return most;
}

TEST(Generator, gives_the_published_numbers_of_splitmix64) {
  Generator generator(1234567);
  EXPECT_EQ(generator.next(), 6457827717110365317u);
  EXPECT_EQ(generator.next(), 3203168211198807973u);
}

TEST(Generator, normal_numbers_have_mean_0_and_variance_1) {
  Generator generator(1);
  double sum = 0, squares = 0;
  constexpr int n = 100000;
  for (int i = 0; i < n; ++i) {
    const double x = generator.normal();
    sum += x;
    squares += x * x;
  }
  // Five standard deviations of a mean (1/sqrt(n)) and of a mean square (sqrt(2/n)).
  EXPECT_LT(std::abs(sum / n), 5 / std::sqrt(n));
  EXPECT_LT(std::abs(squares / n - 1), 5 * std::sqrt(2.0 / n));
}

// 0, 2, 4, 10 has mean 4 and variance 14; with epsilon 2 the root is 4.
TEST(LayerNorm, by_hand_with_epsilon_gain_and_shift) {
  const LayerNorm norm{Tensor({4}, {1, 1, 1, 8}), Tensor({4}, {0, 0, 5, 0}), 2.0};
  EXPECT_EQ(normalised(norm, Tensor({1, 4}, {0, 2, 4, 10})), Tensor({1, 4}, {-1, -0.5, 5, 12}));
}

TEST(LayerNorm, takes_each_token_alone_and_forgets_its_mean_and_scale) {
  const LayerNorm norm{ones(2), Tensor({2}), 0.0};
  EXPECT_EQ(normalised(norm, Tensor({2, 2}, {1, 3, 100, 300})), Tensor({2, 2}, {-1, 1, -1, 1}));
}

TEST(LayerNorm, a_constant_token_becomes_the_shift) {
  const LayerNorm norm{ones(2), Tensor({2}, {7, 8})};
  EXPECT_EQ(normalised(norm, Tensor({1, 2}, {3, 3})), Tensor({1, 2}, {7, 8}));
}

TEST(FeedForward, cuts_what_is_negative_and_adds_both_shifts) {
  const FeedForward feed_forward{Tensor({2, 2}, {1, -1, 0, 1}), Tensor({2}, {0, 1}), Tensor({2, 1}, {1, 10}),
                                 Tensor({1}, {0.5})};
  // (3, 1): hidden (3, -3 + 1 + 1 = -1 -> 0).  (-2, 1): hidden (-2 -> 0, 2 + 1 + 1 = 4).
  EXPECT_EQ(transformed(feed_forward, Tensor({2, 2}, {3, 1, -2, 1})), Tensor({2, 1}, {3.5, 40.5}));
}

TEST(FeedForward, leaves_what_is_no_number) {
  const Tensor one({1, 1}, {1}), none({1, 1}, {std::numeric_limits<double>::quiet_NaN()});
  EXPECT_TRUE(std::isnan(transformed({one, Tensor({1}), one, Tensor({1})}, none).data[0]));
}

// Of 16 channels: numbers of variance 1/16, so that a token keeps its size.
TEST(MultiHead, random_projections_keep_the_size_of_a_token) {
  Generator generator(5);
  const Projections all = random_projections(16, 5);
  for (const Tensor* one : {&all.query, &all.key, &all.value, &all.output})
    EXPECT_EQ(one->data, generator.normal({16, 16}, 0.25).data);
}

// Variance 1/16 from 16 channels to 64 hidden ones, 1/64 back: a token keeps its size both ways. The
// projections take the first number of the seed.
TEST(Encoder, a_random_block_feeds_forward_at_the_size_of_a_token) {
  Generator generator(5);
  const FeedForward all = random_block(16, 5).feed_forward;
  generator.next();
  EXPECT_EQ(all.up, generator.normal({16, 64}, 0.25));
  EXPECT_EQ(all.down, generator.normal({64, 16}, 0.125));
  EXPECT_EQ(all.up_shift, Tensor({64}));
  EXPECT_EQ(all.down_shift, Tensor({16}));
}

TEST(MultiHead, each_head_has_its_own_channels) {
  const Attention two = heads(4, 2);
  EXPECT_EQ(two.dim, 4u);
  EXPECT_FALSE(two.positional);
  const Tensor q({1, 4}, {1, 2, 0, 1}), k({2, 4}, {1, 0, 0, 3, 0, 1, 1, 0}),
      v({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Tensor out = two.attend(q, k, v, mask::none(1, 2));
  const auto half = [](const Tensor& x, std::size_t from) {
    Tensor part({x.rows(), 2});
    for (std::size_t r = 0; r < x.rows(); ++r)
      for (std::size_t c = 0; c < 2; ++c) part.at(r, c) = x.at(r, from + c);
    return part;
  };
  for (const std::size_t from : {0u, 2u})
    EXPECT_EQ(half(out, from),
              scaled_dot_product(half(q, from), half(k, from), half(v, from), mask::none(1, 2)));
  EXPECT_THROW(heads(4, 3), std::invalid_argument);
  EXPECT_THROW(heads(4, 0), std::invalid_argument);
}

TEST(MultiHead, each_projection_stands_at_its_place) {
  // One token sees itself alone: the answer is y W_v W_o, whatever q and k are.
  Projections projections = random_projections(2, 3);
  projections.value = Tensor({2, 2}, {0, 1, 2, 0});
  projections.output = Tensor({2, 2}, {1, 0, 0, 3});
  const Tensor x({1, 2}, {5, 7}), y({1, 2}, {1, 10});
  EXPECT_EQ(multi_head(projections, heads(2, 1), x, y, mask::none(1)), Tensor({1, 2}, {20, 3}));

  // Queries from x, keys from y, in that order: logits (2 x) . (3 y).
  projections.value = projections.output = identity(2);
  projections.query = product(Tensor({2, 2}, {2, 0, 0, 2}), identity(2));
  projections.key = Tensor({2, 2}, {0, 3, 3, 0});
  const Tensor keys({2, 2}, {1, 0, 0, 1}), query({1, 2}, {1, 0});
  EXPECT_EQ(multi_head(projections, heads(2, 1), query, keys, mask::none(1, 2)),
            scaled_dot_product(Tensor({1, 2}, {2, 0}), Tensor({2, 2}, {0, 3, 3, 0}), keys, mask::none(1, 2)));
}

TEST(Encoder, adds_the_input_before_each_normalisation) {
  // Values and feed-forward of 0: what is left is the input, normalised twice.
  Block block = random_block(4, 1);
  block.projections.value = Tensor({4, 4});
  block.feed_forward.down = Tensor({16, 4});
  const Tensor x({2, 4}, {0, 2, 4, 10, 1, 1, 2, 2});
  const Attention attention = heads(4, 2);
  const Tensor once = normalised(block.after_attention, x);
  EXPECT_EQ(encode(block, attention, x, mask::none(2)), normalised(block.after_feed_forward, once));

  block.with_feed_forward = false;
  EXPECT_EQ(encode(block, attention, x, mask::none(2)), once);
  block.normalise = false;
  EXPECT_EQ(encode(block, attention, x, mask::none(2)), x);
  block.residual = false;
  EXPECT_EQ(encode(block, attention, x, mask::none(2)), Tensor({2, 4}));
}

// Each of the two normalisations has a gain and a shift of its own.
TEST(Encoder, normalises_with_the_gain_of_its_place) {
  Block block = random_block(4, 1);
  block.projections.value = Tensor({4, 4});
  block.feed_forward.down = Tensor({16, 4});
  block.after_attention = {Tensor({4}, {1, 2, 3, 4}), Tensor({4}, {1, 0, 0, 0}), 0.5};
  block.after_feed_forward = {Tensor({4}, {7, 5, 2, 1}), Tensor({4}, {0, 0, 0, 9}), 0.25};
  const Tensor x({1, 4}, {0, 2, 4, 10});
  const Tensor once = normalised(block.after_attention, x),
               twice = normalised(block.after_feed_forward, once);
  EXPECT_NE(twice, normalised(block.after_attention, once));
  EXPECT_EQ(encode(block, heads(4, 1), x, mask::none(1)), twice);
  block.with_feed_forward = false;
  EXPECT_EQ(encode(block, heads(4, 1), x, mask::none(1)), once);
}

// What is fed forward is what attention left, normalised, and so is what that is added to.
TEST(Encoder, feeds_forward_what_was_normalised) {
  Block block = random_block(4, 3);
  block.after_attention.gain = Tensor({4}, {1, 2, 3, 4});
  const Tensor x({2, 4}, {0, 2, 4, 10, 1, 1, 2, 2});
  const Attention attention = heads(4, 2);
  Tensor attended = multi_head(block.projections, attention, x, x, mask::none(2));
  for (std::size_t e = 0; e < x.data.size(); ++e) attended.data[e] += x.data[e];
  attended = normalised(block.after_attention, attended);
  Tensor fed = transformed(block.feed_forward, attended);
  for (std::size_t e = 0; e < fed.data.size(); ++e) fed.data[e] += attended.data[e];
  EXPECT_LT(largest_difference(encode(block, attention, x, mask::none(2)),
                               normalised(block.after_feed_forward, fed)),
            1e-14);
}

TEST(Encoder, the_feed_forward_adds_to_the_attended_tokens) {
  Block block = random_block(4, 2);
  block.projections.value = Tensor({4, 4});
  block.normalise = false;
  const Tensor x({1, 4}, {1, -2, 3, 0.5});
  const Tensor out = encode(block, heads(4, 1), x, mask::none(1));
  const Tensor made = transformed(block.feed_forward, x);
  for (std::size_t c = 0; c < 4; ++c) EXPECT_EQ(out.at(0, c), x.at(0, c) + made.at(0, c));
}

// Rounding alone separates the two; a block that treated one row otherwise would differ by its weights' size.
TEST(Encoder, a_block_commutes_with_every_order_of_its_tokens) {
  const Block block = random_block(8, 5);
  const Attention attention = heads(8, 2);
  const Tensor x = Generator(6).normal({5, 8}, 1.0);
  const std::array<std::size_t, 5> order = {3, 0, 4, 1, 2};
  const Tensor there = encode(block, attention, reordered(x, order), mask::none(5));
  const Tensor here = reordered(encode(block, attention, x, mask::none(5)), order);
  EXPECT_LT(largest_difference(there, here), 1e-13);
  EXPECT_GT(largest_difference(encode(block, attention, reordered(x, order), mask::causal(5)),
                               reordered(encode(block, attention, x, mask::causal(5)), order)),
            0.01);
}

TEST(Encoder, weights_of_a_seed_are_the_same_and_of_another_are_not) {
  const Block one = random_block(4, 9), again = random_block(4, 9), other = random_block(4, 10);
  EXPECT_EQ(one.feed_forward.down, again.feed_forward.down);
  EXPECT_NE(one.feed_forward.down, other.feed_forward.down);
  EXPECT_NE(one.projections.query, one.projections.key);
  EXPECT_NE(one.projections.query, random_projections(4, 9).query)
      << "from the numbers of which the feed-forward layer is made";
}

}  // namespace
}  // namespace posproof::attention::encoder_test
