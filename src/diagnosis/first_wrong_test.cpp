// The first position of all that are wrong, found by asking a few; and from which position or number of
// tokens on answers are of others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "core/failure.h"
#include "core/function.h"
#include "diagnosis/call_deviations.h"
#include "run/catalogued.h"

namespace posproof::first_wrong_test {
namespace {

// No position outside is asked for.
TEST(FirstWrong, is_found_wherever_the_positions_begin_and_end) {
  const auto found = [](Position lo, Position hi, Position wrong) {
    const Encoding declared =
        with_positions(encoding_named("sinusoidal").oracle(Case::parse("dim=2")), Domain(lo, hi));
    const Encoding subject = answered_by(declared, [=](const Call& call) {
      Tensor rows = answer(declared, call);
      for (std::size_t r = 0; r < rows.rows(); ++r) {
        const Position t = call.positions.whole[r];
        if (t < lo || t > hi) throw Refusal("outside");
        rows.at(r, 1) += t >= wrong ? 0.5 : 0;
      }
      return rows;
    });
    return first_wrong_along(0, model_of(declared, all_f32), {"made", "", subject, all_f32}, declared);
  };
  for (const Position lo : {-5, 0, 3})
    for (const Position length : {2, 9, 20, 23, 24, 25, 48, 1000}) {
      const Position hi = lo + length - 1;
      for (const Position after : {1, 2, 7, 8, 12, 13, 16, 19, 23, 24, 47, 300, 767, 999})
        if (after < length) {
          EXPECT_EQ(found(lo, hi, lo + after), lo + after) << lo << " to " << hi;
        }
      EXPECT_EQ(found(lo, hi, lo), std::nullopt) << "all are wrong";
      EXPECT_EQ(found(lo, hi, hi + 1), std::nullopt) << "none is";
    }
}

TEST(FirstWrong, is_that_of_keys_where_queries_are_right) {
  const Encoding declared = encoding_named("rope").oracle(Case::parse("dim=4"));
  const auto found = [&](Position of_queries, Position of_keys) {
    const Encoding subject = answered_by(declared, [=](Call call) {
      for (Position& t : call.positions.whole)
        if (t >= (call.role == Role::key ? of_keys : of_queries)) t += 3;
      return answer(declared, call);
    });
    return first_wrong_along(0, model_of(declared, all_f32), {"made", "", subject, all_f32}, declared);
  };
  constexpr Position never = Position{1} << 40;
  const Position lo = positions_of(declared).lo;
  EXPECT_EQ(found(lo + 77, never), lo + 77);
  EXPECT_EQ(found(never, lo + 512), lo + 512);
  EXPECT_EQ(found(lo + 77, lo + 50), lo + 77);
  EXPECT_EQ(found(never, never), std::nullopt);
}

// What is asked for in one call is told by its first position, as long as the others follow it.
TEST(FirstWrong, is_that_of_a_call_of_its_own_where_an_offset_is_taken) {
  const Encoding declared = encoding_named("rope").oracle(Case::parse("dim=4"));
  const Encoding subject = answered_by(declared, [=](Call call) {
    std::vector<Position>& at = call.positions.whole;
    Position first = 0, other = 0;
    for (std::size_t n = 0; n < at.size(); ++n) {
      const Position asked = at[n];
      if (n == 0 || asked != first + 1) other = std::min<Position>(asked, 256);
      first = asked, at[n] = other++;
    }
    return answer(declared, call);
  });
  Subject of{"made", "", subject, all_f32};
  of.takes_positions = "offset";
  EXPECT_EQ(first_wrong_along(0, model_of(declared, all_f32), of, declared), 257);
}

using Calls = std::vector<std::vector<Position>>;

// What is said of a table that has the rows of twice the positions where that is so, by its answers to these
// calls.
std::string said_of(const Function<bool(Position t, std::size_t tokens)>& is_other, const Calls& calls) {
  const Encoding declared = encoding_named("sinusoidal").oracle(Case::parse("dim=4"));
  const Encoding subject = answered_by(declared, [=](Call call) {
    for (Position& t : call.positions.whole)
      if (is_other(t, call.positions.size())) t *= 2;
    return answer(declared, call);
  });
  std::vector<Answered> answered;
  for (const std::vector<Position>& at : calls) {
    const Call call{.positions = {.whole = at}, .length = 1000};
    answered.push_back({{}, call, answer(subject, call)});
  }
  return call_deviation(model_of(declared, all_f32), {"made", "", subject, all_f32}, declared, answered)
      .value_or("nothing");
}

TEST(FirstWrong, is_told_with_what_is_answered_from_there_on) {
  const Calls calls = {{5, 150, 20, 300}, {101, 99}, {7}, {400, 1}, {100}};
  EXPECT_EQ(said_of([](Position t, std::size_t) { return t >= 100; }, calls),
            "at positions from 100 on: positions are doubled");
  EXPECT_EQ(said_of([](Position, std::size_t) { return true; }, calls), "positions are doubled");
  EXPECT_EQ(said_of([](Position, std::size_t) { return false; }, calls), "nothing");
}

TEST(FirstWrong, is_told_by_the_number_of_tokens) {
  const auto of_more_than = [](std::size_t most, const Calls& calls) {
    return said_of([=](Position, std::size_t tokens) { return tokens > most; }, calls);
  };
  EXPECT_EQ(of_more_than(2, {{5, 6}, {7}, {1, 2, 3}, {4, 5, 6, 7}}),
            "in calls of more than 2 tokens: positions are doubled");
  EXPECT_EQ(of_more_than(2, {{7, 8}, {9, 10}, {4, 5, 6, 7, 8}, {3, 4, 5, 6, 7}}),
            "in calls of more tokens than some number from 2 to 4: positions are doubled");
}

// What a token tells is measured by what that token is rotated to: the first is nothing.
TEST(FirstWrong, is_told_by_tokens_behind_one_that_is_nothing) {
  const Encoding declared = encoding_named("rope").oracle(Case::parse("dim=4"));
  const Encoding subject = answered_by(declared, [=](Call call) {
    for (Position& t : call.positions.whole) t *= 2;
    return answer(declared, call);
  });
  std::vector<Answered> answered;
  for (const Position t : {3, 50, 700}) {
    const Call call{.positions = {.whole = {1, t, t + 1}},
                    .contents = {Tensor({1, 1, 3, 4}, {0, 0, 0, 0, 1, 2, 3, 4, 4, 3, 2, 1})}};
    answered.push_back({{}, call, answer(subject, call)});
  }
  EXPECT_EQ(call_deviation(model_of(declared, all_f32), {"made", "", subject, all_f32}, declared, answered),
            "positions are doubled");
}

// All heads of a token hold the same; the second is rotated by twice the position.
TEST(FirstWrong, is_told_by_the_heads_that_are_wrong) {
  const Encoding declared = encoding_named("rope").oracle(Case::parse("dim=4 heads=3"));
  const Encoding subject = answered_by(declared, [=](Call call) {
    Tensor out = answer(declared, call);
    for (Position& t : call.positions.whole) t *= 2;
    const Tensor twice = answer(declared, call);
    const std::size_t n = call.positions.size();
    for (std::size_t r = n; r < 2 * n; ++r) std::ranges::copy(twice.row(r), out.row(r).begin());
    return out;
  });
  std::vector<Answered> answered;
  for (const Position t : {3, 50, 700}) {
    const Call call{.positions = {.whole = {t, t + 1}},
                    .contents = {Tensor({1, 3, 2, 4}, std::vector<double>(24, 1.0))}};
    answered.push_back({{}, call, answer(subject, call)});
  }
  EXPECT_EQ(call_deviation(model_of(declared, all_f32), {"made", "", subject, all_f32}, declared, answered),
            "head 1 of 3: positions are doubled");
}

// Of a rotation that has positions on both sides of 0.
TEST(FirstWrong, has_effects_on_both_sides_of_0) {
  const Encoding declared =
      with_positions(encoding_named("rope").oracle(Case::parse("dim=4")), Domain(-4096, 65536));
  const auto effects = [&](Position (*other)(Position)) {
    const Encoding subject = answered_by(declared, [=](Call call) {
      for (Position& t : call.positions.whole) t = other(t);
      return answer(declared, call);
    });
    std::vector<std::string> words;
    for (const Effect& one :
         effects_around_0(model_of(declared, all_f32), {"made", "", subject, all_f32}, declared)) {
      bool same = true;
      for (const Position t : {-4096, -701, -700, -699, -9, -8, -7, -1, 0, 1, 699, 700, 701, 65536}) {
        Call call;
        call.batch = 1;
        call.positions.whole = {t};
        same = same && one.begin()(call, 0, 1).call.positions.whole.front() == other(t);
      }
      if (same) words.push_back(one.words);
    }
    return words;
  };
  using Words = std::vector<std::string>;
  EXPECT_EQ(effects([](Position t) { return t; }), Words{});
  EXPECT_EQ(effects([](Position t) { return std::clamp<Position>(t, -700, 700); }),
            Words{"positions past 700 count as 700, and those below -700 as -700"});
  EXPECT_EQ(effects([](Position t) { return std::min<Position>(std::abs(t), 700); }),
            Words{"positions count as their absolute value, 700 at most"});
  EXPECT_EQ(effects([](Position t) { return std::max<Position>(t, -8); }),
            Words{"positions below -8 count as -8"});
  EXPECT_EQ(effects([](Position t) { return t < 0 ? std::min<Position>(-t, 8) : t; }),
            Words{"positions below 0 count as their absolute value, 8 at most"});
}

TEST(FirstWrong, has_no_effects_around_0_where_no_position_is_below) {
  const Encoding declared =
      with_positions(encoding_named("rope").oracle(Case::parse("dim=4")), Domain(0, 99));
  const Encoding subject = answered_by(declared, [=](Call call) {
    for (Position& t : call.positions.whole) t = std::min<Position>(t, 50);
    return answer(declared, call);
  });
  EXPECT_TRUE(
      effects_around_0(model_of(declared, all_f32), {"made", "", subject, all_f32}, declared).empty());
}

// Keys alone are held at -5.
TEST(FirstWrong, below_0_is_that_of_keys_where_queries_are_right) {
  const Encoding declared =
      with_positions(encoding_named("rope").oracle(Case::parse("dim=4")), Domain(-64, 64));
  const auto is_said = [&](Role held) {
    const Encoding subject = answered_by(declared, [=](Call call) {
      if (call.role == held)
        for (Position& t : call.positions.whole) t = std::max<Position>(t, -5);
      return answer(declared, call);
    });
    const std::vector<Effect> effects =
        effects_around_0(model_of(declared, all_f32), {"made", "", subject, all_f32}, declared);
    return std::ranges::count(effects, "positions below -5 count as -5", &Effect::words) == 1;
  };
  EXPECT_TRUE(is_said(Role::query));
  EXPECT_TRUE(is_said(Role::key));
}

}  // namespace
}  // namespace posproof::first_wrong_test
