// Biases at every pair of positions: from a file whatever its length, from a live one where it ends.
#include "run/exhaustive.h"
#include "attention/reference_attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include "core/call.h"
#include "core/failure.h"
#include "core/function.h"
#include "gate/gate.h"
#include "run/catalogued.h"
#include "run/claims.h"
#include "run/narrowed.h"
#include "subject/testing/npy.h"

namespace posproof::exhaustive_test {
namespace {

const EncodingSpec& alibi() {
  return encoding_named("alibi");
}

Parameters parameters() {
  return with(alibi(), Case::parse("heads=1"));
}

// All pairs of the first positions, correctly rounded to f32.
Tensor entries(std::size_t count) {
  std::vector<Position> at;
  for (std::size_t t = 0; t < count; ++t) at.push_back(static_cast<Position>(t));
  Tensor values = as<Bias>(alibi().oracle(parameters())).bias(at, at);
  for (double& value : values.data) value = nearest(Format::f32, value);
  return values;
}

Exhaustive of_file(const Tensor& values) {
  const testing::Written file("exhaustive.npy", values, true);
  const Encoding truth = alibi().oracle(parameters());
  const Subject subject =
      open(file.subject(),
           {.encoding = "alibi", .parameters = parameters(), .declared = attention::in_every_kind(truth)});
  return exhaustive(truth, subject, {}, false);
}

TEST(Exhaustive, all_pairs_of_a_file_of_biases_are_compared) {
  Tensor values = entries(1100);
  const Exhaustive right = of_file(values);
  ASSERT_TRUE(right.verdict && right.accuracy);
  EXPECT_EQ(std::get<Holds>(*right.verdict).cases, 1100u);
  EXPECT_EQ(right.accuracy->wrong, 0u);

  double& last = values.at(1099, 1096);
  last = static_cast<double>(std::nextafter(static_cast<float>(last), 0.0f));
  const Exhaustive by_a_unit = of_file(values);
  EXPECT_TRUE(std::holds_alternative<Holds>(by_a_unit.verdict.value()));
  EXPECT_EQ(by_a_unit.accuracy.value().wrong, 1u);

  last *= 1.001;
  const auto refuted = std::get<Refuted>(of_file(values).verdict.value());
  EXPECT_EQ(refuted.counterexample.text(), "nq=1 nk=1 i=1099 j=1096");
}

// FIRE's oracle gives doubles and no exact entries: a sample of the pairs held.
TEST(Exhaustive, all_pairs_of_a_file_are_compared_where_the_oracle_gives_doubles) {
  const EncodingSpec& fire = encoding_named("fire");
  const Parameters one = with(fire, Case::parse("heads=1 width=4"));
  const Encoding truth = fire.oracle(one);
  std::vector<Position> at;
  for (Position t = 0; t < 150; ++t) at.push_back(t);
  Tensor values = as<Bias>(truth).bias(at, at);
  for (double& value : values.data) value = nearest(Format::f32, value);
  const auto found = [&] {
    const testing::Written file("fire.npy", values, true);
    return exhaustive(
        truth,
        open(file.subject(),
             {.encoding = "fire", .parameters = one, .declared = attention::in_every_kind(truth)}),
        {}, false);
  };
  EXPECT_EQ(std::get<Holds>(found().verdict.value()).cases, 150u);
  EXPECT_EQ(found().accuracy.value().wrong, 0u);
  values.at(137, 41) *= 1.01;
  EXPECT_EQ(std::get<Refuted>(found().verdict.value()).counterexample.text(), "nq=1 nk=1 i=137 j=41");
}

// A constant on a row does not matter: a sample of the pairs held, and one that was wrong by thousands of
// bounds was not among them.
TEST(Exhaustive, all_pairs_of_a_file_are_compared_where_rows_may_be_shifted) {
  const Parameters any = with(alibi(), Case::parse("heads=2 rows=any"));
  const Encoding truth = alibi().oracle(any);
  constexpr std::size_t count = 200;
  std::vector<Position> at;
  for (Position t = 0; t < static_cast<Position>(count); ++t) at.push_back(t);
  Tensor values = as<Bias>(truth).bias(at, at);
  for (std::size_t r = 0; r < values.rows(); ++r)
    for (double& value : values.row(r))
      value = nearest(Format::f32, value + 0.1 * static_cast<double>(r % 7));
  const auto found = [&](Budget budget = {}) {
    const testing::Written file("shifted.npy", values, true);
    return exhaustive(
        truth,
        open(file.subject(),
             {.encoding = "alibi", .parameters = any, .declared = attention::in_every_kind(truth)}),
        budget, false);
  };
  const Exhaustive right = found();
  EXPECT_EQ(std::get<Holds>(right.verdict.value()).cases, count);
  EXPECT_GT(std::get<Holds>(right.verdict.value()).worst.error, 0);
  EXPECT_FALSE(right.accuracy.has_value());

  Budget none;
  none.time = std::chrono::seconds(0);
  EXPECT_NE(std::get<Undecided>(found(none).verdict.value()).why.find("after 0 of 200 positions"),
            std::string::npos);

  // Of the second head.
  double& late = values.at(count + 137, 41);
  const double held = late;
  late += 8 * std::get<Holds>(right.verdict.value()).worst.bound;
  const auto refuted = std::get<Refuted>(found().verdict.value());
  // Beside which other key it is shrunk to does not matter.
  EXPECT_EQ(refuted.counterexample.real("i"), 137);
  EXPECT_TRUE(refuted.counterexample.real("j") == 41 || refuted.counterexample.real("j1") == 41)
      << refuted.counterexample.text();
  EXPECT_TRUE(refuted.repeats);
  EXPECT_EQ(refuted.found_after, 138u);

  late = held;
  values.at(count + 137, 138) += 1;  // of a key after the query, which a causal mask hides
  EXPECT_TRUE(std::holds_alternative<Holds>(found().verdict.value()));
}

TEST(Exhaustive, keys_after_the_query_of_a_file_are_compared_where_no_mask_hides_them) {
  const Parameters any = with(alibi(), Case::parse("heads=2 rows=any form=symmetric"));
  const Encoding truth = alibi().oracle(any);
  std::vector<Position> at(40);
  std::iota(at.begin(), at.end(), 0);
  Tensor values = as<Bias>(truth).bias(at, at);
  const auto verdict = [&] {
    const testing::Written file("symmetric.npy", values, true);
    return exhaustive(
               truth,
               open(file.subject(),
                    {.encoding = "alibi", .parameters = any, .declared = attention::in_every_kind(truth)}),
               {}, false)
        .verdict.value();
  };
  EXPECT_TRUE(std::holds_alternative<Holds>(verdict()));
  values.at(17, 30) += 0.25;
  EXPECT_EQ(std::get<Refuted>(verdict()).counterexample.real("i"), 17);
}

// A window of tokens, each pair of which has its bias: on a grid no pair was compared.
TEST(Exhaustive, all_pairs_of_a_file_on_a_grid_are_compared) {
  const EncodingSpec& table = encoding_named("relative_table");
  const Parameters one = with(table, Case::parse("heads=1 height=5 width=6"));
  const Encoding truth = table.oracle(one);
  std::vector<Position> at;
  for (Position y = 0; y < 5; ++y)
    for (Position x = 0; x < 6; ++x) at.insert(at.end(), {y, x});
  const Positions places(at, 2);
  Tensor values = as<Bias>(truth).bias(places, places);
  const auto found = [&] {
    const testing::Written file("window.npy", values, true);
    return exhaustive(
        truth,
        open(file.subject(),
             {.encoding = "relative_table", .parameters = one, .declared = attention::in_every_kind(truth)}),
        {}, false);
  };
  EXPECT_EQ(std::get<Holds>(found().verdict.value()).cases, 30u);
  values.at(23, 17) += 1;
  EXPECT_TRUE(std::holds_alternative<Refuted>(found().verdict.value()));
}

TEST(Exhaustive, a_live_bias_is_compared_where_it_ends_or_says_what_was_left_out) {
  const Encoding truth = alibi().oracle(parameters());
  Subject live{"alibi", "built in", alibi().make(parameters()), all_f64, true};
  const Exhaustive endless = exhaustive(truth, live, {}, true);
  EXPECT_EQ(std::get<Undecided>(endless.verdict.value()).why,
            "too many pairs: positions 1024 to 1048576 were not compared");
  EXPECT_EQ(endless.accuracy.value().rows, 1024u);

  live.encoding = narrowed(std::move(live.encoding), 0, 99);
  const Exhaustive narrow = exhaustive(truth, live, {}, true);
  EXPECT_EQ(std::get<Holds>(narrow.verdict.value()).cases, 100u);
  EXPECT_EQ(narrow.accuracy.value().last, 99);
}

// ---- what is asked at every position, and how that ends

const EncodingSpec& sinusoidal() {
  return encoding_named("sinusoidal");
}

Subject live(const Encoding& encoding, Position last) {
  return {"made", "", narrowed(encoding, 0, last), all_f64};
}

Subject changed_table(Position last, Function<void(Position t, std::span<double> row)> change,
                      std::string_view parameters = "dim=4") {
  auto table = as<Table>(sinusoidal().make(with(sinusoidal(), Case::parse(parameters))));
  table.rows = [right = table.rows, change = std::move(change)](const Positions& at, Position length) {
    Tensor rows = right(at, length);
    for (std::size_t r = 0; r < at.size(); ++r) change(at[r], rows.row(r));
    return rows;
  };
  return live(table, last);
}

Encoding truth_of(const EncodingSpec& spec, std::string_view parameters) {
  return spec.oracle(with(spec, Case::parse(parameters)));
}

const auto nothing = [](Position, std::span<double>) {};

TEST(ExhaustiveLive, a_table_of_8192_positions_is_asked_for_all_and_a_longer_one_where_told) {
  const Encoding truth = truth_of(sinusoidal(), "dim=4");
  const Exhaustive small = exhaustive(truth, changed_table(8191, nothing), {}, false);
  ASSERT_TRUE(small.verdict && small.accuracy);
  EXPECT_EQ(std::get<Holds>(*small.verdict).cases, 8192u);
  EXPECT_EQ(small.accuracy->rows, 8192u);
  Subject later = changed_table(2 * 8192 - 1, nothing);
  later.encoding = narrowed(later.encoding, 8192, 2 * 8192 - 1);
  EXPECT_EQ(std::get<Holds>(exhaustive(truth, later, {}, false).verdict.value()).cases, 8192u);
  const Exhaustive longer = exhaustive(truth, changed_table(8192, nothing), {}, false);
  EXPECT_FALSE(longer.verdict || longer.accuracy);
  EXPECT_EQ(std::get<Holds>(exhaustive(truth, changed_table(8192, nothing), {}, true).verdict.value()).cases,
            8193u);
}

TEST(ExhaustiveLive, one_wrong_position_is_found) {
  const Encoding truth = truth_of(sinusoidal(), "dim=4");
  for (const Position wrong : {0, 4321, 8191}) {
    const Exhaustive found = exhaustive(
        truth,
        changed_table(8191, [=](Position t, std::span<double> row) { row[3] += t == wrong ? 1e-9 : 0; }), {},
        false);
    ASSERT_TRUE(found.verdict && std::holds_alternative<Refuted>(*found.verdict)) << wrong;
    const Refuted& refuted = std::get<Refuted>(*found.verdict);
    EXPECT_EQ(refuted.counterexample.integer("t"), wrong);
    EXPECT_TRUE(refuted.repeats);
  }
}

TEST(ExhaustiveLive, an_error_or_a_failure_at_one_position_ends_it_there) {
  const Encoding truth = truth_of(sinusoidal(), "dim=4");
  const auto at_5000 = [&](const auto& error) {
    return exhaustive(truth,
                      changed_table(8191,
                                    [=](Position t, std::span<double>) {
                                      if (t == 5000) throw error;
                                    }),
                      {}, false);
  };
  const Exhaustive errored = at_5000(SubjectError("the exchange broke down"));
  ASSERT_TRUE(errored.verdict && std::holds_alternative<Errored>(*errored.verdict));
  EXPECT_EQ(std::get<Errored>(*errored.verdict).what, "the exchange broke down");
  const Exhaustive failed = at_5000(Failure(Failure::How::raised, "no row", "rows: no row"));
  ASSERT_TRUE(failed.verdict && std::holds_alternative<Refuted>(*failed.verdict));
  EXPECT_EQ(std::get<Refuted>(*failed.verdict).instead.find("rows: no row"), 0u);
}

// What fails alone, too, is counted behind those that were right.
TEST(ExhaustiveLive, a_failure_of_one_position_is_found_after_those_before_it) {
  const Encoding truth = truth_of(sinusoidal(), "dim=4");
  auto table = as<Table>(sinusoidal().make(with(sinusoidal(), Case::parse("dim=4"))));
  table.rows = [right = table.rows](const Positions& at, Position length) {
    if (at[0] == 2048) throw Failure(Failure::How::raised, "no row", "rows: no row");
    return right(at, length);
  };
  const Exhaustive found = exhaustive(truth, live(table, 8191), {}, false);
  ASSERT_TRUE(found.verdict && std::holds_alternative<Refuted>(*found.verdict));
  const Refuted& refuted = std::get<Refuted>(*found.verdict);
  EXPECT_EQ(refuted.instead, "rows: no row");
  EXPECT_EQ(refuted.counterexample.integer("t"), 2048);
  EXPECT_EQ(refuted.found_after, 2049u);
}

// What a call of many shows, a call of few positions may show, too: that is the counterexample, which fails
// again.
TEST(ExhaustiveLive, a_failure_of_several_positions_is_that_of_the_fewest) {
  const Encoding truth = truth_of(sinusoidal(), "dim=4");
  const auto right = as<Table>(sinusoidal().make(with(sinusoidal(), Case::parse("dim=4"))));
  for (const bool raises : {true, false}) {
    Table table = right;
    table.rows = [=](const Positions& at, Position length) {
      Tensor rows = right.rows(at, length);
      const bool last = at.size() > 1 && at[at.size() - 1] == 2047;
      if (last && raises) throw Failure(Failure::How::raised, "no last row", "rows: no last row");
      if (last) rows.at(at.size() - 1, 0) = 5;
      return rows;
    };
    const Exhaustive found = exhaustive(truth, live(table, 2047), {}, false);
    ASSERT_TRUE(found.verdict && std::holds_alternative<Refuted>(*found.verdict)) << raises;
    const auto& refuted = std::get<Refuted>(*found.verdict);
    EXPECT_TRUE(refuted.repeats) << raises;
    EXPECT_EQ(refuted.counterexample.integer("rows"), 2) << raises;
    EXPECT_EQ(refuted.counterexample.integer("t1"), 2047) << raises;
    EXPECT_EQ(refuted.instead, raises ? "rows: no last row" : "");
  }
}

// In a call of many it raises once, alone it answers.
TEST(ExhaustiveLive, a_failure_of_many_positions_together_is_refuted_and_says_so) {
  const Encoding truth = truth_of(sinusoidal(), "dim=4");
  auto table = as<Table>(sinusoidal().make(with(sinusoidal(), Case::parse("dim=4"))));
  table.rows = [right = table.rows, raised = std::make_shared<bool>(false)](const Positions& at,
                                                                            Position length) {
    if (at.size() > 1 && at[0] == 2048 && !std::exchange(*raised, true))
      throw Failure(Failure::How::raised, "too many", "rows: too many");
    return right(at, length);
  };
  const Exhaustive found = exhaustive(truth, live(table, 8191), {}, false);
  ASSERT_TRUE(found.verdict && std::holds_alternative<Refuted>(*found.verdict));
  EXPECT_EQ(std::get<Refuted>(*found.verdict).instead,
            "rows: too many (in a call of several positions from this one on; alone it is answered)");
  EXPECT_FALSE(std::get<Refuted>(*found.verdict).repeats);
}

TEST(ExhaustiveLive, what_is_wrong_among_its_neighbours_only_does_not_repeat) {
  const Encoding truth = truth_of(sinusoidal(), "dim=4");
  auto table = as<Table>(sinusoidal().make(with(sinusoidal(), Case::parse("dim=4"))));
  table.rows = [right = table.rows](const Positions& at, Position length) {
    Tensor rows = right(at, length);
    if (at.size() > 1 && at[0] == 2048) rows.at(7, 1) = 5;
    return rows;
  };
  const Exhaustive found = exhaustive(truth, live(table, 8191), {}, false);
  ASSERT_TRUE(found.verdict && std::holds_alternative<Refuted>(*found.verdict));
  EXPECT_FALSE(std::get<Refuted>(*found.verdict).repeats);
  EXPECT_EQ(std::get<Refuted>(*found.verdict).counterexample.integer("t"), 2055);
}

TEST(ExhaustiveLive, that_its_time_was_over_is_said) {
  const Encoding truth = truth_of(sinusoidal(), "dim=4");
  Budget none;
  none.time = std::chrono::milliseconds(0);
  for (const bool told : {false, true}) {
    const Exhaustive late = exhaustive(truth, changed_table(8191, nothing), none, told);
    ASSERT_TRUE(late.verdict && std::holds_alternative<Undecided>(*late.verdict)) << told;
    EXPECT_EQ(std::get<Undecided>(*late.verdict).why, "out of time: positions 0 to 8191 were not compared");
  }
  const EncodingSpec& learned = encoding_named("learned");
  const Encoding rows = truth_of(learned, "dim=2 length=100");
  const Exhaustive cases = exhaustive(rows, {"made", "", rows, all_f64}, none, false);
  ASSERT_TRUE(cases.verdict && std::holds_alternative<Undecided>(*cases.verdict));
  EXPECT_EQ(std::get<Undecided>(*cases.verdict).why, "stopped by `--time` (0 s) after 0 of 100 positions");
}

TEST(ExhaustiveLive, a_table_without_exact_entries_is_asked_case_by_case) {
  const EncodingSpec& learned = encoding_named("learned");
  const Encoding truth = truth_of(learned, "dim=2 length=100");
  const Exhaustive right = exhaustive(truth, {"made", "", truth, all_f64}, {}, false);
  ASSERT_TRUE(right.verdict);
  EXPECT_EQ(std::get<Holds>(*right.verdict).cases, 100u);
  EXPECT_FALSE(right.accuracy.has_value());
  auto wrong = as<Table>(truth);
  wrong.rows = [rows = wrong.rows](const Positions& at, Position length) {
    Tensor out = rows(at, length);
    for (std::size_t r = 0; r < at.size(); ++r)
      if (at[r] == 99) out.at(r, 1) += 1;
    return out;
  };
  const Exhaustive found = exhaustive(truth, {"made", "", wrong, all_f64}, {}, false);
  ASSERT_TRUE(found.verdict && std::holds_alternative<Refuted>(*found.verdict));
  EXPECT_EQ(std::get<Refuted>(*found.verdict).counterexample.integer("t"), 99);
  EXPECT_TRUE(exhaustive(truth, {"made", "", truth, all_f64}, {}, true).accuracy.has_value());
  // What it refuses within its own bounds is no case that holds.
  auto refusing = as<Table>(truth);
  refusing.rows = [rows = refusing.rows](const Positions& at, Position length) {
    if (std::ranges::find(at, Position{50}) != at.end()) throw Refusal("it has no row 50");
    return rows(at, length);
  };
  const Exhaustive some = exhaustive(truth, {"made", "", refusing, all_f64}, {}, false);
  ASSERT_TRUE(some.verdict);
  EXPECT_EQ(std::get<Holds>(*some.verdict).cases, 99u);
}

// Of both numbers of a place, from the first to the last; 8192 places at most.
TEST(ExhaustiveLive, every_place_of_a_small_grid_is_asked_for) {
  const Encoding right = truth_of(encoding_named("sincos_2d"), "dim=4");
  const auto on = [&](Position lo, Position hi) {
    Domain square = positions_of(right);
    square.lo = lo, square.hi = hi;
    return with_positions(right, square);
  };
  const auto asked = [&](Position lo, Position hi) {
    return exhaustive(right, {"made", "", on(lo, hi), all_f64}, {}, false);
  };
  EXPECT_EQ(std::get<Holds>(asked(0, 3).verdict.value()).cases, 16u);
  EXPECT_EQ(std::get<Holds>(asked(2, 91).verdict.value()).cases, 8100u);
  EXPECT_FALSE(asked(0, 90).verdict.has_value());  // 8281
  for (const auto& [row, column] : {std::pair{0, 0}, std::pair{0, 3}, std::pair{3, 0}, std::pair{3, 3}}) {
    auto wrong = as<Table>(on(0, 3));
    wrong.rows = [rows = wrong.rows, row = row, column = column](const Positions& at, Position length) {
      Tensor out = rows(at, length);
      for (std::size_t r = 0; r < at.size(); ++r)
        if (at.at(r, 0) == row && at.at(r, 1) == column) out.at(r, 3) += 1e-6;
      return out;
    };
    const Exhaustive found = exhaustive(right, {"made", "", wrong, all_f64}, {}, false);
    const Refuted& refuted = std::get<Refuted>(found.verdict.value());
    EXPECT_EQ(refuted.counterexample.integer("t"), row);
    EXPECT_EQ(refuted.counterexample.integer("t_1"), column);
  }
}

// Wrong in the second head of the last query, where the call is the whole window: many programs make no other.
TEST(ExhaustiveLive, a_window_is_asked_for_as_a_whole) {
  const Encoding right = truth_of(encoding_named("relative_table"), "heads=2 height=5 width=6");
  for (const std::size_t least : {30, 31}) {
    auto wrong = as<Bias>(right);
    wrong.bias = [bias = wrong.bias, least](const Positions& queries, const Positions& keys) {
      Tensor out = bias(queries, keys);
      if (queries.size() >= least) out.data.back() += 1;
      return out;
    };
    const auto found = exhaustive(right, {"made", "", wrong, all_f64}, {}, false).verdict;
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(std::holds_alternative<Refuted>(*found), least == 30);
    if (least == 30) {
      EXPECT_EQ(std::get<Refuted>(*found).counterexample.text(), "nq=1 nk=1 i=4 i_1=5 j=4 j_1=5");
    }
  }
}

// One wrong pair of a window of 900 of them, one wrong place of a grid of 30.
TEST(ExhaustiveLive, every_pair_of_a_small_window_and_every_rotation_of_a_small_grid_is_asked_for) {
  const auto all_of = [](const Encoding& right, const Encoding& subject) {
    return exhaustive(right, {"made", "", subject, all_f64}, {}, false).verdict;
  };
  const auto window = [](const std::string& extents) {
    return truth_of(encoding_named("relative_table"), "heads=1 " + extents);
  };
  const Encoding five_by_six = window("height=5 width=6");
  EXPECT_TRUE(std::holds_alternative<Holds>(all_of(five_by_six, five_by_six).value()));
  EXPECT_TRUE(all_of(window("height=16 width=16"), window("height=16 width=16")).has_value());
  EXPECT_FALSE(all_of(window("height=16 width=17"), window("height=16 width=17")).has_value());
  auto wrong = as<Bias>(five_by_six);
  wrong.bias = [bias = wrong.bias](const Positions& queries, const Positions& keys) {
    Tensor out = bias(queries, keys);
    for (std::size_t q = 0; q < queries.size(); ++q)
      for (std::size_t k = 0; k < keys.size(); ++k)
        if (queries.at(q, 0) == 3 && queries.at(q, 1) == 2 && keys.at(k, 0) == 1 && keys.at(k, 1) == 4)
          out.data[q * keys.size() + k] += 1;
    return out;
  };
  const auto of_pair = all_of(five_by_six, wrong);
  EXPECT_EQ(std::get<Refuted>(of_pair.value()).counterexample.text(), "nq=1 nk=1 i=3 i_1=2 j=1 j_1=4");

  const Encoding grid = truth_of(encoding_named("axial_rope"), "dim=8 coordinates=cells grid=[5,6]");
  EXPECT_TRUE(std::holds_alternative<Holds>(all_of(grid, grid).value()));
  auto last = as<Rotary>(grid);
  last.rotate = [rotate = last.rotate](const Tensor& x, const Positions& at, Role role) {
    Tensor out = rotate(x, at, role);
    for (std::size_t token = 0; token < at.size(); ++token)
      if (at.at(token, 0) == 2 && at.at(token, 1) == 3)
        for (std::size_t channel = 0; channel < 8; ++channel) {
          const std::size_t n = x.shape[2];
          out.row(token / n * x.shape[1] * n + token % n)[channel] *= 1 + 1e-6;
        }
    return out;
  };
  const auto of_place = all_of(grid, last);
  EXPECT_EQ(std::get<Refuted>(of_place.value()).counterexample.integer("t"), 2);
  EXPECT_EQ(std::get<Refuted>(of_place.value()).counterexample.integer("t_1"), 3);
}

// What holds nowhere it could have failed says nothing.
TEST(ExhaustiveLive, rows_that_could_not_have_been_refuted_give_no_verdict) {
  const Encoding truth = truth_of(sinusoidal(), "dim=2");
  const Position far = 1 << 19;
  Subject subject{"made", "", narrowed(truth, far, far + 99), Precision::parse("bf16/bf16")};
  EXPECT_FALSE(exhaustive(truth, subject, {}, false).verdict.has_value());
}

// What a call of hundreds of positions shows, a call of as many shows again.
TEST(ExhaustiveLive, a_failure_of_hundreds_of_positions_repeats) {
  const Encoding truth = truth_of(sinusoidal(), "dim=4");
  auto table = as<Table>(sinusoidal().make(with(sinusoidal(), Case::parse("dim=4"))));
  table.rows = [right = table.rows](const Positions& at, Position length) {
    Tensor rows = right(at, length);
    if (at.size() > 512) rows.at(0, 1) = 5;
    return rows;
  };
  const Exhaustive found = exhaustive(truth, live(table, 8191), {}, false);
  ASSERT_TRUE(found.verdict && std::holds_alternative<Refuted>(*found.verdict));
  EXPECT_TRUE(std::get<Refuted>(*found.verdict).repeats);
  EXPECT_GT(std::get<Refuted>(*found.verdict).counterexample.integer("rows"), 512);
}

}  // namespace
}  // namespace posproof::exhaustive_test
