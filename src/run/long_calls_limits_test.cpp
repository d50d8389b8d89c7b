#include "run/long_calls.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include "catalogue/encodings/alibi.h"
#include "catalogue/encodings/rope.h"
#include "catalogue/encodings/sinusoidal.h"
#include "catalogue/encodings/t5_bias.h"
#include "core/call.h"
#include "core/failure.h"
#include "core/spec.h"
#include "run/recorded.h"
#include "run/testing/long_calls.h"

namespace posproof::long_calls_limits_test {
namespace {

using long_calls_testing::truth_of;

// The largest distance follows the number of keys; right of all calls that are drawn.
Encoding t5_whose_buckets_follow_the_keys() {
  const Encoding truth = truth_of(encodings::t5_bias, "heads=2");
  return answered_by(truth, [truth](const Call& call) {
    if (call.keys.whole.size() <= 129) return answer(truth, call);
    return answer(
        truth_of(encodings::t5_bias, "heads=2 max_distance=" + std::to_string(call.keys.whole.size())), call);
  });
}

TEST(LongCalls, refute_what_is_right_of_few_keys_alone) {
  const Encoding truth = truth_of(encodings::t5_bias, "heads=2"), wrong = t5_whose_buckets_follow_the_keys();
  const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
  ASSERT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict));
  EXPECT_EQ(std::get<Refuted>(*verdict).counterexample.integer("nk"), 199);
  // Agreement as the gate asks it sees it, too, and says how many cases came before.
  const Verdict whole = agreement_searched(truth, wrong, all_f32, {.id = "long", .budget = {.cases = 1}});
  ASSERT_TRUE(std::holds_alternative<Refuted>(whole));
  EXPECT_EQ(std::get<Refuted>(whole).counterexample.integer("nk"), 199);
}

TEST(LongCalls, show_a_token_that_is_wrong_alone) {
  const Encoding truth = truth_of(encodings::sinusoidal, "dim=8");
  const Encoding wrong = answered_by(truth, [&](const Call& call) {
    Tensor out = answer(truth, call);
    for (std::size_t r = 0; r < out.rows(); ++r)
      if (call.positions.whole[r] == 700) out.at(r, 3) += 1;
    return out;
  });
  const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {.shrinks = 0});
  ASSERT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict));
  const Case& found = std::get<Refuted>(*verdict).counterexample;
  EXPECT_EQ(found.integer("rows"), 1);
  EXPECT_EQ(found.integer("t"), 700);
}

TEST(LongCalls, that_are_declined_are_no_cases) {
  const Encoding truth = truth_of(encodings::sinusoidal, "dim=8");
  std::uint64_t answered = 0;
  const Encoding short_of_2000 = answered_by(truth, [&](const Call& call) {
    if (call.positions.whole.size() > 2000) throw Refusal("too long");
    ++answered;
    return answer(truth, call);
  });
  const auto verdict = agreement_in_long_calls(truth, short_of_2000, all_f32, {});
  ASSERT_TRUE(verdict && std::holds_alternative<Holds>(*verdict));
  EXPECT_EQ(std::get<Holds>(*verdict).cases, answered);
  EXPECT_GT(answered, 1u);
}

// What keeps the angles of so many tokens, and has no others behind them: refuted with the first length past
// that, of tokens and of rows.
TEST(LongCalls, refute_what_is_right_of_a_thousand_tokens_alone) {
  for (const EncodingSpec* spec : {&encodings::rope, &encodings::sinusoidal})
    for (const std::size_t most : {1025, 2048, 4096}) {
      const Encoding truth = truth_of(*spec, "dim=8");
      const Encoding wrong = answered_by(truth, [&](const Call& call) {
        Tensor out = answer(truth, call);
        if (call.positions.whole.size() / call.batch > most)
          out.data.back() += 16 * bound(truth, call, out, all_f32).error.data.back();
        return out;
      });
      const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
      ASSERT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict)) << kind(truth) << most;
      const Case& found = std::get<Refuted>(*verdict).counterexample;
      EXPECT_EQ(found.integer(found.has("tokens") ? "tokens" : "rows"), most < 2049 ? 2049 : 4097);
    }
}

