// What is said of a table by the rows that were answered, and what the sentence makes of the declared one.
#include "diagnosis/row_deviations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/call.h"
#include "core/formats.h"
#include "core/function.h"

namespace posproof::row_deviations_test {
namespace {

using Row = std::vector<double>;
using Sentences = std::vector<std::string>;
using RowOf = Function<Row(Position)>;

constexpr double inf = std::numeric_limits<double>::infinity(),
                 not_a_number = std::numeric_limits<double>::quiet_NaN();

Row declared(Position t) {
  const auto x = static_cast<double>(t);
  return {x, x + 10, 3};
}

Tensor tensor(const std::vector<Row>& rows) {
  Tensor out({rows.size(), rows.empty() ? 0 : rows.front().size()});
  for (std::size_t r = 0; r < rows.size(); ++r) std::ranges::copy(rows[r], out.row(r).begin());
  return out;
}

Tensor rows_at(const RowOf& row, const Positions& at) {
  std::vector<Row> rows;
  for (const Position t : at) rows.push_back(row(t));
  return tensor(rows);
}

// Whose entries may be off by as much as is said of their position.
Table table_of(const RowOf& row, const Function<double(double t)>& allowed) {
  Table out;
  out.dim = row(0).size();
  out.positions = {0, 1 << 20};
  out.rows = [row](const Positions& at, Position) { return rows_at(row, at); };
  out.row_error = [allowed](std::span<const double> position, std::span<const double>, const Precision&,
                            std::span<double> error) { std::ranges::fill(error, allowed(position[0])); };
  return out;
}

const auto hardly = [](double) { return 0x1p-30; };
const Table truth = table_of(&declared, hardly);

// A call for each list of positions.
std::vector<Answered> answered_by_rows(const RowOf& row, const std::vector<std::vector<Position>>& calls) {
  std::vector<Answered> out;
  for (const std::vector<Position>& at : calls) {
    Answered& one = out.emplace_back();
    one.call.positions.whole = at;
    one.answer = rows_at(row, at);
  }
  return out;
}

std::vector<std::vector<Position>> up_to(Position count) {
  std::vector<std::vector<Position>> out(1);
  for (Position t = 0; t < count; ++t) out.front().push_back(t);
  return out;
}

Sentences said(const std::optional<Deviation>& one) {
  return one ? one->sentences : Sentences{"none"};
}

Sentences of_one_row(const RowOf& row, const std::vector<std::vector<Position>>& calls) {
  return said(same_row_deviation(truth, all_f32, answered_by_rows(row, calls)));
}

std::vector<Sentences> of_rows(const RowOf& row, const std::vector<std::vector<Position>>& calls,
                               const Table& of = truth) {
  std::vector<Sentences> out;
  for (const Deviation& one : row_deviations(of, all_f32, answered_by_rows(row, calls)))
    out.push_back(one.sentences);
  return out;
}

RowOf plus(const Row& by) {
  return [by](Position t) {
    Row out = declared(t);
    for (std::size_t c = 0; c < out.size(); ++c) out[c] += by[c];
    return out;
  };
}

Tensor corrected(const Deviation& one, const std::vector<Position>& at) {
  Call call;
  call.positions.whole = at;
  return answer(one.corrected, call);
}

const Sentences one_row{"every row is the same, whatever the position"},
    added{"a row is added to every row, the same at all positions"};

TEST(RowDeviations, name_one_row_in_the_place_of_all) {
  const Row row{0.5, -2, 7};
  const auto found =
      same_row_deviation(truth, all_f32, answered_by_rows([&](Position) { return row; }, up_to(5)));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->sentences, one_row);
  EXPECT_FALSE(found->guessed);
  EXPECT_EQ(corrected(*found, {3, 400}), tensor({row, row}));
  EXPECT_EQ(of_one_row(
                [](Position) {
                  return Row{0.25, 0.25, 0.25};
                },
                up_to(5)),
            Sentences{"every entry is 0.25, whatever the position"});
  EXPECT_EQ(of_one_row(
                [](Position) {
                  return Row{-3, -3, -3};
                },
                up_to(5)),
            Sentences{"every entry is -3, whatever the position"});
  EXPECT_EQ(of_one_row([](Position) { return Row{1, 1, 1.01}; }, up_to(5)), one_row);
  EXPECT_EQ(of_one_row([](Position) { return Row{1, 0.99, 1}; }, up_to(5)), one_row);
  EXPECT_EQ(of_one_row([](Position) { return Row{0, 0, 1e-30}; }, up_to(5)), one_row);
}

// Each entry is rounded once: two of one number are two units apart at most.
TEST(RowDeviations, of_one_row_differ_by_two_roundings) {
  const auto off = [](std::size_t column, double by) {
    return of_one_row(
        [=](Position t) {
          Row row{1, -8, 0};
          if (t == 4) row[column] += by;
          return row;
        },
        up_to(5));
  };
  EXPECT_EQ(off(0, 2 * unit_f32), one_row);
  EXPECT_EQ(off(0, -2 * unit_f32), one_row);
  EXPECT_EQ(off(1, 16 * unit_f32), one_row);
  EXPECT_EQ(off(0, 2.5 * unit_f32), Sentences{"none"});
  EXPECT_EQ(off(1, -20 * unit_f32), Sentences{"none"});
  EXPECT_EQ(off(2, 1e-30), Sentences{"none"});
  EXPECT_EQ(off(1, not_a_number), Sentences{"none"});
  EXPECT_EQ(of_one_row([](Position) { return Row{1, inf, 1}; }, up_to(5)), Sentences{"none"});
  EXPECT_EQ(of_one_row(&declared, up_to(5)), Sentences{"none"});
}

TEST(RowDeviations, are_of_three_rows_of_any_calls) {
  const RowOf one = [](Position) { return Row{1, 2, 3}; };
  EXPECT_EQ(of_one_row(one, {{4, 9}}), Sentences{"none"});
  EXPECT_EQ(of_one_row(one, {{4}, {9}, {1}}), one_row);
  EXPECT_EQ(of_one_row(one, {{4}, {9, 1}}), one_row);
  EXPECT_EQ(of_rows(plus({1, 2, 4}), {{4, 9}}), std::vector<Sentences>{});
  EXPECT_EQ(of_rows(plus({1, 2, 4}), {{4}, {9}, {1}}).size(), 1u);
  // An answer of another shape has no rows of it.
  auto answered = answered_by_rows(one, {{4}, {9}, {1}});
  answered[1].answer = tensor({{1, 2, 3, 4}});
  EXPECT_FALSE(same_row_deviation(truth, all_f32, answered));
  answered.push_back(answered[0]);
  EXPECT_EQ(said(same_row_deviation(truth, all_f32, answered)), one_row);
  EXPECT_FALSE(same_row_deviation(truth, all_f32, {}));
}

// The first 200: what is said is asked of all of them behind that.
TEST(RowDeviations, are_of_the_first_rows) {
  const auto other_at = [](Position other) {
    return [=](Position t) { return t == other ? Row{1, 2, 4} : Row{1, 2, 3}; };
  };
  EXPECT_EQ(of_one_row(other_at(199), up_to(300)), Sentences{"none"});
  EXPECT_EQ(of_one_row(other_at(200), up_to(300)), one_row);
}

TEST(RowDeviations, of_a_table_without_columns_are_none) {
  const Table narrow = table_of([](Position) { return Row{}; }, hardly);
  const auto answered = answered_by_rows([](Position) { return Row{}; }, up_to(5));
  EXPECT_FALSE(same_row_deviation(narrow, all_f32, answered));
  EXPECT_TRUE(row_deviations(narrow, all_f32, answered).empty());
}

TEST(RowDeviations, name_a_row_that_is_added) {
  EXPECT_EQ(of_rows(plus({2, 2, 2}), up_to(5)), (std::vector<Sentences>{{"every entry is 2 too large"}}));
  EXPECT_EQ(of_rows(plus({-0.5, -0.5, -0.5}), up_to(5)),
            (std::vector<Sentences>{{"every entry is 0.5 too small"}}));
  EXPECT_EQ(of_rows(plus({1, 1, 1.01}), up_to(5)), std::vector<Sentences>{added});
  // 16 units of 1 and of what is added: the larger, the more is lost where it is.
  const auto nearly = [](double by, double units) {
    return of_rows(plus({by, by + units * unit_f32, by - units * unit_f32}), up_to(5));
  };
  EXPECT_EQ(nearly(99, 1590), (std::vector<Sentences>{{"every entry is 99 too large"}}));
  EXPECT_EQ(nearly(99, 1610), std::vector<Sentences>{added});
  EXPECT_EQ(nearly(-99, 1590), (std::vector<Sentences>{{"every entry is 99 too small"}}));
  EXPECT_EQ(of_rows(plus({1, 0, 0}), up_to(5)), std::vector<Sentences>{added});
  const auto found = row_deviations(truth, all_f32, answered_by_rows(plus({1, -2, 5}), up_to(5)));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().sentences, added);
  EXPECT_EQ(corrected(found.front(), {3, 400}), tensor({{4, 11, 8}, {401, 408, 8}}));
  EXPECT_EQ(of_rows(&declared, up_to(5)), std::vector<Sentences>{});
  EXPECT_EQ(of_rows(
                [](Position t) {
                  return t == 3 ? declared(t) : plus({1, -2, 5})(t);
                },
                up_to(5)),
            std::vector<Sentences>{});
  EXPECT_EQ(of_rows(plus({1, not_a_number, 1}), up_to(5)), std::vector<Sentences>{});
}

