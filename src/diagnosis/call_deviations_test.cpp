#include "diagnosis/call_deviations.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "attention/reference_attention.h"
#include "core/error.h"
#include "core/function.h"
#include "diagnosis/call_effects.h"
#include "diagnosis/call_fits.h"
#include "diagnosis/padding_effects.h"
#include "run/catalogued.h"
#include "subject/arrays.h"

namespace posproof::call_deviations_test {
namespace {

// Each pair of each token by the norm that it has; of none nothing is lost.
TEST(CallDeviations, allow_a_pair_what_its_norm_loses) {
  const auto rope = as<Rotary>(encoding_named("rope").oracle(Case::parse("dim=4")));  // pairs (0, 2), (1, 3)
  Call call;
  call.positions.whole = {7, 1000};
  call.contents = {Tensor({1, 1, 2, 4}, {0, 3, 0, 4, 5, 0, 12, 0})};
  const Tensor error = model_of(rope, all_f32).error(call, call.contents[0], 1000);
  const std::vector<double> one =
      rotated_error(rope, all_f32, Position{1000}, std::vector<double>{1, 1, 0, 0});
  const double least = rotation_underflow(all_f32);
  const double of_second = 5 * (one[1] + unit_f64) + least, of_first = 13 * (one[0] + unit_f64) + least;
  EXPECT_EQ(error.data, (std::vector<double>{0, of_second, 0, of_second, of_first, 0, of_first, 0}));
}

// And where each pair is multiplied, what its own factor may be off by at the farthest position.
TEST(CallDeviations, allow_a_stretched_pair_what_its_norm_loses) {
  auto rope = as<Rotary>(encoding_named("rope").oracle(Case::parse("dim=4")));  // pairs (0, 2), (1, 3)
  rope.stretch = [](const Pair&, double, Role) { return 1.0; };
  rope.stretch_error = [](const Pair& pair, double t, const Precision&) {
    return pair.index == 0 ? t * 0x1p-20 : 0;
  };
  Call call;
  call.positions.whole = {7, 1000};
  call.contents = {Tensor({1, 1, 2, 4}, {0, 3, 0, 4, 5, 0, 12, 0})};
  const Tensor error = model_of(rope, all_f32).error(call, call.contents[0], 1000);
  Rotary plain = rope;
  plain.stretch = nullptr, plain.stretch_error = nullptr;
  const std::vector<double> one =
      rotated_error(plain, all_f32, Position{1000}, std::vector<double>{1, 1, 0, 0});
  const double least = rotation_underflow(all_f32);
  const double of_second = 5 * (one[1] + unit_f64) + least,
               of_first = 13 * (one[0] + 1000 * 0x1p-20 + unit_f64) + least;
  EXPECT_EQ(error.data, (std::vector<double>{0, of_second, 0, of_second, of_first, 0, of_first, 0}));
}

// Of a table at the farthest position; of a bias at its own where that is past all others. And the last bit
// of what is declared.
TEST(CallDeviations, allow_what_is_lost_at_the_farthest_position_and_at_their_own) {
  const auto expect = [](const Encoding& declared, const Call& call, const Call& worst) {
    const Tensor expected = answer(declared, call);
    Tensor right = bound(declared, worst, expected, all_f32).error;
    for (std::size_t n = 0; n < right.data.size(); ++n)
      right.data[n] += unit_f64 * std::abs(expected.data[n]);
    EXPECT_EQ(model_of(declared, all_f32).error(call, expected, farthest(call)).data, right.data);
  };
  Call call, far;
  call.positions.whole = {7, 1000}, far.positions.whole = {1000, 1000};
  expect(encoding_named("sinusoidal").oracle(Case::parse("dim=4")), call, far);
  call.positions.whole = {3}, call.keys.whole = {5000};
  expect(encoding_named("dynamic_position_bias").oracle(Case::parse("width=4 heads=1")), call, call);
}

// What is said of one row of a table, by what every entry may be off.
using Row = std::vector<double>;
RowFit fit(const Row& given, const Row& expected, const Row& error,
           const std::vector<std::size_t>& columns = {}) {
  const std::size_t n = expected.size();
  const Encoding declared = Table{.dim = n};
  const Model model{declared, [&](const Call&, const Tensor&, Position) { return Tensor({1, n}, error); }};
  Call call;
  call.positions.whole = {0};
  return fits(model, declared, call, Tensor({1, n}, given), Tensor({1, n}, expected), 0, columns).at(0);
}

TEST(CallFits, are_right_within_the_error_of_every_entry) {
  constexpr double inf = std::numeric_limits<double>::infinity(),
                   nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(fit({1.25, -2}, {1, -2}, {0.25, 0}).right);
  EXPECT_FALSE(fit({1.25, -2}, {1, -2}, {0.125, 0}).right);
  EXPECT_FALSE(fit({1, -2}, {1, -3}, {0, 0.5}).right);
  EXPECT_TRUE(fit({inf}, {inf}, {inf}).right);
  EXPECT_FALSE(fit({1}, {inf}, {inf}).right);
  EXPECT_TRUE(fit({nan}, {nan}, {0}).right);
  EXPECT_FALSE(fit({nan}, {0}, {1}).right);
  EXPECT_FALSE(fit({0}, {nan}, {1}).right);
}

// Where an entry may be off by a quarter of the largest at most. A row of zeros may be off by what
// underflows.
TEST(CallFits, tell_where_an_entry_may_be_off_by_little_of_its_row) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(fit({-4, 0}, {-4, 0}, {1, 9}).tells);
  EXPECT_TRUE(fit({-4, 0}, {-4, 0}, {9, 1}).tells);
  EXPECT_FALSE(fit({-4, 0}, {-4, 0}, {1.001, 9}).tells);
  EXPECT_TRUE(fit({0, 0}, {0, 0}, {9, 1e-30}).tells);
  EXPECT_FALSE(fit({0, 0}, {0, 0}, {9, 1.1e-30}).tells);
  EXPECT_TRUE(fit({nan, 4}, {nan, 4}, {9, 9}).tells);
  // In these columns: their entries, and the largest of them.
  EXPECT_TRUE(fit({4, 1}, {4, 1}, {1, 1}, {0}).tells);
  EXPECT_FALSE(fit({4, 1}, {4, 1}, {1, 1}, {1}).tells);
  EXPECT_FALSE(fit({nan, 1}, {nan, 1}, {0, 1}, {1}).tells);
}

// Of a query at 2 that sees no later keys, and whose row may have a constant on it: entries count from the
// first that it sees, and what both firsts lose in f32 is allowed, too.
TEST(CallFits, of_rows_count_from_their_first_entry_where_a_constant_does_not_matter) {
  const auto is_right = [](double off, double hidden, bool modulo) {
    Bias declared{.heads = 1, .causal = true, .modulo_rows = modulo};
    const Model model{declared, [&](const Call&, const Tensor&, Position) { return Tensor({1, 1, 4}); }};
    Call call;
    call.positions.whole = {2}, call.keys.whole = {3, 0, 1, 2};
    const Tensor expected({1, 1, 4}, {99, 1, 2, 4}), given({1, 1, 4}, {hidden, 8, 9 + off, 11});
    return fits(model, declared, call, given, expected, 0).at(0).right;
  };
  EXPECT_TRUE(is_right(0, 99, true));
  EXPECT_TRUE(is_right(0, -5, true));
  EXPECT_TRUE(is_right(9 * 0x1p-24, -5, true));
  EXPECT_FALSE(is_right(9.001 * 0x1p-24, -5, true));
  EXPECT_FALSE(is_right(0, 99, false));
}

// Each is off by a hundredth of it, with the constant: here the first of 101 and the last of 104.
TEST(CallFits, of_rows_with_a_constant_are_allowed_what_rounding_does_to_both) {
  const Bias declared{.heads = 1, .modulo_rows = true};
  const Model model{declared, [](const Call&, const Tensor& of, Position) {
                      Tensor out = of;
                      for (double& x : out.data) x = 0.01 * std::abs(x);
                      return out;
                    }};
  Call call;
  call.positions.whole = {2}, call.keys.whole = {0, 1, 2};
  const auto is_right = [&](double off) {
    const Tensor expected({1, 1, 3}, {1, 2, 4}), given({1, 1, 3}, {101, 102, 104 + off});
    return fits(model, declared, call, given, expected, 0).at(0).right;
  };
  EXPECT_TRUE(is_right(2.06));  // 1.0606 + 1.01
  EXPECT_FALSE(is_right(2.08));
}

// A position that stands for another, real one: what is lost at the farther of the two.
TEST(CallFits, of_real_positions_are_allowed_what_is_lost_at_the_farther_one) {
  Table declared{.dim = 1, .positions = Domain(0, 1 << 20)};
  declared.positions.real = true;
  declared.rows = [](const Positions& at, Position) { return Tensor({1, 1}, {at.at(0, 0)}); };
  const Model model{declared, [](const Call& call, const Tensor& of, Position) {
                      return Tensor(of.shape, {0.25 * call.positions.real.at(0)});
                    }};
  Call call;
  call.positions.real = {2};
  const auto is_right = [&](const std::string& words, double given) {
    for (const Effect& one : known_effects(false, false))
      if (one.words == words)
        return fits(one, one.begin(), model, declared, call, Tensor({1, 1}, {given})).at(0).right;
    throw std::logic_error(words);
  };
  EXPECT_TRUE(is_right("positions are a thousand times as large", 2500));
  EXPECT_FALSE(is_right("positions are a thousand times as large", 2501));
  EXPECT_TRUE(is_right("positions are halved", 1.5));
  EXPECT_FALSE(is_right("positions are halved", 1.75));
}

// The same error of every entry, as a share of what its row holds and in all.
Model allowing(const Encoding& declared, const Function<double(double largest, Position far)>& error) {
  return {declared, [error](const Call&, const Tensor& expected, Position far) {
            Tensor out(expected.shape);
            for (std::size_t r = 0; r < out.rows(); ++r) {
              double largest = 0;
              for (const double x : expected.row(r)) largest = std::max(largest, std::abs(x));
              std::ranges::fill(out.row(r), error(largest, far));
            }
            return out;
          }};
}

// What is given back as it came is no function of positions, whose error it would have.
TEST(CallFits, of_tokens_that_stay_as_they_are_tell_whatever_is_allowed) {
  const Encoding rope = encoding_named("rope").oracle(Case::parse("dim=2"));
  const Model model = allowing(rope, [](double, Position) { return 9; });
  Call call;
  call.positions.whole = {5};
  call.contents = {Tensor({1, 1, 1, 2}, {1, 2})};
  const Effect stay = known_effects(false, true).front();
  ASSERT_EQ(stay.words, "tokens stay as they are, as at position 0");
  EXPECT_TRUE(fits(stay, stay.begin(), model, rope, call, call.contents[0]).at(0).tells);
  EXPECT_FALSE(fits(model, rope, call, call.contents[0], answer(rope, call), 5).at(0).tells);
}

// What another encoding answers, which may be off by 1/2, in the place of what may be off by 1/8: in all
// columns, or in one of them.
TEST(CallFits, of_another_encoding_are_allowed_its_error) {
  const auto of = [](double entry) {
    Table out{.dim = 2, .positions = Domain(0, 8)};
    out.rows = [entry](const Positions&, Position) { return Tensor({1, 2}, {entry, entry}); };
    return Encoding(out);
  };
  const Encoding declared = of(1), other = of(5);
  const Model model = allowing(declared, [](double, Position) { return 0.125; });
  const auto by = std::make_shared<const Model>(allowing(other, [](double, Position) { return 0.5; }));
  Call call;
  call.positions.whole = {3};
  const auto is_right = [&](const std::vector<std::size_t>& columns, double first, double second) {
    Effect effect{"another", [by] {
                    return [by](const Call& one, std::size_t, std::size_t) {
                      return Instead{one, Instead::How::encoded, by};
                    };
                  }};
    effect.columns = columns;
    return fits(effect, effect.begin(), model, declared, call, Tensor({1, 2}, {first, second})).at(0).right;
  };
  EXPECT_TRUE(is_right({}, 5.5, 4.5));
  EXPECT_FALSE(is_right({}, 5.5, 4.25));
  EXPECT_TRUE(is_right({1}, 1.125, 4.5));
  EXPECT_FALSE(is_right({1}, 1.25, 4.5));
  EXPECT_FALSE(is_right({1}, 1.125, 4.25));
}

// Two queries, at 0 and 5, and two keys, at 0 and 3, of which the first query does not see the second.
TEST(CallDeviations, pass_over_what_a_mask_hides_from_each_query) {
  const Encoding causal = encoding_named("alibi").oracle(Case::parse("heads=1"));
  Call call;
  call.positions.whole = {0, 5}, call.keys.whole = {0, 3};
  const auto right_where = [&](std::size_t row, std::size_t column) {
    Tensor given = answer(causal, call);
    given.at(row, column) = 7;
    return explained(model_of(causal, all_f32), causal, {{{}, call, given}}).right;
  };
  EXPECT_EQ(right_where(0, 1), (std::vector<bool>{true, true}));
  EXPECT_EQ(right_where(1, 1), (std::vector<bool>{true, false}));
}

// Both entries may be off, so their difference by twice as much.
TEST(CallDeviations, count_rows_from_their_first_entry_where_a_constant_does_not_matter) {
  const Encoding any = encoding_named("alibi").oracle(Case::parse("heads=1 rows=any"));
  Call call;
  call.positions.whole = {5}, call.keys.whole = {0, 3};
  const auto right_by = [&](double off) {
    Tensor given = answer(any, call);
    given.at(0, 0) += 100 - off, given.at(0, 1) += 100 + off;
    return explains_all(allowing(any, [](double, Position) { return 0.5; }), any, {{{}, call, given}});
  };
  EXPECT_TRUE(right_by(0.5));
  EXPECT_FALSE(right_by(0.75));
}

TEST(CallDeviations, hold_nothing_where_any_answer_would_do) {
  const Encoding rope = encoding_named("sinusoidal").oracle(Case::parse("dim=4"));
  Call call;
  call.positions.whole = {7, 1000};
  const Model model =
      allowing(rope, [](double, Position) { return std::numeric_limits<double>::infinity(); });
  Tensor given = answer(rope, call);
  EXPECT_TRUE(explains_all(model, rope, {{{}, call, given}}));
  given.at(1, 2) += 1;
  EXPECT_FALSE(explains_all(model, rope, {{{}, call, given}}));
}

// What is said of answers at other positions, where that is allowed; everything is off by so much more.
std::string said_at(const Encoding& declared, const Function<Position(Position t, std::size_t tokens)>& other,
                    const Function<double(double largest, Position far)>& error, double off = 0,
                    const std::vector<std::vector<Position>>& rows = {{60, 64}, {70}, {101, 103, 102}}) {
  std::vector<Answered> answered;
  for (const std::vector<Position>& row : rows) {
    Call call, there;
    call.positions.whole = row;
    for (const Position t : row) there.positions.whole.push_back(other(t, row.size()));
    Tensor given = answer(declared, there);
    for (double& x : given.data) x += off;
    answered.push_back({{}, call, given});
  }
  const Encoding silent = answered_by(declared, [](const Call&) -> Tensor { throw Refusal("not asked"); });
  return call_deviation(allowing(declared, error), {"made", "", silent, all_f32}, declared, answered)
      .value_or("none");
}

TEST(CallDeviations, tell_what_is_allowed_less_than_a_quarter_of_a_row) {
  const Encoding table = encoding_named("sinusoidal").oracle(Case::parse("dim=2"));
  const auto ahead = [](Position t, std::size_t) { return t + 1; };
  EXPECT_EQ(said_at(table, ahead, [](double largest, Position) { return 0.24 * largest; }),
            "positions are one ahead");
  EXPECT_EQ(said_at(table, ahead, [](double largest, Position) { return 0.26 * largest; }), "none");
}

TEST(CallDeviations, allow_an_effect_the_error_of_where_it_leads_to) {
  const Encoding table = encoding_named("sinusoidal").oracle(Case::parse("dim=2"));
  const auto doubled = [](Position t, std::size_t) { return 2 * t; };
  const auto past = [](Position from) {
    return [from](double, Position far) { return far >= from ? 0.01 : 0; };
  };
  EXPECT_EQ(said_at(table, doubled, past(120), 0.005), "positions are doubled");
  EXPECT_EQ(said_at(table, doubled, past(150), 0.005), "none");
  // Where the declared answers are as near, nothing is explained: of rows that hardly differ.
  Table flat;
  flat.dim = 2;
  flat.rows = [](const Positions& positions, Position) {
    Tensor out({positions.size(), 2});
    for (std::size_t r = 0; r < out.rows(); ++r)
      out.at(r, 0) = 1000, out.at(r, 1) = 0x1p-10 * static_cast<double>(positions[r]);
    return out;
  };
  const auto wide = [](double, Position far) { return far >= 120 ? 1.0 : 0; };
  EXPECT_EQ(said_at(
                flat, [](Position t, std::size_t) { return t; }, wide, 0.5),
            "none");
  EXPECT_EQ(said_at(
                flat, [](Position t, std::size_t) { return 64 * t; }, wide, 0.5),
            "none");
}

// Of three tokens that are rotated by nothing; the first query begins with 1.
TEST(CallDeviations, allow_an_effect_on_queries_the_error_of_what_it_makes_of_them) {
  const Encoding declared =
      attention::reference_attention(encoding_named("none").oracle(Case::parse("dim=4")));
  Call call, doubled;
  call.mask = Mask({3, 3}, {1, 1, 1, 1, 1, 1, 1, 1, 1});
  call.contents = {Tensor({3, 4}, {1, 0, 2, 1, 0, 1, 1, 2, 2, 1, 0, 1}),
                   Tensor({3, 4}, {1, 2, 0, 1, 0, 1, 2, 1, 2, 0, 1, 0}),
                   Tensor({3, 4}, {1, 2, 3, 4, 4, 3, 2, 1, 2, 4, 1, 3})};
  doubled = call;
  for (double& x : doubled.contents.front().data) x *= 2;
  Tensor given = answer(declared, doubled);
  for (double& x : given.data) x += 0.005;
  const auto said = [&](double from) {
    const Model model{declared, [from](const Call& asked, const Tensor& expected, Position) {
                        Tensor out(expected.shape);
                        std::ranges::fill(out.data, asked.contents[0].data[0] >= from ? 0.01 : 0);
                        return out;
                      }};
    return call_deviation(model, {"made", "", declared, all_f32}, declared, {{{}, call, given}})
        .value_or("none");
  };
  EXPECT_EQ(said(2), "products of query and key are not divided by the root of the width");
  EXPECT_EQ(said(3), "none");
}

// Two rows that are wrong may be an accident.
TEST(CallDeviations, are_of_several_rows) {
  const Encoding table = encoding_named("sinusoidal").oracle(Case::parse("dim=2"));
  const auto exact = [](double, Position) { return 0.0; };
  const auto ahead = [](Position t, std::size_t) { return t + 1; };
  EXPECT_EQ(said_at(table, ahead, exact, 0, {{60, 64}}), "none");
  EXPECT_EQ(said_at(table, ahead, exact, 0, {{60, 64, 61}}), "positions are one ahead");
}

// Of two that explain as much the first; a position 0 is where it was, whatever the number of tokens.
TEST(CallDeviations, name_the_first_effect_and_the_calls_that_need_it) {
  const Encoding table = encoding_named("sinusoidal").oracle(Case::parse("dim=2"));
  const auto exact = [](double, Position) { return 0.0; };
  EXPECT_EQ(said_at(table, [](Position, std::size_t) { return 0; }, exact, 0, {{60}, {70}, {80}}),
            "positions count as 0");
  EXPECT_EQ(said_at(table, [](Position t, std::size_t tokens) { return tokens > 5 ? 2 * t : t; }, exact, 0,
                    {{0, 4, 3}, {0, 9}, {0, 8, 3, 1, 7}, {0, 5, 2, 9, 6, 3}, {0, 4, 9, 2, 5, 7, 3, 8}}),
            "in calls of more than 5 tokens: positions are doubled");
}

// Where a row of an answer stands.
struct Where {
  std::size_t batch, tokens, row, token;
  Position at;
  std::optional<Position> before, after;  // the neighbours' in the row
  Role role;
  bool is_farthest = true;  // of its row
  Position run_from = 0;    // of the positions before it that follow each other, the first
};
using Is = Function<bool(const Where&)>;
struct Place {
  std::string words;
  Is is;
};

// So many rows of so many tokens, at positions of which some follow each other.
Call call_of(const Encoding& declared, std::size_t batch, std::size_t tokens, Role role, Position shift) {
  Call call;
  call.batch = batch;
  call.role = role;
  for (std::size_t n = 0; n < batch * tokens; ++n)
    call.positions.whole.push_back(shift + static_cast<Position>(n % 3 == 2 ? 7 * n + 40 : 7 * (n / 3) + n));
  if (signature(declared).has(Axis::key)) call.keys.whole = {5000, 6000};
  if (std::holds_alternative<Rotary>(declared)) {
    Tensor x({batch, 1, tokens, 2});
    for (std::size_t e = 0; e < x.data.size(); ++e) x.data[e] = 1 + static_cast<double>(e % 3);
    call.contents = {x};
  }
  return call;
}

// What is said where the answers are 0 in a place, and else as declared.
std::string said_of_zeros(const Encoding& declared, const std::vector<Call>& calls, const Is& is) {
  std::vector<Answered> answered;
  for (const Call& call : calls) {
    Tensor out = answer(declared, call);
    const std::size_t tokens = call.positions.size() / call.batch;
    for (std::size_t r = 0; r < out.rows(); ++r) {
      const std::size_t row = r / tokens, token = r % tokens;
      const auto at = [&](std::size_t n) { return call.positions.whole[row * tokens + n]; };
      Where where{call.batch, tokens, row, token, at(token), {}, {}, call.role};
      if (token > 0) where.before = at(token - 1);
      if (token + 1 < tokens) where.after = at(token + 1);
      for (std::size_t n = 0; n < tokens; ++n) where.is_farthest = where.is_farthest && at(n) <= at(token);
      std::size_t from = token;
      while (from > 0 && at(from - 1) + 1 == at(from)) --from;
      where.run_from = at(from);
      if (is(where)) std::ranges::fill(out.row(r), 0.0);
    }
    answered.push_back({{}, call, out});
  }
  const Encoding silent = answered_by(declared, [](const Call&) -> Tensor { throw Refusal("not asked"); });
  return call_deviation(model_of(declared, all_f32), {"made", "", silent, all_f32}, declared, answered)
      .value_or("none");
}

// Each place is told from all that come before it.
void expect_places(const Encoding& declared, const std::vector<Call>& calls,
                   const std::vector<Place>& places) {
  for (const auto& [words, is] : places)
    EXPECT_EQ(said_of_zeros(declared, calls, is), words + "the answer is 0");
}

const std::vector<std::size_t> sizes = {1,  1,  1,  2,  3,  5,   6,   9,   12, 17,
                                        24, 33, 48, 65, 96, 129, 192, 257, 520};

std::vector<Place> of_many_tokens() {
  std::vector<Place> out;
  for (const std::size_t block : {2, 4, 8, 16, 32, 64, 128, 256}) {
    const std::string n = std::to_string(block);
    out.push_back(
        {"in calls of more than " + n + " tokens, past the last multiple of " + n + ": ",
         [=](const Where& w) { return w.tokens > block && w.token >= w.tokens - w.tokens % block; }});
    const bool two = block == 2;
    out.push_back({two ? "where the number of tokens is odd, the last of them: "
                       : "tokens past the last multiple of " + n + ": ",
                   [=](const Where& w) { return w.token >= w.tokens - w.tokens % block; }});
    if (block < 128)
      out.push_back({two ? "where the number of tokens is odd: "
                         : "where the number of tokens is no multiple of " + n + ": ",
                     [=](const Where& w) { return w.tokens % block != 0; }});
    if (!two)
      out.push_back(
          {"every token from number " + n + " on: ", [=](const Where& w) { return w.token >= block; }});
    if (block < 128)
      out.push_back({"where the number of tokens is a multiple of " + n + ": ",
                     [=](const Where& w) { return w.tokens % block == 0; }});
  }
  return out;
}

TEST(CallDeviations, name_the_place_of_a_rotated_token) {
  const Encoding rope = encoding_named("rope").oracle(Case::parse("dim=2"));
  std::vector<Call> calls;
  for (const std::size_t batch : {1, 2, 3})
    for (const std::size_t tokens : {1, 2, 3, 4, 5})
      for (const Role role : {Role::query, Role::key})
        for (const Position shift : {-9, 0, 20}) calls.push_back(call_of(rope, batch, tokens, role, shift));
  const auto is_key = [](const Where& w) { return w.role == Role::key; };
  const auto one = [](const Where& w) { return w.tokens == 1; };
  const auto later = [](const Where& w) { return w.row > 0; };
  const auto last = [](const Where& w) { return w.token + 1 == w.tokens; };
  expect_places(
      rope, calls,
      {{"", [](const Where&) { return true; }},
       {"in calls of one token a row: ", one},
       {"in calls of several tokens a row: ", [=](const Where& w) { return !one(w); }},
       {"keys: ", is_key},
       {"queries: ", [=](const Where& w) { return !is_key(w); }},
       {"in a batch of several rows: ", [](const Where& w) { return w.batch > 1; }},
       {"in a batch of one row: ", [](const Where& w) { return w.batch == 1; }},
       {"in batch rows after the first: ", later},
       {"in the first batch row: ", [=](const Where& w) { return !later(w); }},
       {"in the last of several batch rows: ",
        [](const Where& w) { return w.batch > 1 && w.row + 1 == w.batch; }},
       {"in every second batch row, from the second on: ", [](const Where& w) { return w.row % 2 == 1; }},
       {"with one token a row, in batch rows after the first: ",
        [=](const Where& w) { return one(w) && later(w); }},
       {"keys in calls of one token a row: ", [=](const Where& w) { return one(w) && is_key(w); }},
       {"queries in calls of one token a row: ", [=](const Where& w) { return one(w) && !is_key(w); }},
       {"the first token of a row: ", [](const Where& w) { return w.token == 0; }},
       {"every token after the first: ", [](const Where& w) { return w.token > 0; }},
       {"the last token of a row: ", last},
       {"the last of several tokens: ", [=](const Where& w) { return last(w) && !one(w); }},
       {"tokens beside which no neighbouring position stands, each a call of "
        "its own where an offset is taken: ",
        [](const Where& w) { return w.before != w.at - 1 && w.after != w.at + 1; }},
       {"every token but the last of a row: ", [=](const Where& w) { return !last(w); }},
       {"tokens of a run of positions that begins past 0, each run a call of its own where an offset is taken: ",
        [](const Where& w) { return w.run_from > 0; }},
       {"the token at the largest position of a row: ", [](const Where& w) { return w.is_farthest; }},
       {"at position 0: ", [](const Where& w) { return w.at == 0; }},
       {"every second token, from the second on: ", [](const Where& w) { return w.token % 2 == 1; }},
       {"at odd positions: ", [](const Where& w) { return w.at % 2 != 0; }},
       {"at negative positions: ", [](const Where& w) { return w.at < 0; }}});
}

// Of three heads: rows of x that lie in memory in some way, and those that a block leaves over, counted in
// two ways.
TEST(CallDeviations, name_rows_by_how_x_lies_in_memory) {
  const Encoding declared = encoding_named("rope").oracle(Case::parse("dim=2 heads=3"));
  struct RowOfX {
    std::string_view arrays;
    std::size_t rows, of_heads, of_tokens;  // all of them, and the numbers of one, by head or by token first
  };
  const auto said = [&](const Function<bool(const RowOfX&)>& is_left) {
    std::vector<Answered> answered;
    for (const std::size_t batch : {1, 2, 3})
      for (const std::size_t tokens : {1, 2, 3, 5, 7})
        for (const Position shift : {1, 20, 35}) {
          Call call = call_of(declared, batch, tokens, Role::query, shift);
          Tensor x({batch, 3, tokens, 2});
          for (std::size_t e = 0; e < x.data.size(); ++e) x.data[e] = 1 + static_cast<double>(e % 3);
          call.contents = {x};
          Tensor given = answer(declared, call);
          for (std::size_t b = 0; b < batch; ++b)
            for (std::size_t h = 0; h < 3; ++h)
              for (std::size_t t = 0; t < tokens; ++t) {
                const std::size_t r = (b * 3 + h) * tokens + t;
                if (is_left({arrays_of(call, x.shape), x.rows(), r, (b * tokens + t) * 3 + h}))
                  std::ranges::copy(x.row(r), given.row(r).begin());
              }
          answered.push_back({{}, call, given});
        }
    const Encoding silent = answered_by(declared, [](const Call&) -> Tensor { throw Refusal("not asked"); });
    return call_deviation(model_of(declared, all_f32), {"made", "", silent, all_f32}, declared, answered)
        .value_or("none");
  };
  const std::string stay = ": tokens stay as they are, as at position 0";
  EXPECT_EQ(said([](const RowOfX& r) { return !r.arrays.empty(); }), "where x is not contiguous" + stay);
  EXPECT_EQ(said([](const RowOfX& r) { return r.arrays == "slice"; }),
            "where x is a slice of wider rows" + stay);
  EXPECT_EQ(said([](const RowOfX& r) { return r.arrays == "transposed"; }),
            "where x lies in memory as [batch, n, heads, dim]" + stay);
  for (const std::size_t block : {2, 4, 8, 16, 32}) {
    const std::string past = fmt::format(", dim], those past the last multiple of {}", block) + stay;
    EXPECT_EQ(said([=](const RowOfX& r) { return r.of_heads >= r.rows - r.rows % block; }),
              "of x as rows, [batch heads n" + past);
    if (block == 2) continue;  // of an odd number the last one is the same
    EXPECT_EQ(said([=](const RowOfX& r) { return r.of_tokens >= r.rows - r.rows % block; }),
              "of x as rows, [batch n heads" + past);
  }
}

// What a program that takes positions in this way answers where padding counts.
TEST(CallDeviations, name_padding_that_counts_where_a_mask_is_taken) {
  const auto said = [](const Encoding& declared, const std::string& takes_positions) {
    const Steps padded = effects_of_padding(true).front().begin();
    std::vector<Answered> answered;
    for (const std::size_t tokens : {1, 2, 3, 4, 5, 9}) {
      Call call = call_of(declared, 1, tokens, Role::query, 0);
      for (std::size_t n = 0; n < tokens; ++n) call.positions.whole[n] = static_cast<Position>(n);
      answered.push_back({{}, call, answer(declared, padded(call, 0, 1).call)});
    }
    Subject subject{"made", "", answered_by(declared, [](const Call&) -> Tensor { throw Refusal("no"); }),
                    all_f32};
    subject.takes_positions = takes_positions;
    return call_deviation(model_of(declared, all_f32), subject, declared, answered).value_or("none");
  };
  for (const std::string family : {"rope", "sinusoidal"}) {
    const Encoding declared = encoding_named(family).oracle(Case::parse("dim=2"));
    EXPECT_EQ(said(declared, "mask"),
              "padding counts: the position of a token is its column in the padded row");
    EXPECT_EQ(said(declared, "sequence"), "none");
  }
}

// Padding has a row of its own, and is given that of a column.
TEST(CallDeviations, name_padding_that_has_positions_too) {
  const Encoding declared =
      encoding_named("learned").oracle(Case::parse("dim=2 length=64 table=seeded offset=2 padding_row=1"));
  const Steps padded = effects_of_padding(false).back().begin();
  std::vector<Answered> answered;
  for (const std::size_t tokens : {2, 3, 4, 5, 9}) {
    Call call = call_of(declared, 1, tokens, Role::query, 0);
    for (std::size_t n = 0; n < tokens; ++n) call.positions.whole[n] = static_cast<Position>(n) - 1;
    answered.push_back({{}, call, answer(declared, padded(call, 0, 1).call)});
  }
  Subject subject{"made", "", answered_by(declared, [](const Call&) -> Tensor { throw Refusal("no"); }),
                  all_f32};
  subject.takes_positions = "mask";
  EXPECT_EQ(call_deviation(model_of(declared, all_f32), subject, declared, answered),
            "padding counts, and has positions, too: a position is a column of the padded row");
}

// Past so many threads of a block, one a token, nothing is done. Where a call begins at 0, the token after a
// multiple of 512 others may look as if it had the position of the first.
TEST(CallDeviations, name_the_first_token_that_is_left_alone) {
  const Encoding declared = encoding_named("rope").oracle(Case::parse("dim=2"));
  const auto said = [&](std::size_t right, std::size_t left, Position far) {
    std::vector<Answered> answered;
    for (const Position first : {Position{0}, far, Position{17}})
      for (const std::size_t tokens : {3, 303, 1025}) {
        Call call = call_of(declared, 1, tokens, Role::query, first);
        for (std::size_t n = 0; n < tokens; ++n) call.positions.whole[n] = first + static_cast<Position>(n);
        Tensor given = answer(declared, call);
        for (std::size_t n = right; n < std::min(tokens, left); ++n)
          std::ranges::copy(call.contents.front().row(n), given.row(n).begin());
        answered.push_back({{}, call, given});
      }
    const Subject silent{"made", "",
                         answered_by(declared, [](const Call&) -> Tensor { throw Refusal("no"); }), all_f32};
    return call_deviation(model_of(declared, all_f32), silent, declared, answered).value_or("none");
  };
  EXPECT_EQ(said(1024, 1025, 0),
            "every token from number 1024 on: tokens stay as they are, as at position 0");
  EXPECT_EQ(said(1000, 1025, 5),
            "every token from number 1000 on: tokens stay as they are, as at position 0");
  EXPECT_EQ(said(1000, 1024, 5), "none");  // but not the last one
}

// What a block of 1024 leaves over: 1 token of 1,025, and 1 of 2,049, where the first 2,048 are right.
TEST(CallDeviations, name_the_rest_of_a_thousand_tokens_that_is_left_alone) {
  const Encoding declared = encoding_named("rope").oracle(Case::parse("dim=2"));
  std::vector<Answered> answered;
  for (const Position first : {0, 17, 5})
    for (const std::size_t tokens : {3, 303, 1025, 2049}) {
      Call call = call_of(declared, 1, tokens, Role::query, first);
      for (std::size_t n = 0; n < tokens; ++n) call.positions.whole[n] = first + static_cast<Position>(n);
      Tensor given = answer(declared, call);
      if (tokens > 1024)
        std::ranges::copy(call.contents.front().row(tokens - 1), given.row(tokens - 1).begin());
      answered.push_back({{}, call, given});
    }
  const Subject silent{"made", "", answered_by(declared, [](const Call&) -> Tensor { throw Refusal("no"); }),
                       all_f32};
  EXPECT_EQ(call_deviation(model_of(declared, all_f32), silent, declared, answered),
            "in calls of more than 512 or 1024 tokens, past the last multiple of that: tokens stay as they "
            "are, as at position 0");
}

// The shortest wrong call is tried first, whichever it is: its rows are those that are wrong there, and what
// remembers is asked all calls in their order.
TEST(CallDeviations, are_tried_in_the_shortest_wrong_call) {
  const Encoding declared = encoding_named("rope").oracle(Case::parse("dim=2"));
  const Subject silent{"made", "", answered_by(declared, [](const Call&) -> Tensor { throw Refusal("no"); }),
                       all_f32};
  const auto at = [&](std::size_t batch, std::size_t tokens, Position first) {
    return call_of(declared, batch, tokens, Role::query, first);
  };
  const auto said = [&](const std::vector<Answered>& answered, const Effect& effect) {
    return call_deviation(model_of(declared, all_f32), silent, declared, answered, {{effect}})
        .value_or("none");
  };
  // In the first token of each row, of 3 rows of 1 token and of 1 row of 2.
  std::vector<Answered> doubled;
  for (const Call& call : {at(3, 1, 5), at(1, 2, 9)}) {
    Call other = call;
    for (std::size_t row = 0; row < call.batch; ++row)
      other.positions.whole[row * call.positions.size() / call.batch] *= 2;
    doubled.push_back({{}, call, answer(declared, other)});
  }
  const std::string found =
      said(doubled,
           effect_on_positions("positions are doubled", [](const TokenOf& token) { return 2 * token.at; }));
  EXPECT_NE(found.find("the first token"), std::string::npos) << found;
  // The positions of the first call stay for all later ones.
  const Call first = at(1, 3, 5);
  std::vector<Answered> kept;
  for (const Call& call : {first, at(1, 3, 50), at(1, 3, 90)}) {
    Call other = call;
    other.positions = first.positions;
    kept.push_back({{}, call, answer(declared, other)});
  }
  Effect stays{"positions stay", [] {
                 return [all = std::make_shared<std::optional<TokenPositions>>()](const Call& call,
                                                                                  std::size_t, std::size_t) {
                   if (!*all) *all = call.positions;
                   Instead out{call};
                   out.call.positions = **all;
                   return out;
                 };
               }};
  stays.remembers = true;
  EXPECT_EQ(said(kept, stays), "positions stay");
}

TEST(CallDeviations, name_the_place_of_a_row_of_a_table) {
  const Encoding table = encoding_named("sinusoidal").oracle(Case::parse("dim=2"));
  std::vector<Call> calls;
  for (std::size_t n = 0; n < sizes.size(); ++n)
    calls.push_back(call_of(table, 1, sizes[n], Role::query, 3 + static_cast<Position>(n)));
  std::vector<Place> places = of_many_tokens();
  places.push_back({"in calls of one token: ", [](const Where& w) { return w.tokens == 1; }});
  places.push_back({"in calls of several tokens: ", [](const Where& w) { return w.tokens > 1; }});
  places.push_back({"the first token: ", [](const Where& w) { return w.token == 0; }});
  places.push_back({"the last of several tokens: ",
                    [](const Where& w) { return w.tokens > 1 && w.token + 1 == w.tokens; }});
  // From a number of tokens on, which may be any between two calls.
  places.push_back({"in calls of more than 5 tokens: ", [](const Where& w) { return w.tokens >= 6; }});
  places.push_back({"in calls of more tokens than some number from 9 to 11: ",
                    [](const Where& w) { return w.tokens >= 10; }});
  expect_places(table, calls, places);
}

TEST(CallDeviations, name_the_place_of_a_query) {
  const Encoding bias = encoding_named("alibi").oracle(Case::parse("heads=1 form=symmetric"));
  std::vector<Call> calls;
  for (const std::size_t queries : {1, 2, 3, 4})
    for (const Position shift : {3, 20, 31}) calls.push_back(call_of(bias, 1, queries, Role::query, shift));
  expect_places(bias, calls,
                {{"in calls of one query: ", [](const Where& w) { return w.tokens == 1; }},
                 {"in calls of several queries: ", [](const Where& w) { return w.tokens > 1; }},
                 {"the first query: ", [](const Where& w) { return w.token == 0; }},
                 {"every query after the first: ", [](const Where& w) { return w.token > 0; }},
                 {"the last query: ", [](const Where& w) { return w.token + 1 == w.tokens; }},
                 {"the last of several queries: ",
                  [](const Where& w) { return w.tokens > 1 && w.token + 1 == w.tokens; }}});
}

// A cache whose rows are found by |t|. Where one of them has another row it is none.
TEST(CallDeviations, of_positions_below_0) {
  const EncodingSpec& spec = encoding_named("rope");
  Rotary truth = as<Rotary>(spec.oracle(with(spec, Case::parse("dim=16 heads=2"))));
  truth.positions.lo = -5000, truth.positions.hi = 5000;
  const Encoding declared = truth;
  const auto said = [&](const Function<Position(Position)>& other) {
    const Encoding wrong = answered_by(declared, [=](const Call& asked) {
      Call call = asked;
      for (Position& t : call.positions.whole) t = other(t);
      return answer(declared, call);
    });
    const Subject subject{"made", "", wrong, all_f32};
    return call_deviation(model_of(declared, all_f32), subject, declared,
                          answers_of(subject, declared, Case{}, 1))
        .value_or("nothing");
  };
  EXPECT_EQ(said([](Position t) { return std::abs(t); }), "positions below 0 count as their absolute value");
  EXPECT_EQ(said([](Position t) { return std::max(t, Position{0}); }), "positions below 0 count as 0");
  EXPECT_EQ(said([](Position t) { return t < 0 ? 1 - t : t; }), "nothing");
  EXPECT_EQ(said([](Position t) { return std::clamp<Position>(t, -500, 500); }),
            "positions past 500 count as 500, and those below -500 as -500");
  EXPECT_EQ(said([](Position t) { return std::min<Position>(std::abs(t), 500); }),
            "positions count as their absolute value, 500 at most");
  EXPECT_EQ(said([](Position t) { return t < 0 ? std::min<Position>(-t, 8) : t; }),
            "positions below 0 count as their absolute value, 8 at most");
}

// Of eight heads of queries and two of keys, each asked for as eight.
TEST(CallDeviations, number_heads_as_the_subject_has_them) {
  const EncodingSpec& spec = encoding_named("rope");
  const Encoding declared = spec.oracle(with(spec, Case::parse("dim=16 heads=8")));
  // Where tokens are not rotated.
  const auto said = [&](Role role, std::size_t every) {
    const Encoding wrong = answered_by(declared, [=](const Call& asked) {
      Tensor out = answer(declared, asked);
      const Tensor& x = asked.contents.front();
      const std::size_t n = out.shape[2];
      for (std::size_t r = 0; r < out.rows(); ++r)
        if (asked.role == role && r / n % 8 % every == 1) std::ranges::copy(x.row(r), out.row(r).begin());
      return out;
    });
    Subject subject{"made", "", wrong, all_f32};
    subject.own_heads = {8, 2};
    return call_deviation(model_of(declared, all_f32), subject, declared,
                          answers_of(subject, declared, Case{}, 1), {.joint = true})
        .value_or("nothing");
  };
  EXPECT_EQ(said(Role::key, 2), "keys, key head 1 of 2: tokens stay as they are, as at position 0");
  EXPECT_EQ(said(Role::query, 8), "queries, head 1 of 8: tokens stay as they are, as at position 0");
}

// Of three rows of five: what is read by another extent, and what is read one place beside.
TEST(CallDeviations, know_what_is_done_to_the_places_of_a_grid) {
  Table declared{.dim = 1, .positions = Domain(0, 4)};
  declared.positions.axes = 2, declared.positions.last_on_axis = {2, 4};
  declared.rows = [](const Positions& at, Position) {
    Tensor out({at.size(), 1});
    for (std::size_t r = 0; r < at.size(); ++r) out.at(r, 0) = 5 * at.at(r, 0) + at.at(r, 1);
    return out;
  };
  const auto all = all_effects(model_of(declared, all_f32), {"made", "", declared, all_f32}, declared);
  for (const std::string words : {"each place counts as the one before it, row by row; the first as itself",
                                  "tokens are numbered in rows of 5, and read in rows of 3"})
    EXPECT_EQ(std::ranges::count(all, words, &Effect::words), 1) << words;
}

// The first wrong number is sought along every axis.
TEST(CallDeviations, begin_where_the_numbers_of_any_axis_are_wrong) {
  const EncodingSpec& spec = encoding_named("axial_rope");
  const Encoding declared = spec.oracle(with(spec, Case::parse("dim=8 heads=1")));
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const Encoding wrong = answered_by(declared, [=](const Call& call) {
      Call other = call;
      for (std::size_t n = axis; n < other.positions.whole.size(); n += 2)
        other.positions.whole[n] = std::min<Position>(other.positions.whole[n], 36);
      return answer(declared, other);
    });
    const std::string words =
        std::string(axis == 0 ? "of the row" : "of the column") + ": positions past 36 count as 36";
    const auto all = all_effects(model_of(declared, all_f32), {"made", "", wrong, all_f32}, declared);
    EXPECT_TRUE(std::ranges::any_of(all, [&](const Effect& one) { return one.words == words; })) << words;
  }
}

}  // namespace
}  // namespace posproof::call_deviations_test
