#include "diagnosis/call_effects.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "diagnosis/testing/effects.h"

namespace posproof::call_effects_test {
namespace {

using testing::effect, testing::two_rows_of_three;

TEST(CallEffects, give_each_token_of_each_row_its_position) {
  const struct {
    std::string words;
    std::vector<Position> to;
  } all[] = {
      {"positions count as 0", {0, 0, 0, 0, 0, 0}},
      {"positions are one ahead", {6, 0, 10, 301, 3, 5}},
      {"positions are one behind", {4, -2, 8, 299, 1, 3}},
      {"positions are two ahead", {7, 1, 11, 302, 4, 6}},
      {"positions count as 1", {1, 1, 1, 1, 1, 1}},
      {"positions are doubled", {10, -2, 18, 600, 4, 8}},
      {"positions are tripled", {15, -3, 27, 900, 6, 12}},
      {"positions are halved, rounded down", {2, -1, 4, 150, 1, 2}},
      {"positions have the other sign", {-5, 1, -9, -300, -2, -4}},
      {"tokens are numbered from 0 in each row, whatever their positions", {0, 1, 2, 0, 1, 2}},
      {"tokens are numbered from 1 in each row, whatever their positions", {1, 2, 3, 1, 2, 3}},
      {"tokens are numbered from 0 through the whole batch, whatever their positions", {0, 1, 2, 3, 4, 5}},
      {"tokens are numbered from the last to the first, whatever their positions", {2, 1, 0, 2, 1, 0}},
      {"tokens count on from the first of their row", {5, 6, 7, 300, 301, 302}},
      {"tokens count on from the first of the batch", {5, 6, 7, 5, 6, 7}},
      {"positions are relative to the first of their row", {0, -6, 4, 0, -298, -296}},
      {"positions are relative to the last of their row", {-4, -10, 0, 296, -2, 0}},
      {"positions are relative to the smallest of their row", {6, 0, 10, 298, 0, 2}},
      {"positions are relative to the smallest of the batch", {6, 0, 10, 301, 3, 5}},
      {"positions of a row are sorted, the smallest first", {-1, 5, 9, 2, 4, 300}},
      {"every token has the position of the first of its row", {5, 5, 5, 300, 300, 300}},
      {"every token has the position of the last of its row", {9, 9, 9, 4, 4, 4}},
      {"every token has the position of the first of the batch", {5, 5, 5, 5, 5, 5}},
      {"every token has the largest position of the batch", {300, 300, 300, 300, 300, 300}},
      {"every token has the smallest position of the batch", {-1, -1, -1, -1, -1, -1}},
      {"every token has the largest position of its row", {9, 9, 9, 300, 300, 300}},
      {"tokens count back from the last of their row", {7, 8, 9, 2, 3, 4}},
      {"tokens count on by one from the one before, but where positions fall", {5, -1, 0, 300, 2, 3}},
      {"each run of positions that follow each other is counted from 0", {0, 0, 0, 0, 0, 0}},
      {"positions are taken modulo half of m + 1, rounded up, m being the largest of the row",
       {0, 4, 4, 149, 2, 4}},
      {"positions count as the number of tokens in the row", {3, 3, 3, 3, 3, 3}},
      {"positions count as the number of tokens in the row, less one", {2, 2, 2, 2, 2, 2}},
      {"positions past n - 1 count as n - 1, n being the number of tokens in the row", {2, -1, 2, 2, 2, 2}},
      {"positions are taken modulo the number of tokens in the row", {2, 2, 0, 0, 2, 1}},
      {"the number of the token is added to its position", {5, 0, 11, 300, 3, 6}},
      {"the number of tokens is added to every position", {8, 2, 12, 303, 5, 7}},
      {"the number of the batch row is added to every position", {5, -1, 9, 301, 3, 5}},
      {"batch rows after the first have their tokens at position 0", {5, -1, 9, 0, 0, 0}},
      {"every row of the batch has the positions of the first", {5, -1, 9, 5, -1, 9}},
      {"every row of the batch has the positions of the last", {300, 2, 4, 300, 2, 4}},
      {"rows of the batch have each other's positions, in reverse order", {300, 2, 4, 5, -1, 9}},
      {"every row of the batch has the positions of the row before, the first of the last",
       {300, 2, 4, 5, -1, 9}},
      {"every row of the batch has the positions of the row after, the last of the first",
       {300, 2, 4, 5, -1, 9}},
      {"positions below 0 count as their absolute value", {5, 1, 9, 300, 2, 4}},
      {"positions below 0 count as 0", {5, 0, 9, 300, 2, 4}},
      {"tokens of a row have each other's positions, in reverse order", {9, -1, 5, 4, 2, 300}},
      {"every token has the largest position that stands at its place in a row", {300, 2, 9, 300, 2, 9}},
      {"positions are read column by column where they lie row by row", {5, 9, 2, -1, 300, 4}},
      {"positions are laid out column by column and read row by row", {5, 300, -1, 2, 9, 4}},
      {"every token has the position of the one before it in its row", {5, 5, -1, 300, 300, 2}},
      {"the first two tokens of a row have each other's positions", {-1, 5, 9, 2, 300, 4}},
      {"no position is smaller than one before it in its row: the largest so far counts",
       {5, 5, 9, 300, 300, 300}},
      {"positions past m - 1 count as m - 1, m being the largest of the call", {5, -1, 9, 299, 2, 4}},
      {"every token of batch row b has the position of token b of its row", {5, 5, 5, 2, 2, 2}},
      {"every token has the position of the one after it in its row", {-1, 9, 9, 2, 4, 4}},
      {"every token has the position of the one before it in its row, the first that of the last",
       {9, 5, -1, 4, 300, 2}},
      {"every token has the position of the one after it in its row, the last that of the first",
       {-1, 9, 5, 2, 4, 300}},
      {"every token has the position of the one after it in the batch, the last that of the first",
       {-1, 9, 300, 2, 4, 5}},
      {"where the positions of the first row follow each other, every row of the batch has them",
       {5, -1, 9, 300, 2, 4}},
  };
  const std::vector<Effect> effects = known_effects(false, false);
  for (const auto& [words, to] : all) {
    const Effect* one = effect(effects, words);
    ASSERT_NE(one, nullptr) << words;
    EXPECT_EQ(one->begin()(two_rows_of_three(), 0, 1).call.positions.whole, to) << words;
  }
}

// Two rows of three tokens, then one token, then two.
TEST(CallEffects, remember_the_calls_before) {
  Call one, two;
  one.positions.whole = {7}, two.positions.whole = {8, 3};
  using Row = std::vector<Position>;
  const struct {
    std::string words;
    Row first, second, third;
  } all[] = {
      {"after the first call a single token counts as 0", {5, -1, 9, 300, 2, 4}, {0}, {8, 3}},
      {"every call counts on where the one before ended", {5, -1, 9, 300, 2, 4}, {12}, {21, 16}},
      {"positions past m - 1 count as m - 1, m being the largest so far", {5, -1, 9, 299, 2, 4}, {7}, {8, 3}},
      {"the number of tokens of all calls before is added to every position",
       {5, -1, 9, 300, 2, 4},
       {10},
       {12, 7}},
  };
  const std::vector<Effect> effects = known_effects(false, false);
  for (const auto& [words, first, second, third] : all) {
    const Effect* effect_ = effect(effects, words);
    ASSERT_NE(effect_, nullptr) << words;
    for (int object = 0; object < 2; ++object) {
      const Steps steps = effect_->begin();
      EXPECT_EQ(steps(two_rows_of_three(), 0, 1).call.positions.whole, first) << words;
      EXPECT_EQ(steps(one, 0, 1).call.positions.whole, second) << words;
      EXPECT_EQ(steps(two, 0, 1).call.positions.whole, third) << words;
    }
  }
  const Effect* decided =
      effect(effects, "the first call with so many tokens decides on the positions of all later ones");
  ASSERT_NE(decided, nullptr);
  const Steps steps = decided->begin();
  for (const Row& row : {Row{4}, Row{1, 2}, Row{9}, Row{5, 6}}) {
    Call call;
    call.positions.whole = row;
    EXPECT_EQ(steps(call, 0, 1).call.positions.whole, row.size() == 1 ? (Row{4}) : (Row{1, 2}));
  }
}

// Calls of one, two or three tokens, some of them in two rows, and of keys after queries.
TEST(CallEffects, remember_the_positions_of_a_call_like_this_one) {
  using Row = std::vector<Position>;
  const struct {
    Row own;
    std::size_t batch;
    Role role;
    Row first, stay, of_queries;  // what the three effects put in their place
  } calls[] = {
      {{4}, 1, Role::query, {4}, {4}, {4}},
      {{9}, 1, Role::key, {4}, {4}, {4}},
      {{1, 2}, 1, Role::query, {1, 2}, {1, 2}, {1, 2}},
      {{5, 6}, 2, Role::key, {5, 6}, {5, 6}, {5, 6}},
      {{7, 8}, 2, Role::query, {5, 6}, {5, 6}, {7, 8}},
      {{3, 0}, 1, Role::key, {1, 2}, {3, 0}, {3, 0}},
      {{2}, 1, Role::query, {4}, {2}, {2}},
      {{11, 3}, 1, Role::query, {1, 2}, {11, 3}, {11, 3}},
      {{8, 9}, 1, Role::key, {1, 2}, {11, 3}, {11, 3}},
      {{5}, 1, Role::key, {4}, {5}, {5}},
      {{6}, 1, Role::key, {4}, {5}, {5}},
  };
  const std::vector<Effect> effects = known_effects(false, false);
  const auto steps = [&](std::string_view words) { return effect(effects, std::string(words))->begin(); };
  const Steps
      first = steps("the first call with so many rows and tokens decides on the positions of all later ones"),
      stay = steps("positions stay as long as calls have the same number of rows and tokens"),
      of_queries = steps(
          "positions of queries stay for keys, as long as those have the same number of rows and tokens");
  for (const auto& one : calls) {
    const Call call{.batch = one.batch, .positions = {.whole = one.own}, .role = one.role};
    EXPECT_EQ(first(call, 0, 1).call.positions.whole, one.first);
    EXPECT_EQ(stay(call, 0, 1).call.positions.whole, one.stay);
    EXPECT_EQ(of_queries(call, 0, 1).call.positions.whole, one.of_queries);
  }
}

TEST(CallEffects, are_of_queries_where_keys_have_positions) {
  const std::vector<Effect> plain = known_effects(false, false), of_both = known_effects(true, false);
  for (const std::string words :
       {"positions count as 0", "positions are tripled", "positions are cut to 16 bits, with a sign"}) {
    EXPECT_NE(effect(plain, words), nullptr) << words;
    EXPECT_EQ(effect(of_both, words), nullptr) << words;
    EXPECT_NE(effect(of_both, "of queries: " + words), nullptr) << words;
  }
}

// Three queries and keys: a causal mask without the middle key, and one of padding, whose last key is hidden.
TEST(CallEffects, of_operands_are_other_masks) {
  using Rows = std::vector<double>;
  const Rows causal = {1, 0, 0, 1, 0, 0, 1, 0, 1}, padding = {1, 1, 0, 1, 1, 0, 1, 1, 0};
  const struct {
    std::string words;
    Rows of_causal, of_padding;
  } all[] = {
      {"the mask is ignored: every key is seen", {1, 1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1, 1}},
      {"the mask is taken for a causal one: every key up to the query's own is seen",
       {1, 0, 0, 1, 1, 0, 1, 1, 1},
       {1, 0, 0, 1, 1, 0, 1, 1, 1}},
      {"a padding mask is ignored: every key is seen", causal, {1, 1, 1, 1, 1, 1, 1, 1, 1}},
      {"a padding mask is taken for a causal one", causal, {1, 0, 0, 1, 1, 0, 1, 1, 1}},
      {"keys after the query are hidden, whatever the mask says", causal, {1, 0, 0, 1, 1, 0, 1, 1, 0}},
      {"the mask is inverted: hidden keys are seen, and no others",
       {0, 1, 1, 0, 1, 1, 0, 1, 0},
       {0, 0, 1, 0, 0, 1, 0, 0, 1}},
      // The first query of the causal one would see none.
      {"the query's own key is hidden", {1, 0, 0, 1, 0, 0, 1, 0, 0}, {0, 1, 0, 1, 0, 0, 1, 1, 0}},
      {"the key after the query is seen, too", {1, 1, 0, 1, 0, 1, 1, 0, 1}, {1, 1, 0, 1, 1, 1, 1, 1, 0}},
      // Nothing sees the second key; nothing is seen by the last query of the other.
      {"the mask is transposed", {1, 1, 1, 1, 0, 0, 0, 0, 1}, {1, 1, 1, 1, 1, 1, 1, 1, 0}},
  };
  const std::vector<Effect> effects = effects_on_operands();
  for (const auto& [words, of_causal, of_padding] : all) {
    const Effect* one = effect(effects, words);
    ASSERT_NE(one, nullptr) << words;
    for (const auto& [mask, expected] : {std::pair(causal, of_causal), std::pair(padding, of_padding)}) {
      Call call;
      call.mask = Mask({3, 3}, mask);
      EXPECT_EQ(one->begin()(call, 0, 1).call.mask.data, expected) << words;
    }
  }
  const std::pair<std::string, double> factors[] = {
      {"products of query and key are not divided by the root of the width", 2},
      {"products of query and key are divided by the root of the width twice", 0.5},
      {"products of query and key have the other sign", -1},
  };
  for (const auto& [words, factor] : factors) {
    const Effect* one = effect(effects, words);
    ASSERT_NE(one, nullptr) << words;
    Call call;
    call.contents = {Tensor({1, 4}, {1, 2, 3, 4}), Tensor({1, 4}, {5, 6, 7, 8})};
    const Call asked = one->begin()(call, 0, 1).call;
    EXPECT_EQ(asked.contents[0].data, (Rows{factor, 2 * factor, 3 * factor, 4 * factor})) << words;
    EXPECT_EQ(asked.contents[1].data, (Rows{5, 6, 7, 8})) << words;
  }
}

// A table is asked for lengths; tokens that are rotated can stay as they are, in each head.
TEST(CallEffects, are_those_of_the_kind) {
  const std::string length = "the number of tokens of the call counts as the length of the sequence",
                    left = "tokens stay as they are, as at position 0",
                    both = "queries and keys are numbered from 0, whatever their positions";
  for (const bool keys : {false, true})
    for (const bool heads : {false, true}) {
      const std::vector<Effect> all = known_effects(keys, heads);
      EXPECT_EQ(effect(all, length) != nullptr, !keys && !heads);
      EXPECT_EQ(effect(all, left) != nullptr, heads);
      EXPECT_EQ(effect(all, both) != nullptr, keys);
    }
}

// A query and three keys of two channels; values are as wide, or wider.
TEST(CallEffects, put_an_operand_in_the_place_of_another) {
  using Rows = std::vector<double>;
  Call call;
  call.contents = {Tensor({2, 2}, {1, 2, 3, 4}), Tensor({2, 2}, {5, 6, 7, 8}),
                   Tensor({2, 2}, {10, 20, 30, 40})};
  const struct {
    std::string words;
    Rows queries, keys, values;
  } all[] = {{"keys stand for values", {1, 2, 3, 4}, {5, 6, 7, 8}, {5, 6, 7, 8}},
             {"queries stand for values", {1, 2, 3, 4}, {5, 6, 7, 8}, {1, 2, 3, 4}},
             {"keys are added to values", {1, 2, 3, 4}, {5, 6, 7, 8}, {15, 26, 37, 48}},
             {"queries are added to values", {1, 2, 3, 4}, {5, 6, 7, 8}, {11, 22, 33, 44}},
             {"keys stand for queries", {5, 6, 7, 8}, {5, 6, 7, 8}, {10, 20, 30, 40}},
             {"queries stand for keys", {1, 2, 3, 4}, {1, 2, 3, 4}, {10, 20, 30, 40}},
             {"values stand for keys", {1, 2, 3, 4}, {10, 20, 30, 40}, {10, 20, 30, 40}},
             {"queries and keys are exchanged", {5, 6, 7, 8}, {1, 2, 3, 4}, {10, 20, 30, 40}}};
  const std::vector<Effect> effects = effects_on_operands();
  for (const auto& [words, queries, keys, values] : all) {
    const Effect* one = effect(effects, words);
    ASSERT_NE(one, nullptr) << words;
    const std::vector<Tensor> to = one->begin()(call, 0, 1).call.contents;
    EXPECT_EQ(to[0].data, queries) << words;
    EXPECT_EQ(to[1].data, keys) << words;
    EXPECT_EQ(to[2].data, values) << words;
  }
  call.contents[2] = Tensor({2, 3});
  EXPECT_THROW(effect(effects, "keys stand for values")->begin()(call, 0, 1), Refusal);
  call.contents[1] = Tensor({3, 2});
  EXPECT_THROW(effect(effects, "queries and keys are exchanged")->begin()(call, 0, 1), Refusal);
}

TEST(CallEffects, begin_at_a_position) {
  const auto to = [](Position wrong, std::size_t n) {
    return effects_from(wrong, 1).at(n).begin()(two_rows_of_three(), 0, 1).call.positions.whole;
  };
  EXPECT_EQ(to(4, 0), (std::vector<Position>{3, -1, 3, 3, 2, 3}));
  EXPECT_EQ(to(4, 1), (std::vector<Position>{1, 3, 1, 0, 2, 0}));
  EXPECT_EQ(to(4, 2), (std::vector<Position>{0, -1, 0, 0, 2, 0}));
  EXPECT_EQ(to(8, 3), (std::vector<Position>{5, -1, 9, 7, 8, 9}));
  EXPECT_EQ(to(4, 4), (std::vector<Position>{3, -1, 7, 298, 2, 2}));
  EXPECT_EQ(effects_from(64, 1).size(), 5u);
  EXPECT_EQ(effects_from(384, 1).size(), 5u);
  EXPECT_EQ(effects_from(385, 1).size(), 4u) << "no half";
  EXPECT_EQ(effects_from(1 << 24, 1).at(3).words,
            "positions wrap as a number with a sign, 16777216 to -16777216: a product with them overflows");
  for (const int bits : {8, 16, 32}) {
    const Position half = Position{1} << (bits - 1);
    const Effect cut = effects_from(half, 1).at(3);
    EXPECT_EQ(cut.words, "positions are cut to " + std::to_string(bits) + " bits, with a sign: " +
                             std::to_string(half) + " counts as " + std::to_string(-half));
    Call call;
    call.positions.whole = {half - 1, half, half + 5, 2 * half, 3 * half, -half, -half - 1};
    EXPECT_EQ(cut.begin()(call, 0, 1).call.positions.whole,
              (std::vector<Position>{half - 1, -half, 5 - half, 0, -half, -half, half - 1}));
  }
  std::vector<std::string> words;
  for (const Effect& one : effects_from(0, 1)) words.push_back(one.words);
  EXPECT_EQ(words, (std::vector<std::string>{"positions past -1 count as -1", "positions past -1 count as 0",
                                             "tokens count on from -1 where their row begins past -1"}));
  Call call;
  call.positions.whole = {3, 9, 5};
  const Effect count_on = effects_from(4, 1).at(3);
  EXPECT_EQ(count_on.words, "tokens count on from 3 where their row begins past 3");
  EXPECT_EQ(count_on.begin()(call, 0, 1).call.positions.whole, (std::vector<Position>{3, 9, 5}));
  call.positions.whole = {4, 9, 5};
  EXPECT_EQ(count_on.begin()(call, 0, 1).call.positions.whole, (std::vector<Position>{3, 4, 5}));
}

TEST(CallEffects, begin_at_a_number_of_each_position) {
  Call call;
  call.positions = {{5, 1, 2, 9, 3, 3}, {}, 2};
  std::vector<std::pair<std::string, std::vector<Position>>> found;
  for (const Effect& one : effects_from(4, 2))
    found.emplace_back(one.words, one.begin()(call, 0, 1).call.positions.whole);
  EXPECT_EQ(
      found,
      (std::vector<std::pair<std::string, std::vector<Position>>>{
          {"positions past 3 count as 3", {3, 1, 2, 3, 3, 3}},
          {"of the row: positions past 3 count as 3", {3, 1, 2, 9, 3, 3}},
          {"of the column: positions past 3 count as 3", {5, 1, 2, 3, 3, 3}},
          {"positions are taken modulo 4", {1, 1, 2, 1, 3, 3}},
          {"of the row: positions are taken modulo 4", {1, 1, 2, 9, 3, 3}},
          {"of the column: positions are taken modulo 4", {5, 1, 2, 1, 3, 3}},
          {"positions past 3 count as 0", {0, 1, 2, 0, 3, 3}},
          {"of the row: positions past 3 count as 0", {0, 1, 2, 9, 3, 3}},
          {"of the column: positions past 3 count as 0", {5, 1, 2, 0, 3, 3}},
          {"tokens are numbered in rows of 4: column 4 is the first one of the next row", {5, 1, 4, 1, 3, 3}},
          {"positions past 3 are 2 behind", {3, 1, 2, 7, 3, 3}},
          {"of the row: positions past 3 are 2 behind", {3, 1, 2, 9, 3, 3}},
          {"of the column: positions past 3 are 2 behind", {5, 1, 2, 7, 3, 3}}}));
  call.positions.whole = {-1, -1, -1, 5, 1, 5};  // what is beside the grid has no number
  EXPECT_EQ(effects_from(4, 2).at(9).begin()(call, 0, 1).call.positions.whole,
            (std::vector<Position>{-1, -1, -1, 5, 2, 1}));
}

// Of (time, row, column).
TEST(CallEffects, put_one_number_in_the_place_of_another) {
  Call call;
  call.positions = {{5, 1, 2, 9, 3, 4}, {}, 3};
  Domain grid{0, 9};
  grid.axes = 3;
  const std::pair<std::string, std::vector<Position>> all[] = {
      {"the column stands for the time", {2, 1, 2, 4, 3, 4}},
      {"the column stands for the row", {5, 2, 2, 9, 4, 4}},
      {"the time stands for the row", {5, 5, 2, 9, 9, 4}},
      {"the row stands for the column", {5, 1, 1, 9, 3, 3}},
      {"row and column are exchanged", {5, 2, 1, 9, 4, 3}},
      {"the largest number of a position stands for each of them", {5, 5, 5, 9, 9, 9}},
      {"the smallest number of a position stands for each of them", {1, 1, 1, 3, 3, 3}},
      {"the time stands for all numbers of a position", {5, 5, 5, 9, 9, 9}},
      {"the column stands for all numbers of a position", {2, 2, 2, 4, 4, 4}}};
  const std::vector<Effect> effects = effects_on_axes(grid);
  for (const auto& [words, expected] : all) {
    const Effect* one = effect(effects, words);
    ASSERT_NE(one, nullptr) << words;
    EXPECT_EQ(one->begin()(call, 0, 1).call.positions.whole, expected) << words;
  }
}

// Rows to 3000 and columns to 300, and a class token.
TEST(CallEffects, round_the_numbers_of_a_grid_and_move_its_class_token) {
  Domain grid{-1, 3000};
  grid.axes = 2;
  grid.last_on_axis = {3000, 300};
  Call call;
  call.positions = {{2049, 257, 255, 300, -1, -1}, {}, 2};
  using To = std::vector<Position>;
  const std::pair<std::string, To> all[] = {
      {"the row is rounded to bf16: from 257 on neighbours coincide", {2048, 257, 255, 300, -1, -1}},
      {"the column is rounded to bf16: from 257 on neighbours coincide", {2049, 256, 255, 300, -1, -1}},
      {"the row is rounded to 11 bits, as in f16 or tf32: from 2049 on neighbours coincide",
       {2048, 257, 255, 300, -1, -1}},
      {"a class token counts as the first place of the grid", {2049, 257, 255, 300, 0, 0}}};
  const std::vector<Effect> effects = effects_on_axes(grid);
  for (const auto& [words, to] : all) {
    const Effect* one = effect(effects, words);
    ASSERT_NE(one, nullptr) << words;
    EXPECT_EQ(one->begin()(call, 0, 1).call.positions.whole, to) << words;
  }
  const std::vector<Effect> of_few = effects_on_axes(Domain{0, 256});
  EXPECT_TRUE(std::ranges::none_of(of_few, [](const Effect& one) {
    return one.words.find("rounded to") != std::string::npos || one.words.find("class") != std::string::npos;
  }));
}

// Of seven rows and four columns, and a class token before them.
TEST(CallEffects, roll_a_window_by_half) {
  Domain window{0, 6};
  window.axes = 2;
  window.last_on_axis = {6, 3};
  Call call;
  call.positions = {{0, 0, 5, 3, -1, -1}, {}, 2};
  using To = std::vector<Position>;
  const std::pair<std::string, To> all[] = {
      {"row r counts as row r + 3 modulo 7, column c counts as column c + 2 modulo 4", {3, 2, 1, 1, -1, -1}},
      {"row r counts as row r + 4 modulo 7, column c counts as column c + 2 modulo 4", {4, 2, 2, 1, -1, -1}},
      {"row r counts as row r + 3 modulo 7", {3, 0, 1, 3, -1, -1}},
      {"row r counts as row r + 4 modulo 7", {4, 0, 2, 3, -1, -1}},
      {"column c counts as column c + 2 modulo 4", {0, 2, 5, 1, -1, -1}}};
  const std::vector<Effect> effects = effects_on_axes(window);
  for (const auto& [words, to] : all) {
    const Effect* one = effect(effects, words);
    ASSERT_NE(one, nullptr) << words;
    EXPECT_EQ(one->begin()(call, 0, 1).call.positions.whole, to) << words;
  }
  EXPECT_EQ(std::ranges::count_if(
                effects, [](const Effect& one) { return one.words.find(" modulo ") != std::string::npos; }),
            5);
}

}  // namespace
}  // namespace posproof::call_effects_test
