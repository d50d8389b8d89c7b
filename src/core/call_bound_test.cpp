#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/by_row.h"
#include "core/call.h"
#include "core/error.h"
#include "core/term.h"
#include "testing/each_entry.h"

// How far an answer may be off, entry by entry, and which entry says most against it.
namespace posproof::call_bound_test {
namespace {

using Row = std::span<const double>;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = no_ceiling;

Tensor of(Shape shape, std::vector<double> values) {
  return {std::move(shape), std::move(values)};
}

TEST(Bound, of_entries_from_a_table_is_two_units_of_each) {
  const Table table{.dim = 2};
  const Call call{.positions = {{7, 3}}, .length = 8};
  const Bound found = bound(table, call, of({2, 2}, {1, -2, 0, nan}), all_f32);
  EXPECT_EQ(found.error, of({2, 2}, {2 * unit_f32, 4 * unit_f32, 0, 0}));
  EXPECT_EQ(found.ceiling, of({2, 2}, {infinity, infinity, infinity, infinity}));
}

TEST(Bound, of_a_ladder_is_that_of_each_rows_position_and_at_most_from_minus_to_plus_its_amplitude) {
  const Table table{.dim = 2, .pairs = {{0, 1, 0.5}}, .amplitude = 3};
  const Call call{.positions = {{7, 300}}, .length = 301};
  const Tensor rows = of({2, 2}, {1, 2, -1, 0});
  const Bound found = bound(table, call, rows, all_f32);
  for (const std::size_t r : {0u, 1u}) {
    const auto expected = row_error(table, all_f32, call.positions.whole[r], rows.row(r));
    for (const std::size_t c : {0u, 1u}) EXPECT_EQ(found.error.at(r, c), expected[c]) << r << " " << c;
  }
  EXPECT_GT(found.error.at(1, 0), 2 * found.error.at(0, 0));
  EXPECT_EQ(found.ceiling, of({2, 2}, {6, 6, 6, 6}));
}

// Two batch rows of two heads of two tokens: each has the position of its token in its row, whatever the
// head.
TEST(Bound, of_a_rotation_is_that_of_each_tokens_content_and_position) {
  const Rotary rotary{.dim = 3, .heads = 2, .pairs = {{0, 2, 0.25}}, .amplitude = 2};
  Tensor x({2, 2, 2, 3});
  for (std::size_t n = 0; n < x.data.size(); ++n) x.data[n] = static_cast<double>(n + 1);
  const Call call{.batch = 2, .positions = {{5, 60, 700, 8000}}, .contents = {x}};
  const Bound found = bound(rotary, call, x, all_f32);
  const std::vector<Position> at = {5, 60, 5, 60, 700, 8000, 700, 8000};
  for (std::size_t r = 0; r < 8; ++r) {
    const auto expected = rotated_error(rotary, all_f32, at[r], x.row(r));
    for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(found.error.at(r, c), expected[c]) << r << " " << c;
    const double both = 4 * std::hypot(x.at(r, 0), x.at(r, 2));
    EXPECT_EQ(found.error.at(r, 1), 0) << "in no pair";
    EXPECT_EQ(found.ceiling.at(r, 0), both);
    EXPECT_EQ(found.ceiling.at(r, 1), infinity) << "in no pair";
    EXPECT_EQ(found.ceiling.at(r, 2), both);
  }
}

// In bf16 over f32 a small sine is allowed a rounding of its own size, and in proportion to its pair as much
// as a cosine; in f32 nothing is kept in fewer bits.
TEST(Bound, of_what_is_kept_in_16_bits_is_in_proportion_to_the_entry) {
  const Precision bf16 = Precision::parse("bf16");
  const Table table{.dim = 2, .pairs = {{0, 1, 1e-3}}};
  const Call at_one{.positions = {{1}}};
  const Tensor row = of({1, 2}, {1e-3, 1});
  const Tensor by_pair = bound(table, at_one, row, bf16, InProportionTo::pair).error,
               by_entry = bound(table, at_one, row, bf16).error;
  const double before = by_pair.at(0, 0) - unit_bf16;
  EXPECT_EQ(by_pair.at(0, 1), by_pair.at(0, 0));
  EXPECT_DOUBLE_EQ(by_entry.at(0, 0), before + (1e-3 + before) * unit_bf16);
  EXPECT_EQ(by_entry.at(0, 1), by_pair.at(0, 1));
  EXPECT_EQ(bound(table, at_one, row, all_f32).error,
            bound(table, at_one, row, all_f32, InProportionTo::pair).error);

  // Of a rotation the same, wherever its channels stand in the answer.
  const Call rotated{.batch = 1, .positions = {{1}}, .contents = {of({1, 1, 1, 2}, {1, 0})}};
  const Rotary plain{.dim = 2, .pairs = {{0, 1, 1e-3}}};
  Rotary turned_round = plain;
  turned_round.order = {1, 0};
  const Tensor one = bound(plain, rotated, of({1, 1, 1, 2}, {1, 1e-3}), bf16).error,
               other = bound(turned_round, rotated, of({1, 1, 1, 2}, {1e-3, 1}), bf16).error;
  EXPECT_LT(100 * one.data[1], one.data[0]);
  EXPECT_EQ(other.data, (std::vector<double>{one.data[1], one.data[0]}));
}

// The frequencies of a call are those of its largest position, which is the batch's or each row's own.
TEST(Bound, of_a_rotation_that_depends_on_its_call_is_that_of_the_longest_row_or_of_each) {
  Rotary rotary{.dim = 2, .heads = 2, .pairs = {{0, 1, 0.25}}};
  rotary.in_call = [](Position last) {
    return std::make_shared<const Rotary>(
        Rotary{.dim = 2, .heads = 2, .pairs = {{0, 1, 1 / static_cast<double>(last)}}, .amplitude = 3});
  };
  const Tensor x({2, 2, 1, 2}, std::vector<double>(8, 1));
  const Call call{.batch = 2, .positions = {{60, 8000}}, .contents = {x}};
  for (const bool each : {false, true}) {
    const Bound found = bound(each ? by_row(rotary) : rotary, call, x, all_f32);
    for (std::size_t r = 0; r < 4; ++r) {
      const Position t = r < 2 ? 60 : 8000;
      const auto expected = rotated_error(*rotary.in_call(each ? t : 8000), all_f32, t, x.row(r));
      EXPECT_EQ(found.error.at(r, 1), expected[1]) << each << " " << r;
      EXPECT_EQ(found.ceiling.at(r, 0), 6 * std::hypot(1, 1));
    }
  }
}

TEST(Bound, of_a_bias_is_that_of_the_slope_of_its_head) {
  const Bias bias{.heads = 2, .slopes = {0.5, 0.3}};
  const Call call{.positions = {{0, 4}}, .keys = {{0, 1, 2}}};
  Tensor entries({2, 2, 3});
  for (std::size_t n = 0; n < 12; ++n) entries.data[n] = -static_cast<double>(n);
  const Bound found = bound(bias, call, entries, all_f32);
  for (std::size_t n = 0; n < 12; ++n) {
    EXPECT_EQ(found.error.data[n], bias_error(all_f32, -static_cast<double>(n), bias, n / 6)) << n;
    EXPECT_EQ(found.ceiling.data[n], infinity);
  }
}

TEST(Bound, of_logits_is_what_the_encoding_says_of_each_query_and_key) {
  Contextual logits{.dim = 1, .heads = 2};
  logits.error = [](Row q, Row k, Row i, Row j, const Precision& p) {
    return 1000 * q[0] + 100 * k[0] + 10 * i[0] + j[0] + p.result;
  };
  const Call call{
      .positions = {{1, 2}}, .keys = {{3, 4, 5}}, .contents = {of({2, 1}, {6, 7}), of({3, 1}, {8, 9, 10})}};
  const Bound found = bound(logits, call, Tensor({2, 2, 3}), all_f32);
  for (const std::size_t h : {0u, 1u})
    for (const std::size_t i : {0u, 1u})
      for (const std::size_t j : {0u, 1u, 2u})
        EXPECT_EQ(found.error.at(2 * h + i, j),
                  1000 * (6.0 + static_cast<double>(i)) + 100 * (8.0 + static_cast<double>(j)) +
                      10 * (1.0 + static_cast<double>(i)) + 3.0 + static_cast<double>(j) + unit_f32);
}

// Of places on a grid, whose numbers are those of their token.
TEST(Bound, of_logits_on_a_grid_has_every_number_of_both_places) {
  Contextual logits{.dim = 1};
  logits.error = [](Row, Row, Row i, Row j, const Precision&) {
    return 1000 * i[0] + 100 * i[1] + 10 * j[0] + j[1];
  };
  const Call call{.positions = {.whole = {1, 2, 3, 4}, .axes = 2},
                  .keys = {.whole = {5, 6, 7, 8}, .axes = 2},
                  .contents = {Tensor({2, 1}), Tensor({2, 1})}};
  EXPECT_EQ(bound(logits, call, Tensor({1, 2, 2}), all_f32).error.data,
            (std::vector<double>{1256, 1278, 3456, 3478}));
}

// A logit of content 0 cannot come out otherwise.
TEST(Bound, of_logits_has_no_room_where_answer_and_error_are_0) {
  Contextual logits{.dim = 1, .heads = 1};
  logits.error = [](Row q, Row, Row, Row, const Precision&) { return q[0]; };
  const Call call{.positions = {{0, 1}}, .keys = {{0, 1}}, .contents = {of({2, 1}, {0, 2}), Tensor({2, 1})}};
  EXPECT_EQ(bound(logits, call, of({1, 2, 2}, {0, 1, 0, 1}), all_f32).ceiling,
            of({1, 2, 2}, {0, infinity, infinity, infinity}));
}

TEST(Bound, of_an_operator_is_its_own_and_at_most_the_spread_of_the_values) {
  Attention attention{.dim = 1, .value_dim = 2};
  attention.errors = testing::each_entry(
      [](const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, const Precision& p) {
        return q.data[0] + 10 * k.data[0] + 100 * v.data[0] + 1000 * mask.data[0] + p.result;
      });
  const Call call{.contents = {of({1, 1}, {2}), of({2, 1}, {3, 0}), of({2, 2}, {4, -5, 0, 9})},
                  .mask = of({1, 2}, {1, 1})};
  const Bound found = bound(attention, call, Tensor({1, 2}), all_f32);
  EXPECT_EQ(found.error, of({1, 2}, {1432 + unit_f32, 1432 + unit_f32}));
  EXPECT_EQ(found.ceiling, of({1, 2}, {14, 14}));
}

TEST(Bound, of_nothing_is_nothing) {
  const Bias bias{.heads = 2};
  EXPECT_EQ(bound(bias, {}, Tensor({2, 0, 0}), all_f32).error, Tensor({2, 0, 0}));
}

TEST(Bound, times_a_factor_is_that_of_the_errors) {
  Bound two{of({1, 2}, {1, 3}), of({1, 2}, {5, 7})};
  two *= 2;
  EXPECT_EQ(two.error, of({1, 2}, {2, 6}));
  EXPECT_EQ(two.ceiling, of({1, 2}, {5, 7}));
}

// Two heads, queries at 4 and 9, keys at 4, 6 and 9.
Call pairs() {
  return {.positions = {{4, 9}}, .keys = {{4, 6, 9}}};
}
Tensor entries() {
  Tensor out({2, 2, 3});
  for (std::size_t n = 0; n < 12; ++n) out.data[n] = static_cast<double>(n * n);
  return out;
}
// Entry n is allowed (n + 1) / 64 and at most n + 1.
Bound rising() {
  Bound out{Tensor({2, 2, 3}), Tensor({2, 2, 3})};
  for (std::size_t n = 0; n < 12; ++n) {
    out.error.data[n] = static_cast<double>(n + 1) / 64;
    out.ceiling.data[n] = static_cast<double>(n + 1);
  }
  return out;
}

TEST(Comparison, holds_each_entry_against_its_own_bound) {
  const Bias bias{.heads = 2};
  for (std::size_t n = 0; n < 12; ++n)
    for (const double sign : {-1.0, 1.0}) {
      Tensor there = entries();
      there.data[n] += sign * 0.5;
      const Comparison found = compare(bias, pairs(), there, entries(), rising());
      EXPECT_EQ(found.at, n);
      EXPECT_EQ(found.worst.error, 0.5);
      EXPECT_EQ(found.worst.bound, static_cast<double>(n + 1) / 64);
      EXPECT_EQ(found.worst.ceiling, static_cast<double>(n + 1));
    }
}

// Entry 1 is off by 8 of its bounds, entry 9 by more but by fewer bounds.
TEST(Comparison, finds_the_largest_share_of_a_bound_and_not_the_largest_error) {
  const Bias bias{.heads = 2};
  Tensor there = entries();
  there.data[1] += 0.25, there.data[9] -= 0.75;
  const Comparison found = compare(bias, pairs(), there, entries(), rising());
  EXPECT_EQ(found.at, 1u);
  EXPECT_EQ(found.worst.error, 0.25);
}

// Entry 2 is off by as much as entry 9 and is allowed less.
TEST(Comparison, of_two_errors_of_one_size_finds_the_one_that_is_allowed_less) {
  const Bias bias{.heads = 2};
  Bound falling = rising();
  std::reverse(falling.error.data.begin(), falling.error.data.end());
  Tensor there = entries();
  there.data[2] += 0.5, there.data[9] += 0.5;
  EXPECT_EQ(compare(bias, pairs(), there, entries(), rising()).at, 2u);
  EXPECT_EQ(compare(bias, pairs(), there, entries(), falling).at, 9u);
}

// Where nothing is off, the first entry that could have been.
TEST(Comparison, of_the_same_answers_is_not_vacuous) {
  const Bias bias{.heads = 2};
  const Residual same = compare(bias, pairs(), entries(), entries(), rising()).worst;
  EXPECT_EQ(same.error, 0);
  EXPECT_FALSE(same.vacuous());
  EXPECT_TRUE(compare(bias, {}, Tensor({2, 0, 0}), Tensor({2, 0, 0}), {}).worst.vacuous());
}

// Entries relative to the key at the query's own position: entries 0, 5, 6 and 11.
TEST(Comparison, relative_to_a_querys_own_key_adds_both_bounds) {
  const Bias bias{.heads = 2, .modulo_rows = true};
  const std::vector<std::size_t> own = {0, 0, 0, 5, 5, 5, 6, 6, 6, 11, 11, 11};
  for (std::size_t n = 0; n < 12; ++n) {
    if (n == own[n]) continue;
    Tensor there = entries();
    there.data[n] += 0.5;
    const double relative = entries().data[n] - entries().data[own[n]];
    const Comparison found = compare(bias, pairs(), there, entries(), rising());
    EXPECT_EQ(found.at, n);
    EXPECT_EQ(found.worst.error, 0.5);
    EXPECT_DOUBLE_EQ(found.worst.bound, static_cast<double>(n + 1) / 64 +
                                            static_cast<double>(own[n] + 1) / 64 +
                                            unit_f64 * (std::abs(relative + 0.5) + std::abs(relative)));
    EXPECT_EQ(found.worst.ceiling, static_cast<double>(n + 1));
    // As the freedom that is asked for, of an encoding that does not declare it.
    const Bias plain{.heads = 2};
    EXPECT_EQ(compare(plain, pairs(), there, entries(), rising(), Freedom::constant_per_row).worst.bound,
              found.worst.bound);
  }
}

TEST(Comparison, a_shifted_row_holds_in_each_row_alone) {
  const Bias bias{.heads = 2, .modulo_rows = true};
  for (std::size_t row = 0; row < 4; ++row) {
    Tensor there = entries();
    for (double& value : there.row(row)) value -= 32;
    EXPECT_EQ(compare(bias, pairs(), there, entries(), rising()).worst.error, 0) << row;
    const Bias plain{.heads = 2};
    EXPECT_EQ(compare(plain, pairs(), there, entries(), rising()).worst.error, 32) << row;
  }
}

// The sums of the roundings of a relative entry are a term of their own.
TEST(Comparison, counts_its_own_differences) {
  const Bias bias{.heads = 1, .modulo_rows = true};
  const Call call{.positions = {{0}}, .keys = {{0, 1}}};
  const Bound none{Tensor({1, 1, 2}), of({1, 1, 2}, {infinity, infinity})};
  const auto bound_of = [&] {
    return compare(bias, call, of({1, 1, 2}, {1, 8}), of({1, 1, 2}, {1, 4}), none).worst.bound;
  };
  EXPECT_EQ(bound_of(), unit_f64 * (7 + 3));
  const ScaledTerm no(Term::ours, 0);
  EXPECT_EQ(bound_of(), 0);
}

// Where no key stands at the query's position: relative to the first key that it may see.
TEST(Comparison, is_relative_to_the_first_key_in_sight_where_the_own_one_is_not_there) {
  const Call call{.positions = {{5}}, .keys = {{8, 3, 4, 9}}};
  const Tensor here = of({1, 1, 4}, {0, 0, 0, 0});
  const Bound none{Tensor({1, 1, 4}), of({1, 1, 4}, {infinity, infinity, infinity, infinity})};
  const auto worst = [&](bool causal, std::vector<double> there) {
    const Bias bias{.heads = 1, .causal = causal, .modulo_rows = true};
    const Comparison found = compare(bias, call, of({1, 1, 4}, std::move(there)), here, none);
    return std::pair(found.worst.error, found.at);
  };
  EXPECT_EQ(worst(false, {1, 1, 1, 3}), std::pair(2.0, std::size_t{3})) << "relative to the key at 8";
  EXPECT_EQ(worst(false, {1, 0, 1, 1}), std::pair(1.0, std::size_t{1}));
  EXPECT_EQ(worst(true, {9, 1, 3, 9}), std::pair(2.0, std::size_t{2})) << "relative to the key at 3";
  EXPECT_EQ(worst(true, {nan, 2, 2, nan}).first, 0) << "those at 8 and 9 are hidden";
}

TEST(Comparison, a_query_that_sees_no_key_says_nothing) {
  const Bias bias{.heads = 1, .causal = true, .modulo_rows = true};
  const Call call{.positions = {{5}}, .keys = {{6, 7}}};
  const Residual found = compare(bias, call, of({1, 1, 2}, {nan, 1}), Tensor({1, 1, 2}), {}).worst;
  EXPECT_TRUE(found.holds());
  EXPECT_TRUE(found.vacuous());
}

// A key at the query's own position is seen, one behind it is not; a key alone says nothing of its row.
TEST(Comparison, of_causal_entries_looks_at_those_at_or_before_the_query) {
  const Bias bias{.heads = 2, .causal = true};
  for (std::size_t n = 0; n < 12; ++n) {
    Tensor there = entries();
    there.data[n] = 1000;
    const bool hidden = n == 1 || n == 2 || n == 7 || n == 8;
    EXPECT_EQ(compare(bias, pairs(), there, entries(), rising()).worst.holds(), hidden) << n;
    const Bias modulo{.heads = 2, .causal = true, .modulo_rows = true};
    EXPECT_EQ(compare(modulo, pairs(), there, entries(), rising()).worst.holds(), hidden || n == 0 || n == 6)
        << n;
  }
}

TEST(Comparison, the_own_key_of_a_shifted_row_has_no_room) {
  const Bias bias{.heads = 1, .modulo_rows = true};
  const Call call{.positions = {{0}}, .keys = {{0}}};
  const Residual alone = compare(bias, call, of({1, 1, 1}, {7}), Tensor({1, 1, 1}),
                                 {Tensor({1, 1, 1}), of({1, 1, 1}, {infinity})})
                             .worst;
  EXPECT_EQ(alone.error, 0);
  EXPECT_TRUE(alone.vacuous());
}

TEST(Comparison, what_is_no_number_refutes_a_shifted_row_and_says_where) {
  const Bias bias{.heads = 2, .modulo_rows = true};
  for (const double none : {nan, infinity, -infinity})
    for (const bool in_there : {true, false}) {
      Tensor a = entries(), b = entries();
      (in_there ? a : b).data[4] = none;
      const Comparison found = compare(bias, pairs(), a, b, rising());
      EXPECT_EQ(found.worst.error, 1);
      EXPECT_EQ(found.worst.bound, 0);
      EXPECT_EQ(found.at, 4u);
    }
}

TEST(Comparison, equal_infinities_are_equal_and_nan_is_not) {
  const Table table{.dim = 2};
  const Call call{.positions = {{0}}, .length = 1};
  const Bound any{of({1, 2}, {1, 1}), of({1, 2}, {infinity, infinity})};
  const auto holds = [&](double there, double here) {
    return compare(table, call, of({1, 2}, {0, there}), of({1, 2}, {0, here}), any).worst.holds();
  };
  EXPECT_TRUE(holds(infinity, infinity));
  EXPECT_FALSE(holds(infinity, -infinity));
  EXPECT_FALSE(holds(nan, nan));
  EXPECT_FALSE(holds(nan, 0));
  EXPECT_FALSE(holds(0, nan));
}

// Whoever listens hears of what is compared, in order, and of nothing that is hidden.
TEST(Comparison, tells_whoever_listens_each_entry) {
  const Bias bias{.heads = 2, .causal = true};
  std::vector<double> bounds;
  compare(bias, pairs(), entries(), entries(), rising(), Freedom::none,
          [&bounds](const Residual& one) { bounds.push_back(64 * one.bound); });
  EXPECT_EQ(bounds, (std::vector<double>{1, 4, 5, 6, 7, 10, 11, 12}));
  std::vector<bool> held;
  const Table table{.dim = 3};
  compare(table, {.positions = {{0}}, .length = 1}, of({1, 3}, {nan, nan, 1}), of({1, 3}, {nan, 0, nan}),
          {Tensor({1, 3}), Tensor({1, 3})}, Freedom::none,
          [&held](const Residual& one) { held.push_back(one.holds()); });
  EXPECT_EQ(held, (std::vector<bool>{true, false, false}));
}

// Positions of an operator are rows: its declared mask hides no entry of an answer.
TEST(Comparison, of_an_operator_hides_nothing) {
  const Attention attention{.dim = 1, .value_dim = 2, .causal = true};
  const Call call{.contents = {Tensor({1, 1}), Tensor({1, 1}), Tensor({1, 2})}, .mask = of({1, 1}, {1})};
  const Comparison found =
      compare(attention, call, of({1, 2}, {0, 3}), Tensor({1, 2}), {of({1, 2}, {1, 2}), of({1, 2}, {4, 4})});
  EXPECT_EQ(found.worst.error, 3);
  EXPECT_EQ(found.worst.bound, 2);
  EXPECT_EQ(found.at, 1u);
}

}  // namespace
}  // namespace posproof::call_bound_test