// By more than eight times what is allowed, in one column at least.
TEST(RowDeviations, of_a_row_that_is_added_are_more_than_rounding) {
  const Table coarse = table_of(&declared, [](double) { return 0x1p-10; });
  const auto is_said_of = [&](const Row& by) {
    const auto all = of_rows(plus(by), up_to(5), coarse);
    return std::ranges::find(all, added) != all.end();
  };
  EXPECT_FALSE(is_said_of({0x1p-7, 0, -0x1p-7}));
  EXPECT_TRUE(is_said_of({0, 0x1.1p-7, 0}));
  EXPECT_TRUE(is_said_of({-0x1.1p-7, 0, 0}));
}

// The row where it is measured may be off, and each that it is compared with.
TEST(RowDeviations, of_a_row_that_is_added_are_within_what_both_rows_are_allowed) {
  const Table coarse = table_of(&declared, [](double) { return 0x1p-10; });
  const auto is_said_of = [&](double times) {
    const RowOf row = [=](Position t) {
      const double off = (t == 0 ? times : -times) * 0x1p-10;
      return plus({1 + off, 1, 0})(t);
    };
    const auto all = of_rows(row, up_to(5), coarse);
    return std::ranges::find(all, added) != all.end();
  };
  EXPECT_TRUE(is_said_of(0.99));
  EXPECT_FALSE(is_said_of(1.01));
  // In f32 what is far from 0 is rounded by more.
  const auto rounded = [](double by) {
    return [by](Position t) {
      Row out = plus({by, by, by})(t);
      for (double& entry : out) entry = to_f32(entry);
      return out;
    };
  };
  EXPECT_EQ(of_rows(rounded(0.1), up_to(5)), (std::vector<Sentences>{{"every entry is 0.1 too large"}}));
  EXPECT_EQ(of_rows(rounded(1000.3), up_to(5)),
            (std::vector<Sentences>{{"every entry is 1000.3 too large"}}));
}

