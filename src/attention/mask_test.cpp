#include "attention/mask.h"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

namespace posproof::mask_test {
namespace {

Mask of(std::size_t queries, std::size_t keys, std::vector<double> entries) {
  return {{queries, keys}, entries};
}

TEST(Mask, none_shows_every_key_to_every_query) {
  EXPECT_EQ(mask::none(2, 3), of(2, 3, {1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(mask::none(2), of(2, 2, {1, 1, 1, 1}));
}

TEST(Mask, causal_shows_the_key_of_its_own_row_and_those_before) {
  EXPECT_EQ(mask::causal(3), of(3, 3, {1, 0, 0, 1, 1, 0, 1, 1, 1}));
}

TEST(Mask, padding_hides_keys_not_queries) {
  EXPECT_EQ(mask::padding(2, {true, false, true}), of(2, 3, {1, 0, 1, 1, 0, 1}));
}

TEST(Mask, block_shows_the_own_block) {
  const std::array<std::size_t, 2> sizes = {1, 2};
  EXPECT_EQ(mask::block(sizes), of(3, 3, {1, 0, 0, 0, 1, 1, 0, 1, 1}));
}

TEST(Mask, sliding_window_of_width_one_is_the_query_itself) {
  EXPECT_EQ(mask::sliding_window(3, 1), of(3, 3, {1, 0, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(mask::sliding_window(3, 2), of(3, 3, {1, 1, 0, 1, 1, 1, 0, 1, 1}));
}

TEST(Mask, last_sees_all_shows_every_key_to_the_last_query_alone) {
  EXPECT_EQ(mask::last_sees_all(3), of(3, 3, {1, 0, 0, 0, 1, 0, 1, 1, 1}));
  EXPECT_EQ(mask::last_sees_all(1), of(1, 1, {1}));
}

TEST(Mask, intersect_shows_what_both_show) {
  EXPECT_EQ(mask::intersect(mask::causal(3), mask::sliding_window(3, 2)),
            of(3, 3, {1, 0, 0, 1, 1, 0, 0, 1, 1}));
  EXPECT_THROW(mask::intersect(mask::causal(3), mask::causal(2)), std::invalid_argument);
}

TEST(Mask, an_entry_that_is_neither_0_nor_1_is_refused) {
  const Mask additive = of(1, 2, {0, -1e9});
  EXPECT_FALSE(mask::sees(additive, 0, 0));
  EXPECT_THROW(mask::sees(additive, 0, 1), std::invalid_argument);
}

TEST(Mask, a_query_that_sees_no_key_is_refused) {
  const Mask some = of(2, 3, {1, 0, 1, 0, 0, 0});
  std::vector<std::size_t> keys = {7};
  mask::seen(some, 0, keys);
  EXPECT_EQ(keys, (std::vector<std::size_t>{0, 2}));
  EXPECT_THROW(mask::seen(some, 1, keys), Refusal);
}

}  // namespace
}  // namespace posproof::mask_test