// One that raises an error for more than 3,000 tokens holds, and what is wrong past 2,048 is seen.
TEST(LongCalls, leave_a_limit_on_tokens_alone) {
  const Encoding truth = truth_of(encodings::rope, "dim=8 heads=2");
  for (const bool right : {true, false}) {
    const Encoding limited = answered_by(truth, [&](const Call& call) {
      const std::size_t tokens = call.positions.whole.size() / call.batch;
      if (tokens > 3000)
        throw Failure(Failure::How::raised, "3000 tokens at most", "rotate: 3000 tokens at most");
      Tensor out = answer(truth, call);
      if (!right && tokens > 2048) out.data.back() *= 2;
      return out;
    });
    const auto verdict = agreement_in_long_calls(truth, limited, all_f32, {});
    ASSERT_TRUE(verdict);
    EXPECT_EQ(std::holds_alternative<Holds>(*verdict), right);
    EXPECT_EQ(std::holds_alternative<Refuted>(*verdict), !right);
  }
  // Of 1,025 it is no limit of a kernel: others of the search are as long.
  const Encoding short_one = answered_by(truth, [&](const Call& call) {
    if (call.positions.whole.size() / call.batch > 1000)
      throw Failure(Failure::How::raised, "1000 tokens at most", "rotate: 1000 tokens at most");
    return answer(truth, call);
  });
  const auto verdict = agreement_in_long_calls(truth, short_one, all_f32, {});
  EXPECT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict));
}

// No answer comes to a call of 1,025 tokens: one of 257 is asked for, and none of as many as 1,025 again,
// since a second answer that does not come ends the subject.
TEST(LongCalls, ask_for_fewer_tokens_where_no_answer_came) {
  const Encoding rope = truth_of(encodings::rope, "dim=8 heads=2"),
                 alibi = truth_of(encodings::alibi, "heads=2");
  for (const Encoding& truth : {rope, alibi})
    for (const bool right : {true, false}) {
      std::size_t late = 0, most = 0;
      const Encoding slow = answered_by(truth, [&](const Call& call) {
        const std::size_t tokens = std::max(
            call.positions.whole.size() / std::max<std::size_t>(call.batch, 1), call.keys.whole.size());
        if (tokens > 1000) {
          ++late;
          throw std::runtime_error("no answer within 4 s");
        }
        most = std::max(most, tokens);
        Tensor out = answer(truth, call);
        if (!right && tokens > 200) out.data.back() += 1;
        return out;
      });
      const auto verdict = agreement_in_long_calls(truth, slow, all_f32, {});
      ASSERT_TRUE(verdict);
      EXPECT_EQ(late, 1u);
      EXPECT_EQ(most, right ? 777u : 257u);
      if (right) {
        ASSERT_TRUE(std::holds_alternative<Errored>(*verdict));
        EXPECT_EQ(std::get<Errored>(*verdict).what,
                  fmt::format("no answer within 4 s; 257 {} are answered, and right",
                              std::holds_alternative<Bias>(truth) ? "keys" : "tokens"));
      } else {
        EXPECT_TRUE(std::holds_alternative<Refuted>(*verdict));
      }
    }
}

// What is wrong with few tokens is found by the search that follows, and is worth more than an answer that is
// late.
TEST(LongCalls, that_are_late_do_not_end_the_search) {
  const Encoding truth = truth_of(encodings::rope, "dim=8 heads=2");
  for (const bool right : {true, false}) {
    const Encoding slow = answered_by(truth, [&](const Call& call) {
      if (call.positions.whole.size() / call.batch > 400) throw std::runtime_error("no answer within 4 s");
      Tensor out = answer(truth, call);
      if (!right && call.positions.whole.size() == 2) out.data.back() += 1;
      return out;
    });
    const Verdict verdict = agreement_searched(truth, slow, all_f32, {.id = "late", .budget = {.cases = 50}});
    EXPECT_EQ(std::holds_alternative<Errored>(verdict), right);
    EXPECT_EQ(std::holds_alternative<Refuted>(verdict), !right);
  }
}

TEST(LongCalls, say_where_their_time_was_over) {
  const Encoding truth = truth_of(encodings::alibi, "heads=2");
  const auto verdict = agreement_in_long_calls(truth, truth, all_f32, {.time = std::chrono::milliseconds(0)});
  ASSERT_TRUE(verdict && std::holds_alternative<Undecided>(*verdict));
  EXPECT_NE(std::get<Undecided>(*verdict).why.find("after 0 of the long calls"), std::string::npos);
}

// 36,873 tokens are more than four times as many as those of any call before; at 0.1 ms each they would
// take 3.7 s.
TEST(LongCalls, leave_out_the_largest_where_tokens_take_long) {
  const Encoding truth = truth_of(encodings::rope, "dim=2 heads=1");
  for (const bool slow : {false, true}) {
    std::size_t most = 0;
    const Encoding subject = answered_by(truth, [&](const Call& call) {
      const std::size_t tokens = call.positions.whole.size();
      most = std::max(most, tokens);
      if (slow) std::this_thread::sleep_for(std::chrono::microseconds(100) * tokens);
      return answer(truth, call);
    });
    const auto verdict =
        agreement_in_long_calls(truth, subject, all_f32, {.time = std::chrono::milliseconds(60000)});
    EXPECT_TRUE(verdict && std::holds_alternative<Holds>(*verdict)) << slow;
    EXPECT_EQ(most, slow ? 8257 : 9 * 4097);
  }
}

}  // namespace
}  // namespace posproof::long_calls_limits_test
