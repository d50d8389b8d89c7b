#include "diagnosis/call_places.h"

#include <gtest/gtest.h>

#include <string_view>

namespace posproof::call_places_test {
namespace {

TEST(CallPlaces, are_said_with_the_effect_in_one_sentence) {
  EXPECT_EQ(words_in("", "every token has the largest position of its row"),
            "every token has the largest position of its row");
  EXPECT_EQ(words_in("in calls of one token a row", "every token has the largest position of the batch"),
            "in calls of one token a row: every token has the largest position of the batch");
  EXPECT_EQ(words_in("the last token of a row", "positions are one ahead"),
            "the last token of a row: positions are one ahead");
  EXPECT_EQ(words_in("the last token of a row", "every token has the position of the first of its row"),
            "the last token of a row has the position of the first of its row");
  EXPECT_EQ(words_in("keys, the first token of a row", "every token has the largest position of its row"),
            "keys: the first token of a row has the largest position of its row");
  EXPECT_EQ(
      words_in("every token after the first", "every token has the position of the one before it in its row"),
      "every token after the first has the position of the one before it in its row");
}

// As in a decode behind a cache.
TEST(CallPlaces, are_those_of_fewer_queries_than_keys) {
  const auto holds = [](std::size_t queries, std::size_t keys) {
    Call call;
    call.positions.whole.assign(queries, 0), call.keys.whole.assign(keys, 0);
    const AnsweredRow row{};
    const RowInCall seen{row, call, queries, 0};
    for (const PlaceInCalls& one : known_places(false, false))
      if (one.words == "in calls of fewer queries than keys") return one.is(seen);
    return false;
  };
  EXPECT_TRUE(holds(1, 2));
  EXPECT_FALSE(holds(2, 2));
  EXPECT_FALSE(holds(3, 2));
}

// All tokens of the call decide.
TEST(CallPlaces, are_those_of_two_numbers_that_are_the_same_throughout) {
  const auto holds = [](const std::vector<Position>& numbers) {
    Call call{.batch = 1};
    call.positions = {numbers, {}, 3};
    const AnsweredRow row{};
    const RowInCall seen{row, call, numbers.size() / 3, 0};
    for (const PlaceInCalls& one : further_places(true, 3))
      if (one.words == "in calls in which time and row of every position are the same") return one.is(seen);
    return false;
  };
  EXPECT_TRUE(holds({1, 1, 2, 5, 5, 0}));
  EXPECT_FALSE(holds({1, 1, 2, 5, 4, 0}));
  EXPECT_FALSE(holds({}));
}

// Of a row of four tokens with the numbers (0, 0), (0, 3), (3, 0), (3, 3), which lie where so is said.
TEST(CallPlaces, compare_the_numbers_of_a_position) {
  Call call;
  call.positions = {.whole = {0, 0, 0, 3, 3, 0, 3, 3}, .axes = 2};
  const auto told = [&](std::string_view end) {
    std::string out;
    for (const PlaceInCalls& one : further_places(true, 2))
      if (one.words.starts_with("where ") && one.words.ends_with(end))
        for (std::size_t token = 0; token < 4; ++token) {
          const AnsweredRow row{0, 0, 0, token};
          out += one.is({row, call, 4, 0}) ? "x" : "-";
        }
    return out;
  };
  EXPECT_EQ(told(" are the same"), "x--x");
  EXPECT_EQ(told(" differ"), "-xx-");
}

// Of a call of two heads.
TEST(CallPlaces, are_those_of_as_many_tokens_as_heads_and_the_last_of_an_even_number) {
  const auto holds = [](std::string_view words, std::size_t heads, std::size_t tokens) {
    const Call call{.batch = 1, .contents = {Tensor({1, heads, tokens, 2})}};
    std::vector<PlaceInCalls> all = known_places(true, true);
    for (PlaceInCalls& one : further_places(true, 1)) all.push_back(std::move(one));
    std::string out;
    for (const PlaceInCalls& one : all)
      if (one.words == words)
        for (std::size_t token = 0; token < tokens; ++token)
          out += one.is({AnsweredRow{0, 0, 0, token}, call, tokens, 0}) ? "x" : "-";
    return out;
  };
  EXPECT_EQ(holds("in calls of as many tokens a row as heads", 3, 3), "xxx");
  EXPECT_EQ(holds("in calls of as many tokens a row as heads", 3, 2), "--");
  EXPECT_EQ(holds("in calls of as many tokens a row as heads", 1, 1), "-");
  EXPECT_EQ(holds("where the number of tokens is even, the last of them", 1, 4), "---x");
  EXPECT_EQ(holds("where the number of tokens is even, the last of them", 1, 3), "---");
  EXPECT_EQ(holds("where the number of tokens is odd, the last of them", 1, 3), "--x");
}

TEST(CallPlaces, of_three_conditions_the_last_takes_the_effect) {
  EXPECT_EQ(words_in("keys, in the first batch row, the last token of a row",
                     "every token has the position of the first of its row"),
            "keys, in the first batch row: the last token of a row has the position of the first of its row");
}

}  // namespace
}  // namespace posproof::call_places_test