// Where that grows with the position the least far row says it, and the others are asked within theirs.
TEST(RowDeviations, measure_the_row_that_is_added_where_least_is_allowed) {
  const auto allowed = [](double t) { return 0x1p-20 * (1 + t); };
  const Table far = table_of(&declared, allowed);
  const auto off_by = [&](double times) {
    return of_rows(
        [=](Position t) {
          const double off = t == 1 ? 0 : times * allowed(static_cast<double>(t));
          return plus({0.5 + off, 0.5 - off, 0.5})(t);
        },
        {{1000, 300}, {1, 40}}, far);
  };
  const std::vector<Sentences> half{{"every entry is 0.5 too large"}};
  EXPECT_EQ(off_by(0), half);
  EXPECT_EQ(off_by(0.99), half);
  EXPECT_EQ(off_by(1.3), std::vector<Sentences>{});
}

// At one position a row is as well multiplied as it is more.
TEST(RowDeviations, are_columns_before_they_are_a_row) {
  EXPECT_EQ(of_rows(
                [](Position) {
                  return Row{10, 30, 6};
                },
                {{5, 5, 5}}),
            (std::vector<Sentences>{{"every entry is 2 times the declared one"}, added}));
}

TEST(RowDeviations, of_columns_make_them_of_the_declared_ones) {
  const RowOf row = [](Position t) {
    const auto x = static_cast<double>(t);
    return t == 77 ? Row{inf, 1, 2, 3} : Row{x, 8, 2 * x - 3, 4 - 1.5 * x};
  };
  const Table of = table_of(row, hardly);
  const auto found = [&](const Function<Row(const Row&)>& other) {
    Entries values, right, allowed;
    for (Position t = 0; t < 6; ++t) {
      right.push_back(row(t));
      values.push_back(other(row(t)));
      allowed.push_back(Row(4, 0x1p-30));
    }
    return deviation_of_columns(of, values, right, allowed);
  };
  const auto moved = found([](const Row& r) { return Row{0, r[1], -0.5 * r[2], r[0]}; });
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->sentences, (Sentences{"column 3 holds column 0", "column 0 is 0",
                                         "column 2 is -0.5 times the declared one"}));
  EXPECT_FALSE(moved->guessed);
  EXPECT_EQ(corrected(*moved, {9, 77, 2}), tensor({{0, 8, -7.5, 9}, {0, 1, -1, inf}, {0, 8, -0.5, 2}}));
  EXPECT_EQ(said(found([](const Row& r) { return r; })), Sentences{"none"});
  EXPECT_EQ(said(found([](const Row& r) { return Row{r[0] * r[0], r[1], r[2], r[3]}; })), Sentences{"none"});
}

