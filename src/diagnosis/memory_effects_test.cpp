#include "diagnosis/memory_effects.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "diagnosis/testing/effects.h"

namespace posproof::memory_effects_test {
namespace {

using testing::effect;
using Row = std::vector<Position>;

Call of(std::size_t batch, Row positions) {
  return {.batch = batch, .positions = {.whole = std::move(positions)}};
}

TEST(MemoryEffects, are_none_of_calls_without_tokens) {
  for (const Effect& one : effects_of_memory()) {
    const Steps steps = one.begin();
    for (const std::size_t batch : {0, 1, 2})
      EXPECT_TRUE(steps(of(batch, {}), 0, 1).call.positions.whole.empty()) << one.words;
  }
}

// Two rows of three tokens, then two of one, two of two and one of two.
TEST(MemoryEffects, put_positions_of_calls_before_in_the_place_of_later_ones) {
  const struct {
    std::string words;
    Row first, second, third, fourth;
  } all[] = {
      {"positions past m count as m, m being the largest of the first call",
       {5, -1, 9, 30, 2, 4},
       {7, 30},
       {30, 3, 1, 30},
       {0, 30}},
      {"positions past m count as m, m being the largest of the calls before",
       {5, -1, 9, 30, 2, 4},
       {7, 30},
       {40, 3, 1, 40},
       {0, 51}},
      {"positions are taken modulo m + 1, m being the largest of the first call",
       {5, 30, 9, 30, 2, 4},
       {7, 9},
       {19, 3, 1, 20},
       {0, 29}},
      {"positions past m are one behind, m being the largest of the first call",
       {5, -1, 9, 30, 2, 4},
       {7, 39},
       {49, 3, 1, 50},
       {0, 59}},
      {"once a call has had a larger position than the first one, positions are one behind",
       {5, -1, 9, 30, 2, 4},
       {6, 39},
       {49, 2, 0, 50},
       {-1, 59}},
      {"once a call has had a larger position than the first one, positions are one ahead",
       {5, -1, 9, 30, 2, 4},
       {8, 41},
       {51, 4, 2, 52},
       {1, 61}},
      {"a single token up to m counts as m + 1, m being the largest so far",
       {5, -1, 9, 30, 2, 4},
       {31, 40},
       {50, 3, 1, 51},
       {0, 60}},
      {"positions up to m count as 0, m being the largest of the calls before",
       {5, -1, 9, 30, 2, 4},
       {0, 40},
       {50, 0, 0, 51},
       {0, 60}},
      {"positions up to m count as 0, m being the largest of the first call",
       {5, -1, 9, 30, 2, 4},
       {0, 40},
       {50, 0, 0, 51},
       {0, 60}},
      {"every token has the position of the last one of its row in the call before",
       {5, -1, 9, 30, 2, 4},
       {9, 4},
       {7, 7, 40, 40},
       {0, 60}},
      {"tokens count on from the last one of their row in the call before",
       {5, -1, 9, 30, 2, 4},
       {10, 5},
       {8, 9, 41, 42},
       {0, 60}},
      {"positions stay for later calls of as many rows and fewer tokens, cut off",
       {5, -1, 9, 30, 2, 4},
       {5, 30},
       {5, -1, 30, 2},
       {0, 60}},
      {"the first call with so many tokens a row decides on the positions of every row of all later ones",
       {5, -1, 9, 5, -1, 9},
       {7, 7},
       {50, 3, 50, 3},
       {50, 3}},
      {"the number of tokens of all calls since one from position 0 on is added to every position",
       {5, -1, 9, 30, 2, 4},
       {10, 43},
       {54, 7, 5, 55},
       {0, 60}},
  };
  const std::vector<Effect> effects = effects_of_memory();
  for (const auto& [words, first, second, third, fourth] : all) {
    const Effect* one = effect(effects, words);
    ASSERT_NE(one, nullptr) << words;
    for (int object = 0; object < 2; ++object) {
      const Steps steps = one->begin();
      const auto step = [&](std::size_t batch, const Row& own) {
        return steps(of(batch, own), 0, 1).call.positions.whole;
      };
      EXPECT_EQ(step(2, {5, -1, 9, 30, 2, 4}), first) << words;
      EXPECT_EQ(step(2, {7, 40}), second) << words;
      EXPECT_EQ(step(2, {50, 3, 1, 51}), third) << words;
      EXPECT_EQ(step(1, {0, 60}), fourth) << words;
    }
  }
}

TEST(MemoryEffects, find_a_call_by_its_largest_position) {
  const std::vector<Effect> effects = effects_of_memory();
  const Effect* one = effect(effects,
                             "the first call with the same number of rows and tokens and the same largest "
                             "position decides on the others");
  ASSERT_NE(one, nullptr);
  EXPECT_TRUE(one->remembers);
  const Steps steps = one->begin();
  const auto step = [&](std::size_t batch, const Row& own) {
    return steps(of(batch, own), 0, 1).call.positions.whole;
  };
  EXPECT_EQ(step(2, {1, 9, 3, 4}), (Row{1, 9, 3, 4}));
  EXPECT_EQ(step(2, {9, 0, 0, 2}), (Row{1, 9, 3, 4}));
  EXPECT_EQ(step(2, {9, 0, 0, 10}), (Row{9, 0, 0, 10}));
  EXPECT_EQ(step(1, {9, 0, 0, 2}), (Row{9, 0, 0, 2}));
  EXPECT_EQ(step(2, {}), Row{});
}

// It is made for 30; then for 40, or up to 81.
TEST(MemoryEffects, of_a_table_that_grows_a_row_late) {
  const auto steps_of = [](const std::string& words) {
    const std::vector<Effect> effects = effects_of_memory();
    const Effect* one = effect(effects, words);
    EXPECT_NE(one, nullptr) << words;
    std::vector<Row> out;
    if (one == nullptr) return out;
    const Steps steps = one->begin();
    for (const Row& row : {Row{0, 30}, {31}, {7, 31}, {40}, {41}, {40, 39}, {82}, {83}})
      out.push_back(steps(of(1, row), 0, 1).call.positions.whole);
    return out;
  };
  EXPECT_EQ(
      steps_of(
          "a table with rows up to m, the largest position that it was made for, does not grow for m + 1, "
          "which counts as m"),
      (std::vector<Row>{{0, 30}, {30}, {7, 30}, {40}, {40}, {40, 39}, {82}, {82}}));
  EXPECT_EQ(
      steps_of(
          "a table with rows up to m, which doubles when it grows, does not grow for m + 1, which counts as "
          "m"),
      (std::vector<Row>{{0, 30}, {30}, {7, 30}, {40}, {41}, {40, 39}, {81}, {83}}));
}

// Calls of queries and of keys in turn, each of one row: what one of them counts is nothing to the other.
TEST(MemoryEffects, count_tokens_of_queries_and_of_keys_apart) {
  const Effect
      own = *effect(effects_of_memory(),
                    "the number of tokens of all calls of queries, or of keys, since one from position "
                    "0 on is added to every position"),
      shared = *effect(
          effects_of_memory(),
          "the number of tokens of all calls since one from position 0 on is added to every position");
  const auto steps_of = [](const Effect& effect) {
    std::vector<Row> out;
    const Steps steps = effect.begin();
    for (const auto& [role, row] : {std::pair{Role::query, Row{0, 1, 2}},
                                    {Role::key, Row{0, 1}},
                                    {Role::query, Row{3, 4}},
                                    {Role::key, Row{2}},
                                    {Role::query, Row{5}},
                                    {Role::key, Row{0}},
                                    {Role::query, Row{6}}}) {
      Call call = of(1, row);
      call.role = role;
      out.push_back(steps(call, 0, 1).call.positions.whole);
    }
    return out;
  };
  EXPECT_EQ(steps_of(own), (std::vector<Row>{{0, 1, 2}, {0, 1}, {6, 7}, {4}, {10}, {0}, {12}}));
  EXPECT_EQ(steps_of(shared), (std::vector<Row>{{0, 1, 2}, {0, 1}, {5, 6}, {6}, {10}, {0}, {7}}));
}

TEST(MemoryEffects, count_single_tokens_on_from_the_last_call_of_several) {
  const Effect one = *effect(effects_of_memory(),
                             "a single token counts on from the largest position of the last call of several "
                             "tokens, whatever its own");
  const Steps steps = one.begin();
  std::vector<Row> out;
  for (const Row& row : {Row{7}, {0, 2, 1}, {9}, {9}, {}, {20, 21}, {3}})
    out.push_back(steps(of(1, row), 0, 1).call.positions.whole);
  EXPECT_EQ(out, (std::vector<Row>{{7}, {0, 2, 1}, {3}, {4}, {}, {20, 21}, {22}}));
}

}  // namespace
}  // namespace posproof::memory_effects_test
