// What effects make of positions of every sort: in other formats, of heads, keys and axes, and at the ends of
// a domain.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "diagnosis/call_effects.h"
#include "diagnosis/position_effects.h"
#include "diagnosis/testing/effects.h"

namespace posproof::call_effects_positions_test {
namespace {

using testing::effect, testing::two_rows_of_three;

// One row of tokens at these positions.
std::vector<Position> moved(const std::vector<Effect>& effects, const std::string& words,
                            const std::vector<Position>& row) {
  const Effect* one = effect(effects, words);
  if (one == nullptr) return {};
  Call call;
  call.positions.whole = row;
  return one->begin()(call, 0, 1).call.positions.whole;
}

// The same of positions of three numbers.
std::vector<Position> moved_on_axes(const std::vector<Effect>& effects, const std::string& words,
                                    const std::vector<Position>& row) {
  const Effect* one = effect(effects, words);
  if (one == nullptr) return {};
  Call call;
  call.positions.axes = 3;
  call.positions.whole = row;
  return one->begin()(call, 0, 1).call.positions.whole;
}

// Every format rounds to the even one of two numbers that are as near.
TEST(CallEffectsOnPositions, give_a_position_the_bits_of_its_format) {
  const std::vector<Position> row = {256, 257, 259, 2049, 2051, 32767, 32768, -32769, 65536};
  const std::vector<Effect> effects = known_effects(false, false);
  EXPECT_EQ(moved(effects, "positions are cut to 16 bits, with a sign", row),
            (std::vector<Position>{256, 257, 259, 2049, 2051, 32767, -32768, 32767, 0}));
  const std::vector<Position> in_bf16 = {256, 256, 260, 2048, 2048, 32768, 32768, -32768, 65536};
  EXPECT_EQ(moved(effects, "positions are rounded to bf16: from 257 on neighbours coincide", row), in_bf16);
  EXPECT_EQ(
      moved(effects, "positions are rounded to 11 bits, as in f16 or tf32: from 2049 on neighbours coincide",
            row),
      (std::vector<Position>{256, 257, 259, 2048, 2052, 32768, 32768, -32768, 65536}));
  // 255 is the 256th, which has a neighbour in bf16 at 258, the 259th.
  const std::vector<Position> counted = {255, 256, 257, 258, 259, 2047, 2048, 2049, 2050};
  EXPECT_EQ(moved(effects, "positions are counted from 1 in bf16: from 256 on neighbours coincide", counted),
            (std::vector<Position>{255, 255, 257, 259, 259, 2047, 2047, 2047, 2047}));
  EXPECT_EQ(
      moved(effects,
            "positions are counted from 1 in 11 bits, as in f16 or tf32: from 2048 on neighbours coincide",
            counted),
      (std::vector<Position>{255, 256, 257, 258, 259, 2047, 2047, 2049, 2051}));
  Call call;
  call.positions.whole = call.keys.whole = row;
  const std::vector<Effect> of_both = known_effects(true, false);
  const Effect* both = effect(of_both, "queries and keys have their positions rounded to bf16");
  ASSERT_NE(both, nullptr);
  EXPECT_EQ(both->begin()(call, 0, 1).call.positions.whole, in_bf16);
  EXPECT_EQ(both->begin()(call, 0, 1).call.keys.whole, in_bf16);
}

// An offset of 257 is 256 in bf16, and the tokens behind it count on; a gap begins anew.
TEST(CallEffectsOnPositions, count_on_from_a_rounded_one) {
  const std::vector<Effect> effects = known_effects(false, false);
  const std::vector<Position> row = {257, 258, 259, 300, 301, 2, 3};
  EXPECT_EQ(
      moved(
          effects,
          "the first of positions that follow each other is rounded to bf16, and the others count on from it",
          row),
      (std::vector<Position>{256, 257, 258, 300, 301, 2, 3}));
  EXPECT_EQ(
      moved(effects,
            "the first of positions that follow each other is rounded to 11 bits, as in f16 or tf32, and the "
            "others count on from it",
            {2049, 2050, 257, 4099}),
      (std::vector<Position>{2048, 2049, 257, 4100}));
}

TEST(CallEffectsOnPositions, read_halves_of_64_bits) {
  const std::string words =
      "positions of 64 bits are read as 32 bits: of all tokens the 2nd, 4th and so on are at 0, and those between "
      "at the positions of the first half";
  const std::vector<Effect> effects = known_effects(false, false);
  EXPECT_EQ(moved(effects, words, {5, 7, 8, 9, 11}), (std::vector<Position>{5, 0, 7, 0, 8}));
  EXPECT_EQ(moved(effects, words, {-2, (Position{3} << 32) + 4, 8, 9}),
            (std::vector<Position>{-2, -1, 4, 3}));
  // Of two rows the second begins in the middle of what is read.
  const Effect* one = effect(effects, words);
  ASSERT_NE(one, nullptr);
  Call call{.batch = 2};
  call.positions.whole = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(one->begin()(call, 0, 1).call.positions.whole, (std::vector<Position>{1, 0, 2, 0, 3, 0}));
}

TEST(CallEffectsOnPositions, count_on_in_each_block) {
  const std::vector<Effect> effects = known_effects(false, false);
  for (const Position block : {2, 4, 8, 16, 32, 64, 128}) {
    std::vector<Position> row(150), counted;
    for (std::size_t n = 0; n < row.size(); ++n) {
      const auto at = static_cast<Position>(n), in_block = at % block;
      row[n] = 3 * at;
      counted.push_back(3 * (at - in_block) + in_block);
    }
    const std::string words =
        "tokens count on from the first of their block of " + std::to_string(block) + " in a row";
    EXPECT_EQ(moved(effects, words, row), counted);
  }
}

TEST(CallEffectsOnPositions, begin_again_in_each_block) {
  const std::vector<Effect> effects = known_effects(false, false);
  std::vector<Position> row(40), again;
  std::iota(row.begin(), row.end(), 100);
  for (std::size_t n = 0; n < row.size(); ++n) again.push_back(static_cast<Position>(100 + n % 16));
  const auto in_blocks_of = [&](int size) {
    return moved(effects,
                 fmt::format("the tokens of a row have the positions of the first {} again and again", size),
                 row);
  };
  EXPECT_EQ(in_blocks_of(16), again);
  EXPECT_NE(in_blocks_of(32), row);
  EXPECT_EQ(in_blocks_of(64), row);
  // As long as calls are that are asked for once.
  row.resize(2049);
  std::iota(row.begin(), row.end(), 100);
  const std::vector<Position> by_1024 = in_blocks_of(1024), by_2048 = in_blocks_of(2048);
  ASSERT_TRUE(by_1024.size() == row.size() && by_2048.size() == row.size());
  EXPECT_EQ(by_1024[1023], row[1023]);
  EXPECT_EQ(by_1024[1024], row[0]);
  EXPECT_EQ(by_2048[2047], row[2047]);
  EXPECT_EQ(by_2048[2048], row[0]);
}

// Five rows of two tokens: the last one is of a block of its own, where blocks are of two or four.
TEST(CallEffectsOnPositions, are_those_of_the_first_row_of_a_block) {
  const std::vector<Effect> effects = known_effects(false, true);
  const auto in_blocks_of = [&](int size) {
    const Effect* one = effect(
        effects, fmt::format("every batch row has the positions of the first of its block of {}", size));
    Call call{.batch = 5};
    call.positions.whole = {3, 4, 10, 11, 20, 21, 30, 31, 40, 41};
    return one == nullptr ? std::vector<Position>{} : one->begin()(call, 0, 1).call.positions.whole;
  };
  EXPECT_EQ(in_blocks_of(2), (std::vector<Position>{3, 4, 3, 4, 20, 21, 20, 21, 40, 41}));
  EXPECT_EQ(in_blocks_of(4), (std::vector<Position>{3, 4, 3, 4, 3, 4, 3, 4, 40, 41}));
  EXPECT_EQ(in_blocks_of(8), (std::vector<Position>{3, 4, 3, 4, 3, 4, 3, 4, 3, 4}));
}

// Rank r of R has chunks r and 2R - 1 - r; other numbers of tokens are left as they are.
TEST(CallEffectsOnPositions, stand_in_the_zigzag_order_of_ranks) {
  const std::vector<Effect> effects = known_effects(false, false);
  const std::string
      of_2 =
          "where the number of tokens is a multiple of 4, the positions of a row are in the zigzag "
          "order of 2 ranks: chunks 1, 4, 2, 3 and so on, of 4",
      of_4 =
          "where the number of tokens is a multiple of 8, the positions of a row are in the zigzag "
          "order of 4 ranks: chunks 1, 8, 2, 7 and so on, of 8";
  const std::vector<Position> row = {10, 11, 12, 13, 14, 15, 16, 17};
  EXPECT_EQ(moved(effects, of_2, row), (std::vector<Position>{10, 11, 16, 17, 12, 13, 14, 15}));
  EXPECT_EQ(moved(effects, of_4, row), (std::vector<Position>{10, 17, 11, 16, 12, 15, 13, 14}));
  for (const std::size_t tokens : {1, 2, 3, 5, 6, 7}) {
    const std::vector<Position> some(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(tokens));
    EXPECT_EQ(moved(effects, of_2, some), some);
    EXPECT_EQ(moved(effects, of_4, some), some);
  }
}

TEST(CallEffectsOnPositions, exchange_two_of_16_tokens) {
  const std::string words =
      "where the number of tokens is a multiple of 16, the first two of 16 have each other's positions";
  const std::vector<Effect> effects = known_effects(false, false);
  std::vector<Position> row(32);
  std::iota(row.begin(), row.end(), 100);
  std::vector<Position> exchanged = row;
  std::swap(exchanged[0], exchanged[1]), std::swap(exchanged[16], exchanged[17]);
  EXPECT_EQ(moved(effects, words, row), exchanged);
  row.pop_back();
  EXPECT_EQ(moved(effects, words, row), row);
}

TEST(CallEffectsOnPositions, exchange_neighbours) {
  const std::string words = "every second token of a row and the one before it have each other's positions";
  const std::vector<Effect> effects = known_effects(false, false);
  EXPECT_EQ(moved(effects, words, {7, 3, 9, 1, 5}), (std::vector<Position>{3, 7, 1, 9, 5}));
  EXPECT_EQ(moved(effects, "the first two tokens of a row have each other's positions", {7, 3, 9, 1, 5}),
            (std::vector<Position>{3, 7, 9, 1, 5}));
  EXPECT_EQ(moved(effects, "the first two tokens of a row have each other's positions", {7}),
            (std::vector<Position>{7}));
}

// Of a row that is not sorted, with a position twice.
TEST(CallEffectsOnPositions, are_put_back_by_the_wrong_permutation) {
  const std::vector<Effect> effects = known_effects(false, false);
  // 3, 5, 7, 7, 9 of tokens 2, 4, 0, 3, 1: the third of the sorted ones, the fifth, the first, ..
  EXPECT_EQ(moved(effects,
                  "positions of a row are sorted, and put back by the permutation that sorts them instead of "
                  "its inverse",
                  {7, 9, 3, 7, 5}),
            (std::vector<Position>{7, 9, 3, 7, 5}));
  EXPECT_EQ(moved(effects,
                  "positions of a row are sorted, and put back by the permutation that sorts them instead of "
                  "its inverse",
                  {30, 10, 20}),
            (std::vector<Position>{20, 30, 10}));
}

// bf16 holds 256, 258, .. and from 512 on 516, 520, ..; f16 all whole numbers up to 2048.
TEST(CallEffectsOnPositions, are_rounded_and_cut_at_the_last_one) {
  const std::vector<Effect> effects = effects_at_the_ends(Domain(0, 599)),
                            far = effects_at_the_ends(Domain(0, 2050));
  EXPECT_EQ(moved(effects, "positions are rounded to bf16, and past the last one, 599, count as 599",
                  {257, 598, 599, 593}),
            (std::vector<Position>{256, 599, 599, 592}));
  EXPECT_EQ(
      moved(far,
            "positions are rounded to 11 bits, as in f16 or tf32, and past the last one, 2050, count as 2050",
            {2047, 2049, 2050, 2051}),
      (std::vector<Position>{2047, 2048, 2050, 2050}));
}

// 3, 5, 9: 5 is taken for entry 2, 9 for the last one.
TEST(CallEffectsOnPositions, are_counted_among_distinct_ones) {
  const std::string words =
      "the distinct positions of a row stand in a list, in which position t is taken for entry t - t_min, as if "
      "none were missing";
  const std::vector<Effect> effects = known_effects(false, false);
  EXPECT_EQ(moved(effects, words, {9, 3, 5, 3}), (std::vector<Position>{9, 3, 9, 3}));
  EXPECT_EQ(moved(effects, words, {12, 10, 11, 11}), (std::vector<Position>{12, 10, 11, 11}));
}

TEST(CallEffectsOnPositions, are_taken_for_consecutive_where_the_ends_are) {
  const std::string words =
      "where a row of n tokens ends n - 1 behind its first position, its tokens count on from that, whatever "
      "stands between";
  const std::vector<Effect> effects = known_effects(false, false);
  EXPECT_EQ(moved(effects, words, {10, 90, 5, 13}), (std::vector<Position>{10, 11, 12, 13}));
  EXPECT_EQ(moved(effects, words, {10, 90, 5, 14}), (std::vector<Position>{10, 90, 5, 14}));
}

// Rows [batch, n, heads] of 2 rows of 3 tokens of 2 heads are numbered from 0 to 11; and the heads of a call
// that has 4 are those two again.
TEST(CallEffectsOnPositions, of_keys_are_found_by_the_heads_of_queries) {
  const std::vector<Effect> effects = effects_of_fewer_key_heads(4, 2);
  const auto of_head = [&](const Effect& one, std::size_t head) {
    return one.begin()(two_rows_of_three(), head, 4).call.positions.whole;
  };
  ASSERT_EQ(effects.size(), 5u);
  EXPECT_EQ(of_head(effects[2], 0), (std::vector<Position>{5, 5, -1, 300, 300, 2}));
  EXPECT_EQ(of_head(effects[2], 3), (std::vector<Position>{5, 5, -1, 300, 300, 2}));
  EXPECT_EQ(of_head(effects[3], 0), (std::vector<Position>{5, -1, 9, 0, 0, 0}));
  EXPECT_EQ(of_head(effects[4], 0), (std::vector<Position>{5, -1, 0, 300, 2, 0}));
  EXPECT_EQ(of_head(effects[4], 1), (std::vector<Position>{5, -1, 0, 300, 2, 0}));
  EXPECT_EQ(of_head(effects_of_fewer_key_heads(3, 2)[4], 0), (std::vector<Position>{5, -1, 0, 300, 2, 0}));
  EXPECT_EQ(of_head(effects_of_fewer_key_heads(3, 1)[4], 0), (std::vector<Position>{5, 0, 0, 300, 0, 0}));
  EXPECT_EQ(of_head(effects[0], 0), (std::vector<Position>{5, 5, -1, -1, 9, 9}));
  EXPECT_EQ(of_head(effects[0], 3), (std::vector<Position>{5, 5, -1, -1, 9, 9}));
  EXPECT_EQ(of_head(effects[1], 1), (std::vector<Position>{5, -1, 9, 5, -1, 9}));
  EXPECT_EQ(of_head(effects_of_fewer_key_heads(3, 2)[0], 0), (std::vector<Position>{5, 5, -1, 9, 9, 300}));
  EXPECT_EQ(of_head(effects_of_fewer_key_heads(3, 2)[0], 1), (std::vector<Position>{5, -1, -1, 9, 300, 300}));
  EXPECT_EQ(of_head(effects_of_fewer_key_heads(3, 2)[1], 1), (std::vector<Position>{5, -1, 9, 300, 2, 4}));
}

// The second of two heads, and the first where it differs.
TEST(CallEffectsOnPositions, give_each_head_positions_of_its_own) {
  const struct {
    std::string words;
    std::vector<Position> first, second;
  } all[] = {
      {"the number of the head is added to every position", {5, -1, 9, 300, 2, 4}, {6, 0, 10, 301, 3, 5}},
      {"the number of the head stands for every position", {0, 0, 0, 0, 0, 0}, {1, 1, 1, 1, 1, 1}},
      {"head h of every batch row has the positions of batch row h, modulo the number of rows",
       {5, -1, 9, 5, -1, 9},
       {300, 2, 4, 300, 2, 4}},
      {"heads count on from the first token of their row: all tokens of head h have its position and h",
       {5, 5, 5, 300, 300, 300},
       {6, 6, 6, 301, 301, 301}},
      {"every token of head h has the position of token h of its row",
       {5, 5, 5, 300, 300, 300},
       {-1, -1, -1, 2, 2, 2}},
      {"token n of head h has the position of token (n heads + h) mod n_all",
       {5, 9, -1, 300, 4, 2},
       {-1, 5, 9, 2, 300, 4}},
      {"token n of head h has the position of token (h n_all + n) / heads mod n_all",
       {5, 5, -1, 300, 300, 2},
       {-1, 9, 9, 2, 4, 4}}};
  const std::vector<Effect> effects = known_effects(false, true);
  for (const auto& [words, first, second] : all) {
    const Effect* one = effect(effects, words);
    ASSERT_NE(one, nullptr) << words;
    EXPECT_TRUE(one->by_head) << words;
    EXPECT_EQ(one->begin()(two_rows_of_three(), 0, 2).call.positions.whole, first) << words;
    EXPECT_EQ(one->begin()(two_rows_of_three(), 1, 2).call.positions.whole, second) << words;
  }
}

// Positions come in f32, where 3 - 2^-30 is 3. What is rounded to f16 or bf16 has ties.
TEST(CallEffectsOnPositions, move_positions_that_are_no_whole_numbers) {
  const double below_3 = 3 - 0x1p-30;
  using Row = std::vector<double>;
  const std::pair<std::string, Row> all[] = {
      {"positions are rounded down to whole numbers", {-2, 2, 3, 257, 2049}},
      {"positions are cut to whole numbers, towards 0", {-1, 2, 3, 257, 2049}},
      {"positions are rounded to whole numbers", {-2, 2, 3, 257, 2049}},
      {"positions are rounded to bf16", {-1.5, 2.5, 3, 256, 2048}},
      {"positions are rounded to f16", {-1.5, 2.5, 3, 257, 2048}},
      {"positions are rounded to f16, and past 65504 they count as that", {-1.5, 2.5, 3, 257, 2048}},
      {"positions are one ahead", {-0.5, 3.5, 4 - 0x1p-30, 258, 2050}},
      {"positions are one behind", {-2.5, 1.5, 2 - 0x1p-30, 256, 2048}},
      {"positions are doubled", {-3, 5, 6 - 0x1p-29, 514, 4098}},
      {"positions are halved", {-0.75, 1.25, 1.5 - 0x1p-31, 128.5, 1024.5}},
      {"positions are a thousand times as large", {-1500, 2500, 3000 - 1000 * 0x1p-30, 257000, 2049000}},
      {"positions are a thousandth", {-1.5 / 1000, 2.5 / 1000, below_3 / 1000, 0.257, 2.049}},
      {"positions have the other sign", {1.5, -2.5, -below_3, -257, -2049}},
      {"positions have no sign", {1.5, 2.5, below_3, 257, 2049}},
      {"negative positions count as 0", {0, 2.5, below_3, 257, 2049}},
      {"positions count as 0", {0, 0, 0, 0, 0}},
      {"every row has the position of the first", {-1.5, -1.5, -1.5, -1.5, -1.5}},
      {"every row has the position of the last", {2049, 2049, 2049, 2049, 2049}},
      {"every row has the position of the one before it, the first its own", {-1.5, -1.5, 2.5, below_3, 257}},
      {"rows have each other's positions, in reverse order", {2049, 257, below_3, 2.5, -1.5}}};
  Call call;
  call.positions.real = {-1.5, 2.5, below_3, 257, 2049};
  const std::vector<Effect> effects = known_effects(false, false);
  for (const auto& [words, to] : all) {
    // Whole positions have effects of the same names, which come first.
    const auto found = std::ranges::find_if(effects, [&, name = words](const Effect& one) {
      return one.words == name && one.begin()(call, 0, 1).call.positions.real != call.positions.real;
    });
    ASSERT_NE(found, effects.end()) << words;
    EXPECT_EQ(found->begin()(call, 0, 1).call.positions.real, to) << words;
  }
}

// Two numbers each.
TEST(CallEffectsOnPositions, move_rows_of_several_real_numbers) {
  Call call;
  call.positions.real = {0.5, 1.5, 2.5, 3.5, 4.5, 5.5};
  call.positions.axes = 2;
  const std::vector<Effect> effects = known_effects(false, false);
  const Effect* one = effect(effects, "rows have each other's positions, in reverse order");
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(one->begin()(call, 0, 1).call.positions.real,
            (std::vector<double>{4.5, 5.5, 2.5, 3.5, 0.5, 1.5}));
}

TEST(CallEffectsOnPositions, give_a_call_another_length) {
  const std::pair<std::string, Position> all[] = {
      {"the number of tokens of the call counts as the length of the sequence", 6},
      {"the largest position and one counts as the length of the sequence", 301},
      {"the length of the sequence counts as one more", 41},
      {"the length of the sequence counts as one less", 39}};
  Call call = two_rows_of_three();
  call.length = 40;
  const std::vector<Effect> effects = known_effects(false, false);
  for (const auto& [words, length] : all) {
    const Effect* one = effect(effects, words);
    ASSERT_NE(one, nullptr) << words;
    EXPECT_EQ(one->begin()(call, 0, 1).call.length, length) << words;
    EXPECT_EQ(one->begin()(call, 0, 1).call.positions.whole, call.positions.whole) << words;
  }
}

// p / max(p) is 0 / 0 where all positions are 0.
TEST(CallEffectsOnPositions, give_a_call_of_zeros_a_length_to_divide_by) {
  const std::string words = "the largest position and one counts as the length of the sequence, ";
  const std::vector<Effect> effects = known_effects(false, false);
  for (const bool number : {true, false}) {
    const Effect* one = effect(effects, words + (number ? "which is 2 where all are 0"
                                                        : "and where all are 0 the answer is no number"));
    ASSERT_NE(one, nullptr);
    Call call;
    call.length = 40;
    for (const auto& [at, length] : {std::pair<std::vector<Position>, Position>{{0, 0}, 2}, {{0, 7}, 8}}) {
      call.positions.whole = at;
      const Instead instead = one->begin()(call, 0, 1);
      EXPECT_EQ(instead.call.length, length);
      EXPECT_EQ(instead.how, at.back() == 0 && !number ? Instead::How::no_numbers : Instead::How::encoded);
    }
  }
}

TEST(CallEffectsOnPositions, move_keys_alone) {
  const std::pair<std::string, std::vector<Position>> all[] = {
      {"keys count as 0", {0, 0, 0}},
      {"keys are one ahead", {8, 4, -1}},
      {"keys are one behind", {6, 2, -3}},
      {"keys are numbered from 0, whatever their positions", {0, 1, 2}},
      {"the last key of a call has the position of the one before", {7, 3, 3}},
      {"the first key of a call has the position of the one behind", {3, 3, -2}}};
  Call call;
  call.positions.whole = {5};
  call.keys.whole = {7, 3, -2};
  const std::vector<Effect> effects = known_effects(true, false);
  for (const auto& [words, keys] : all) {
    const Effect* one = effect(effects, words);
    ASSERT_NE(one, nullptr) << words;
    EXPECT_EQ(one->begin()(call, 0, 1).call.keys.whole, keys) << words;
    EXPECT_EQ(one->begin()(call, 0, 1).call.positions.whole, (std::vector<Position>{5})) << words;
  }
  const Effect* both = effect(effects, "queries and keys are numbered from 0, whatever their positions");
  ASSERT_NE(both, nullptr);
  EXPECT_EQ(both->begin()(call, 0, 1).call.keys.whole, (std::vector<Position>{0, 1, 2}));
  EXPECT_EQ(both->begin()(call, 0, 1).call.positions.whole, (std::vector<Position>{0}));
  const Effect* last =
      effect(effects, "queries and keys are numbered from 0, the last query as the last key");
  ASSERT_NE(last, nullptr);
  EXPECT_EQ(last->begin()(call, 0, 1).call.keys.whole, (std::vector<Position>{0, 1, 2}));
  EXPECT_EQ(last->begin()(call, 0, 1).call.positions.whole, (std::vector<Position>{2}));
}

// Of two keys each is the other's neighbour; one alone has none.
TEST(CallEffectsOnPositions, move_the_first_and_the_last_key_to_their_neighbours) {
  const std::vector<Effect> effects = known_effects(true, false);
  const auto keys = [&](const std::string& words, const std::vector<Position>& given) {
    Call call;
    call.positions.whole = {5};
    call.keys.whole = given;
    const Effect* one = effect(effects, words);
    return one == nullptr ? std::vector<Position>() : one->begin()(call, 0, 1).call.keys.whole;
  };
  const std::string last = "the last key of a call has the position of the one before",
                    first = "the first key of a call has the position of the one behind";
  EXPECT_EQ(keys(last, {7, 3}), (std::vector<Position>{7, 7}));
  EXPECT_EQ(keys(first, {7, 3}), (std::vector<Position>{3, 3}));
  for (const std::string& words : {last, first})
    EXPECT_EQ(keys(words, {7}), (std::vector<Position>{7})) << words;
}

// Of a domain that does not begin at 0, as a table of which the first rows are no position's.
TEST(CallEffectsOnPositions, begin_and_end_with_the_domain) {
  const std::vector<Effect> effects = effects_at_the_ends({10, 20});
  const std::pair<std::string, std::vector<Position>> all[] = {
      {"positions are one behind, and 0 counts as the last one, 20", {9, 14, 19}},
      {"positions are one ahead, the last one, 20, as it is", {11, 16, 20}},
      {"positions are one ahead, and the last one, 20, counts as 10", {11, 16, 10}},
      {"positions are counted back from the last one, 20", {20, 15, 10}}};
  for (const auto& [words, to] : all) EXPECT_EQ(moved(effects, words, {10, 15, 20}), to) << words;
}

// Rows from -3 to 3, columns from -3 to 9; of queries and of keys.
TEST(CallEffectsOnPositions, move_one_number_of_each_position) {
  Domain grid{-3, 9};
  grid.axes = 2;
  grid.last_on_axis = {3, 9};
  Call call;
  call.positions = {{-3, 8, 2, -1}, {}, 2};
  call.keys = {{1, 5}, {}, 2};
  const struct {
    std::string words;
    std::vector<Position> queries, keys;
  } all[] = {{"the row is one ahead", {-2, 8, 3, -1}, {2, 5}},
             {"the column is one behind", {-3, 7, 2, -2}, {1, 4}},
             {"the row counts as 0", {0, 8, 0, -1}, {0, 5}},
             {"the column is doubled", {-3, 16, 2, -2}, {1, 10}},
             {"the row is divided by 2, rounded down", {-2, 8, 1, -1}, {0, 5}},
             {"the row is divided by 4, rounded down", {-1, 8, 0, -1}, {0, 5}},
             {"the column is divided by 8, rounded down", {-3, 1, 2, -1}, {1, 0}},
             {"the row is counted back from the last one", {3, 8, -2, -1}, {-1, 5}},
             {"the column is counted back from the last one", {-3, -2, 2, 7}, {1, 1}},
             {"the column has the other sign", {-3, -8, 2, 1}, {1, -5}},
             {"a column past the largest row of the call counts as that", {-3, 2, 2, -1}, {1, 5}},
             {"a row past the largest column of the call counts as that", {-3, 8, 2, -1}, {1, 5}}};
  const std::vector<Effect> effects = effects_on_axes(grid);
  for (const auto& [words, queries, keys] : all) {
    const Effect* one = effect(effects, words);
    ASSERT_NE(one, nullptr) << words;
    EXPECT_EQ(one->begin()(call, 0, 1).call.positions.whole, queries) << words;
    EXPECT_EQ(one->begin()(call, 0, 1).call.keys.whole, keys) << words;
  }
}

// Of two rows of the batch, whose largest rows are 2 and 5.
TEST(CallEffectsOnPositions, hold_one_number_below_the_largest_of_another) {
  Domain grid{0, 9};
  grid.axes = 2;
  grid.last_on_axis = {9, 9};
  Call call;
  call.batch = 2;
  call.positions = {{1, 7, 2, 1, 5, 9, 0, 4}, {}, 2};
  const std::vector<Effect> effects = effects_on_axes(grid);
  const auto held = [&](const std::string& words) {
    const Effect* one = effect(effects, words);
    return one == nullptr ? std::vector<Position>() : one->begin()(call, 0, 1).call.positions.whole;
  };
  EXPECT_EQ(held("a column past the largest row of the call counts as that"),
            (std::vector<Position>{1, 5, 2, 1, 5, 5, 0, 4}));
  EXPECT_EQ(held("a column past the largest row of its row of the batch counts as that"),
            (std::vector<Position>{1, 2, 2, 1, 5, 5, 0, 4}));
}

// Of three rows of five: the token at (1, 2) is number 7, that at (2, 4) number 14.
TEST(CallEffectsOnPositions, read_the_numbers_of_a_grid_otherwise) {
  Domain grid{0, 4};
  grid.axes = 2;
  grid.last_on_axis = {2, 4};
  Call call;
  call.positions = {{1, 2, 2, 4}, {}, 2};
  const std::string numbered = "tokens are numbered in rows of 5, and ";
  const std::pair<std::string, std::vector<Position>> all[] = {
      {"read in rows of 3", {2, 1, 4, 2}},
      {"read in columns of 3", {1, 2, 2, 4}},
      {"a number is divided by 3 for its row", {2, 2, 4, 4}},
      {"a number is taken modulo 3 for its column", {1, 1, 2, 2}}};
  const std::vector<Effect> effects = effects_on_a_grid(grid);
  for (const auto& [words, to] : all) {
    const Effect* one = effect(effects, numbered + words);
    ASSERT_NE(one, nullptr) << words;
    EXPECT_EQ(one->begin()(call, 0, 1).call.positions.whole, to) << words;
  }
  // (1, 2) is number 3 + 2, or 1 + 6; (2, 4) is number 6 + 4, or 2 + 12.
  const std::pair<std::string, std::vector<Position>> by_the_other_extent[] = {
      {"tokens are numbered in rows of 3, and read in rows of 5", {1, 0, 2, 0}},
      {"tokens are numbered in columns of 3, and read in rows of 5", {1, 2, 2, 4}}};
  for (const auto& [words, to] : by_the_other_extent) {
    const Effect* one = effect(effects, words);
    ASSERT_NE(one, nullptr) << words;
    EXPECT_EQ(one->begin()(call, 0, 1).call.positions.whole, to) << words;
  }
  grid.last_on_axis = {4, 4};
  EXPECT_EQ(effects_on_a_grid(grid).size(), 2u) << "of the next place alone";
  grid.lo = -1;
  EXPECT_TRUE(effects_on_a_grid(grid).empty());
}

// Of three rows of five, and of two times of them.
TEST(CallEffectsOnPositions, move_to_the_next_place_of_a_grid) {
  const std::string behind = "each place counts as the one before it, row by row; the first as itself",
                    ahead = "each place counts as the one behind it, row by row; the last as itself";
  Domain grid{0, 4};
  grid.axes = 2, grid.last_on_axis = {2, 4};
  const std::vector<Effect> effects = effects_on_a_grid(grid);
  const std::vector<Position> places = {0, 0, 1, 0, 2, 4};
  const auto moved_on_two = [&](const std::string& words) {
    Call call;
    call.positions = {places, {}, 2};
    const Effect* one = effect(effects, words);
    return one == nullptr ? std::vector<Position>() : one->begin()(call, 0, 1).call.positions.whole;
  };
  EXPECT_EQ(moved_on_two(behind), (std::vector<Position>{0, 0, 0, 4, 2, 3}));
  EXPECT_EQ(moved_on_two(ahead), (std::vector<Position>{0, 1, 1, 1, 2, 4}));
  grid.axes = 3, grid.last_on_axis = {1, 2, 4};
  const std::vector<Effect> of_times = effects_on_a_grid(grid);
  EXPECT_EQ(moved_on_axes(of_times, behind, {1, 0, 0, 0, 1, 0}), (std::vector<Position>{0, 2, 4, 0, 0, 4}));
  EXPECT_EQ(moved_on_axes(of_times, ahead, {0, 2, 4, 1, 2, 4}), (std::vector<Position>{1, 0, 0, 1, 2, 4}));
}

// The places of two axes with 2^20 places each have numbers; longer axes are left out.
TEST(CallEffectsOnPositions, move_to_the_next_place_of_a_grid_whose_places_have_numbers) {
  const Position most = Position{1} << 20;
  Domain grid{0, most - 1};
  grid.axes = 2, grid.last_on_axis = {most - 1, most - 1};
  const std::vector<Effect> effects = effects_on_a_grid(grid);
  const Effect* one =
      effect(effects, "each place counts as the one before it, row by row; the first as itself");
  ASSERT_NE(one, nullptr);
  Call call;
  call.positions = {{most - 1, 0}, {}, 2};
  EXPECT_EQ(one->begin()(call, 0, 1).call.positions.whole, (std::vector<Position>{most - 2, most - 1}));
  grid.hi = most, grid.last_on_axis = {most, most};
  EXPECT_TRUE(effects_on_a_grid(grid).empty());
}

TEST(CallEffectsOnPositions, hold_real_positions_below_a_limit) {
  Call call;
  call.positions.real = {6.5, 7, 7.25, 900};
  const std::vector<Effect> effects = effects_on_reals_from(8);
  const Effect* one = effect(effects, "positions past 7 count as 7");
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(one->begin()(call, 0, 1).call.positions.real, (std::vector<double>{6.5, 7, 7, 7}));
}

// Token 7 of 2 times of 3 rows of 2 columns is that at time 1, row 0, column 1.
TEST(CallEffectsOnPositions, tile_what_is_to_be_repeated) {
  Domain grid(0, 2);
  grid.axes = 3, grid.last_on_axis = {1, 2, 1};
  const std::vector<Effect> effects = effects_on_a_grid(grid);
  const std::string of = "of token n of a grid of 2 times, 3 rows and 2 columns, ";
  const std::vector<Position> all = {1, 0, 1, 0, 2, 0};
  EXPECT_EQ(moved_on_axes(effects, of + "the time is n modulo 2: tiled, not repeated", all),
            (std::vector<Position>{1, 0, 1, 0, 2, 0}));
  EXPECT_EQ(moved_on_axes(effects, of + "row and column are those of n / 2: repeated, not tiled", all),
            (std::vector<Position>{1, 1, 1, 0, 1, 0}));
  EXPECT_EQ(
      moved_on_axes(effects,
                    of + "the time is n modulo 2, row and column are those of n / 2: the time counts fastest",
                    {0, 0, 1, 1, 0, 0}),
      (std::vector<Position>{1, 0, 0, 0, 1, 1}));
  grid.last_on_axis = {0, 2, 1};
  EXPECT_EQ(effects_on_a_grid(grid).size(), 2u) << "of the next place alone";
}

// Of two rows of three tokens, and of one that is not a run.
TEST(CallEffectsOnPositions, give_every_row_the_run_of_the_first) {
  const std::vector<Effect> effects = known_effects(false, false);
  const Effect* one = effect(
      effects, "where the positions of the first row follow each other, every row of the batch has them");
  ASSERT_NE(one, nullptr);
  const auto moved_to = [&](std::vector<Position> all) {
    Call call;
    call.batch = 2;
    call.positions.whole = std::move(all);
    return one->begin()(call, 0, 1).call.positions.whole;
  };
  EXPECT_EQ(moved_to({7, 8, 9, 1, 30, 2}), (std::vector<Position>{7, 8, 9, 7, 8, 9}));
  EXPECT_EQ(moved_to({7, 8, 10, 1, 2, 3}), (std::vector<Position>{7, 8, 10, 1, 2, 3}));
  EXPECT_EQ(moved_to({7, 4}), (std::vector<Position>{7, 7}));
}

}  // namespace
}  // namespace posproof::call_effects_positions_test
