#include "attention/order.h"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

#include "attention/mask.h"
#include "attention/multi_head.h"
#include "attention/reference_attention.h"
#include "catalogue/encodings/none.h"
#include "catalogue/encodings/rope.h"
#include "core/spec.h"
#include "testing/each_entry.h"

namespace posproof::attention::order_test {
namespace {

using Sizes = std::vector<std::size_t>;

Attention without_position(std::size_t dim) {
  const auto& spec = encodings::none;
  Parameters parameters;
  parameters.set("dim", static_cast<double>(dim));
  return reference_attention(spec.make(with(spec, parameters)));
}

// Six tokens that all differ, of 8 channels.
Tensor six_tokens() {
  Tensor x({6, 8});
  for (std::size_t r = 0; r < 6; ++r)
    for (std::size_t c = 0; c < 8; ++c) x.at(r, c) = static_cast<double>((r + 1) * (c + 1) % 17) / 8 - 1;
  return x;
}

TEST(Permutation, reorders_rows_and_masks) {
  const Sizes order = {2, 0, 1};
  EXPECT_EQ(reordered(Tensor({3, 1}, {10, 20, 30}), order), Tensor({3, 1}, {30, 10, 20}));
  EXPECT_EQ(reordered(mask::causal(3), order, order), Mask({3, 3}, {1, 1, 1, 0, 1, 0, 0, 1, 1}));
  EXPECT_THROW(reordered(Tensor({2, 1}), order), std::invalid_argument);
}

// Of the 720 orders of six tokens those survive that keep the mask: one under the causal mask, all without
// one, 4! 2! under a padding of two, and the products of the blocks' factorials times the swaps of equal
// blocks.
TEST(Permutation, the_orders_that_survive_a_mask_are_its_symmetries) {
  const Attention attention = without_position(8);
  const Tensor x = six_tokens();
  const auto survive = [&](const Mask& mask) {
    const std::size_t kept = symmetries(mask), equivariant = equivariant_orders(attention, x, mask);
    EXPECT_EQ(kept, equivariant);
    return equivariant;
  };
  EXPECT_EQ(survive(mask::causal(6)), 1u);
  EXPECT_EQ(survive(mask::none(6)), 720u);
  EXPECT_EQ(survive(mask::padding(6, {true, true, false, true, true, false})), 48u);
  EXPECT_EQ(survive(mask::block(Sizes{2, 2, 2})), 48u);
  EXPECT_EQ(survive(mask::block(Sizes{1, 2, 3})), 12u);
  EXPECT_EQ(survive(mask::sliding_window(6, 2)), 2u);
}

// Queries alone may change places where their rows of the mask are equal, keys and values alone where their
// columns are.
TEST(Permutation, of_queries_or_keys_alone_those_survive_that_exchange_equal_rows_or_columns) {
  const Attention attention = without_position(8);
  const auto survive = [&](const Mask& mask, Reordered what) {
    return equivariant_orders(attention, six_tokens(), mask, what);
  };
  for (const Reordered what : {Reordered::queries, Reordered::keys_and_values}) {
    EXPECT_EQ(survive(mask::none(6), what), 720u);
    EXPECT_EQ(survive(mask::causal(6), what), 1u);
    EXPECT_EQ(survive(mask::block(Sizes{2, 2, 2}), what), 8u);
    EXPECT_EQ(survive(mask::block(Sizes{1, 2, 3}), what), 12u);
  }
  const Mask padded = mask::padding(6, {true, true, false, true, true, false});
  EXPECT_EQ(survive(padded, Reordered::queries), 720u);
  EXPECT_EQ(survive(padded, Reordered::keys_and_values), 48u);
}

TEST(Permutation, two_blocks_of_two_have_eight_symmetries) {
  EXPECT_EQ(symmetries(mask::block(Sizes{2, 2})), 8u);
  Tensor x = six_tokens();
  x.data.resize(4 * 8);
  x.shape = {4, 8};
  EXPECT_EQ(equivariant_orders(without_position(8), x, mask::block(Sizes{2, 2})), 8u);
}

TEST(Permutation, with_a_position_no_order_survives_but_the_identity) {
  EXPECT_EQ(equivariant_orders(
                reference_attention(encodings::rope.make(with(encodings::rope, Parameters::parse("dim=8")))),
                six_tokens(), mask::none(6)),
            1u);
}

// Each token is its own answer, and that of the first is larger: in another order it is another token's, by
// so much. Both answers may be off by 1/4.
TEST(Permutation, an_order_survives_as_far_as_rounding_puts_two_answers_off) {
  const auto survive = [](double larger) {
    Attention attention{.dim = 1, .value_dim = 1};
    attention.attend = [larger](const Tensor&, const Tensor&, const Tensor& v, const Mask&) {
      Tensor out = v;
      out.data[0] += larger;
      return out;
    };
    attention.errors = testing::each_entry([](const auto&...) { return 0.25; });
    return equivariant_orders(attention, Tensor({3, 1}, {1, 2, 3}), mask::none(3));
  };
  EXPECT_EQ(survive(0.5), 6u);
  EXPECT_EQ(survive(0.625), 2u) << "the first stays the first";
}

TEST(Permutation, more_than_eight_tokens_are_too_many_to_try) {
  EXPECT_THROW(symmetries(mask::none(9)), std::invalid_argument);
}

}  // namespace
}  // namespace posproof::attention::order_test