// Of rows (t, t + 10, 3), whose norms rise from 10.4 on.
TEST(RowDeviations, name_the_largest_norm_of_rows) {
  const auto at_most = [](double most, Position whole = -1) {
    return [=](Position t) {
      Row row = declared(t);
      double norm = 0;
      for (const double x : row) norm += x * x;
      norm = std::sqrt(norm);
      for (double& x : row) x *= norm > most && t != whole ? most / norm : 1;
      return row;
    };
  };
  const Sentences to_12{"rows of a norm above 12 are scaled down to 12, as by an embedding's max_norm"};
  const auto found = of_rows(at_most(12), up_to(9));
  EXPECT_TRUE(std::ranges::find(found, to_12) != found.end());
  for (const Deviation& one : row_deviations(truth, all_f32, answered_by_rows(at_most(12), up_to(9))))
    if (one.sentences == to_12) {
      const Tensor rows = corrected(one, {0, 40});
      EXPECT_EQ(rows.at(0, 1), 10) << "it is short";
      // The limit is measured of rows in f32, each within a unit; the row of it is no more than 8.
      EXPECT_NEAR(rows.at(1, 0), 40 * 12 / std::sqrt(40. * 40 + 50 * 50 + 9), 8 * 0x1p-24);
    }
  // One row is longer than the others are scaled to; none is.
  for (const auto& row : {at_most(12, 8), at_most(1000)})
    for (const Sentences& one : of_rows(row, up_to(9)))
      EXPECT_EQ(one.front().find("max_norm"), std::string::npos);
}

}  // namespace
}  // namespace posproof::row_deviations_test
