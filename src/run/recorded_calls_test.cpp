// Recorded positions are asked for many in a call: what is wrong in long calls alone.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/failure.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/recorded.h"

namespace posproof::recorded_calls_test {
namespace {

const Table& sinusoidal() {
  static const auto truth = as<Table>(encoding_named("sinusoidal").oracle(Case::parse("dim=64")));
  return truth;
}

Plan one_case() {
  return {.id = "recorded", .budget = {.cases = 1}};
}

// It cannot be shown by a case of one position: a counterexample that does not repeat.
TEST(RecordedCalls, what_is_wrong_in_a_long_call_only_is_refuted_without_repeating) {
  Table table = sinusoidal();
  table.rows = [](Positions at, Position length) {
    Tensor rows = sinusoidal().rows(at, length);
    if (at.size() > 64) rows.at(64, 0) += 1e-3;
    return rows;
  };
  const Verdict verdict = agreement_searched(sinusoidal(), table, all_f64, one_case());
  const auto* refuted = std::get_if<Refuted>(&verdict);
  ASSERT_NE(refuted, nullptr) << name(verdict);
  EXPECT_FALSE(refuted->repeats);
  EXPECT_EQ(refuted->found_after, 65u);
  EXPECT_EQ(refuted->counterexample.integer("t"), recorded_positions(sinusoidal().positions)[64]);
}

// The search has calls of 16 tokens: they show it, and again.
TEST(RecordedCalls, what_is_wrong_in_long_calls_is_left_to_the_search_where_that_finds_it) {
  Table wrong = sinusoidal();
  wrong.rows = [](Positions at, Position length) {
    Tensor rows = sinusoidal().rows(at, length);
    if (at.size() >= 16) rows.at(at.size() - 1, 0) += 1e-6;
    return rows;
  };
  const Verdict verdict = agreement_searched(sinusoidal(), wrong, all_f64, {.id = "recorded"});
  const auto* refuted = std::get_if<Refuted>(&verdict);
  ASSERT_NE(refuted, nullptr) << name(verdict);
  EXPECT_TRUE(refuted->repeats);
  EXPECT_EQ(refuted->counterexample.integer("rows"), 16);
}

// By each position alone it is answered: all of those count before it.
TEST(RecordedCalls, what_fails_in_a_long_call_only_says_so) {
  Table table = sinusoidal();
  std::size_t longest = 0;
  table.rows = [&](Positions at, Position length) {
    longest = std::max(longest, at.size());
    if (at.size() > 8) throw Failure(Failure::How::raised, "too many", "rows: too many");
    return sinusoidal().rows(at, length);
  };
  const Verdict verdict = agreement_searched(sinusoidal(), table, all_f64, one_case());
  const auto* refuted = std::get_if<Refuted>(&verdict);
  ASSERT_NE(refuted, nullptr) << name(verdict);
  ASSERT_GT(longest, 8u);
  EXPECT_EQ(
      refuted->instead,
      fmt::format("rows: too many (in a call of {} positions from this one on; alone they are answered)",
                  longest));
  EXPECT_EQ(refuted->found_after, longest + 1);
  EXPECT_EQ(refuted->counterexample.integer("t"), recorded_positions(sinusoidal().positions).front());
}

}  // namespace
}  // namespace posproof::recorded_calls_test
