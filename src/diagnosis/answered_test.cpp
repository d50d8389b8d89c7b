#include "diagnosis/answered.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/call.h"
#include "core/function.h"
#include "run/catalogued.h"

namespace posproof::answered_test {
namespace {

// Answers of a rotation that is wrong at these positions, after a counterexample at position 700001.
std::vector<Answered> answers(const Function<bool(Position)>& wrong) {
  const EncodingSpec& spec = encoding_named("rope");
  const Encoding truth = spec.oracle(with(spec, Case::parse("dim=4 heads=1")));
  const Encoding subject = answered_by(truth, [=](Call call) {
    for (Position& t : call.positions.whole) t += wrong(t) ? 1 : 0;
    return answer(truth, call);
  });
  return answers_of({"made", "", subject, all_f64}, truth,
                    Case::parse("batch=1 tokens=1 t=700001 role=query x=[1,0,0,0]"), 1);
}

std::size_t most_rows(const std::vector<Answered>& all) {
  std::size_t out = 0;
  for (const Answered& one : all) out = std::max(out, one.call.batch);
  return out;
}

// Those of a search and 32 to calls of many tokens or batch rows, 24 to calls of each small number of tokens
// where something is wrong, and 300 more.
TEST(Answered, are_more_where_few_are_wrong) {
  const auto often = answers([](Position t) { return t % 2 == 1; }),
             once = answers([](Position t) { return t == 700001; }),
             never = answers([](Position) { return false; });
  EXPECT_LE(often.size(), 156u);
  EXPECT_GT(often.size(), 100u);
  EXPECT_GT(once.size(), often.size() + 200);
  EXPECT_LE(once.size(), 456u);
  EXPECT_EQ(never.size() + 24, often.size());
}

// Positions, as they are, of the rows that are wrong: several at the one that hardly any draw hits, and none
// of them with the content of the counterexample.
TEST(Answered, are_sought_near_a_counterexample_that_is_the_only_one) {
  std::size_t there = 0, again = 0;
  for (const Answered& one : answers([](Position t) { return t == 700001; })) {
    if (std::ranges::find(one.call.positions.whole, 700001) == one.call.positions.whole.end()) continue;
    ++there;
    if (one.call.contents.front().data == std::vector<double>{1, 0, 0, 0}) ++again;
  }
  EXPECT_GE(there, 8u);
  EXPECT_EQ(again, 1u);
}

// Whatever sizes are drawn: what begins at a number of tokens is told from what is so of an even one.
TEST(Answered, are_of_every_small_number_of_tokens) {
  std::set<std::size_t> numbers;
  for (const Answered& one : answers([](Position t) { return t % 2 == 1; }))
    numbers.insert(one.call.positions.whole.size() / one.call.batch);
  for (std::size_t n = 1; n <= 24; ++n) EXPECT_TRUE(numbers.contains(n)) << n;
}

TEST(Answered, of_a_rotation_are_of_many_batch_rows_too) {
  EXPECT_EQ(most_rows(answers([](Position t) { return t % 2 == 1; })), 65u);
}

}  // namespace
}  // namespace posproof::answered_test
