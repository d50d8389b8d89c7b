// Where several things have to be so at once, and what a few rows have in common by accident.
#include "diagnosis/joint_places.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/function.h"
#include "diagnosis/call_fits.h"
#include "run/catalogued.h"

namespace posproof::joint_places_test {
namespace {

using Is = Function<bool(const RowInCall&)>;

// Queries and keys of up to three rows of a batch of up to nine tokens, two heads.
std::vector<Answered> calls() {
  std::vector<Answered> out;
  const auto add = [&](std::size_t batch, std::size_t tokens, Role role, Position first) {
    Call call;
    call.batch = batch;
    call.role = role;
    for (std::size_t n = 0; n < batch * tokens; ++n)
      call.positions.whole.push_back(first + static_cast<Position>(5 * n));
    out.push_back({{}, call, Tensor({batch, 2, tokens, 2})});
  };
  for (const std::size_t batch : {1, 2, 3})
    for (const std::size_t tokens : {1, 2, 4, 5, 9})
      for (const Role role : {Role::query, Role::key})
        for (const Position first : {0, 40}) add(batch, tokens, role, first);
  return out;
}

std::vector<PlaceInCalls> single() {
  std::vector<PlaceInCalls> out = known_places(true, true);
  for (PlaceInCalls& one : further_places(true, 1)) out.push_back(std::move(one));
  out.push_back({"head 1 of 2", [](const RowInCall& s) { return s.row.head == 1; }});
  return out;
}

// What is said where the rows of a place are wrong, and an effect makes right these and those that it leaves.
std::string said(
    const Is& wrong, const std::vector<Answered>& answered = calls(),
    const Is& left = [](const RowInCall&) { return false; }) {
  Explained alone;
  std::vector<bool> by_effect;
  for (std::size_t item = 0; item < answered.size(); ++item) {
    const Call& call = answered[item].call;
    const std::size_t tokens = call.positions.size() / call.batch;
    for (std::size_t r = 0; r < call.batch * 2 * tokens; ++r) {
      alone.rows.push_back({item, r / tokens / 2, r / tokens % 2, r % tokens});
      const RowInCall row = seen(alone.rows.back(), answered);
      alone.right.push_back(!wrong(row));
      by_effect.push_back(wrong(row) || left(row));
    }
  }
  const auto found = JointPlaces(single(), alone, answered).of(by_effect);
  return found ? found->words : "none";
}

bool is_key(const RowInCall& s) {
  return s.call.role == Role::key;
}
bool is_last(const RowInCall& s) {
  return s.row.token + 1 == s.tokens;
}

TEST(JointPlaces, say_what_is_so_at_once) {
  EXPECT_EQ(said([](const RowInCall& s) { return is_key(s) && s.row.head == 1; }), "keys, head 1 of 2");
  EXPECT_EQ(said([](const RowInCall& s) { return is_key(s) && is_last(s); }),
            "keys, the last token of a row");
  EXPECT_EQ(said([](const RowInCall& s) { return s.row.head == 1 && s.row.batch > 0 && !is_key(s); }),
            "queries, in batch rows after the first, head 1 of 2");
  EXPECT_EQ(said([](const RowInCall& s) { return s.row.token < 2 && s.row.head == 1; }),
            "the first two tokens of a row, head 1 of 2");
}

TEST(JointPlaces, say_from_how_many_tokens_on) {
  EXPECT_EQ(said([](const RowInCall& s) { return is_key(s) && s.tokens > 4; }),
            "keys, in calls of more than 4 tokens");
  EXPECT_EQ(said([](const RowInCall& s) { return is_key(s) && s.tokens > 5; }),
            "keys, in calls of more tokens than some number from 5 to 8");
  EXPECT_EQ(said([](const RowInCall& s) { return is_key(s) && s.tokens < 5; }),
            "keys, in calls of fewer than 5 tokens");
  EXPECT_EQ(said([](const RowInCall& s) {
              return is_key(s) && is_last(s) && s.row.batch + 1 == s.call.batch &&
                     s.call.batch * s.tokens > 4;
            }),
            "keys, the last token of the last batch row, in calls of more than 4 tokens in all");
  EXPECT_EQ(said([](const RowInCall& s) { return s.call.batch * s.tokens > 4; }),
            "in calls of more than 4 tokens in all");
}

// Rows that are right with the effect and without it are in no way of either.
TEST(JointPlaces, pass_over_rows_that_need_no_effect_and_bear_it) {
  const auto wrong = [](const RowInCall& s) { return is_key(s) && s.row.head == 1 && s.at % 15 != 0; };
  EXPECT_EQ(said(wrong), "none");
  EXPECT_EQ(said(wrong, calls(), [](const RowInCall& s) { return s.at % 15 == 0; }), "keys, head 1 of 2");
}

TEST(JointPlaces, say_nothing_of_four_things_and_of_what_is_none_of_them) {
  EXPECT_EQ(said([](const RowInCall& s) {
              return is_key(s) && is_last(s) && s.row.head == 1 && s.call.batch == 2 && s.at > 3;
            }),
            "none");
  EXPECT_EQ(said([](const RowInCall& s) { return s.at % 3 == 0 && s.row.head == 1; }), "none");
}

// Two calls with wrong keys, or two in which queries are right, may be an accident; three are none.
TEST(JointPlaces, are_of_several_calls) {
  const auto some = [](std::size_t wrong, std::size_t right) {
    std::vector<Answered> out;
    std::size_t keys = 0, queries = 0;
    for (const Answered& one : calls()) {
      std::size_t& of = one.call.role == Role::key ? keys : queries;
      if (one.call.batch > 1 && of++ < (one.call.role == Role::key ? wrong : right)) out.push_back(one);
    }
    return out;
  };
  const auto place = [](const RowInCall& s) { return is_key(s) && s.row.head == 1; };
  EXPECT_EQ(said(place, some(3, 3)), "keys, head 1 of 2");
  EXPECT_EQ(said(place, some(2, 3)), "none");
  EXPECT_EQ(said(place, some(3, 2)), "none");
}

TEST(JointPlaces, of_more_than_one_token_are_calls_of_several) {
  EXPECT_EQ(said([](const RowInCall& s) { return s.tokens > 1; }), "in calls of several tokens a row");
  EXPECT_EQ(said([](const RowInCall& s) { return s.call.batch * s.tokens > 1; }),
            "in calls of several tokens in all");
}

}  // namespace
}  // namespace posproof::joint_places_test
