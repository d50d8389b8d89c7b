#include "diagnosis/measured_columns.h"

#include <gtest/gtest.h>

#include "core/function.h"

namespace posproof::measured_columns_test {
namespace {

using Words = std::vector<std::string>;

Words words(std::size_t columns, const Function<MeasuredColumn(std::size_t)>& column) {
  std::vector<MeasuredColumn> all;
  for (std::size_t c = 0; c < columns; ++c) all.push_back(column(c));
  return column_deviations(all, "column", "entry", columns);
}

Words held(std::size_t columns, const Function<std::size_t(std::size_t)>& of) {
  return words(columns, [&](std::size_t c) { return MeasuredColumn{of(c), 1}; });
}

// The factor comes from one entry, and both are rounded: another may be off by what rounding puts either off,
// twice.
TEST(MeasuredColumns, have_a_factor_within_the_rounding_of_two_entries) {
  const double rounding = 1000 * 0x1p-24;
  const Entries declared = {{1000}, {1000}}, allowed = {{rounding}, {1.01 * rounding}};
  const auto factor = [&](double off) {
    const auto found = measured_columns({{2000}, {2000 + 2 * off}}, declared, allowed);
    return found ? found->front().factor : 0;
  };
  EXPECT_EQ(factor(3.9 * rounding), 2);
  EXPECT_EQ(factor(4.1 * rounding), 0);
}

TEST(MeasuredColumns, that_stand_in_an_order_are_said_in_one_sentence) {
  EXPECT_EQ(held(16, [](std::size_t c) { return c; }), Words{});
  EXPECT_EQ(held(16, [](std::size_t c) { return c - c % 2; }),
            Words{"every second column is the column before it"});
  EXPECT_EQ(held(16, [](std::size_t c) { return c + 1 - c % 2; }),
            Words{"every column with an even number is the column after it"});
  EXPECT_EQ(held(16, [](std::size_t c) { return 15 - c; }),
            Words{"the same after one permutation of columns: in reverse order"});
  // In no order that has a word: from the first that is another on, or the last three.
  const auto shuffled = [](std::size_t from) {
    return held(24, [from](std::size_t c) { return c < from ? c : from + (c - from) * (c - from) % 3; });
  };
  const auto permuted = [](std::size_t first, std::size_t count) {
    return held(24, [=](std::size_t c) {
      return c < first || c >= first + count ? c : first + 5 * (c - first + 1) % count;
    });
  };
  EXPECT_EQ(shuffled(21).empty(), false);
  EXPECT_EQ(permuted(2, 17),
            Words{"the same after one permutation of columns: 2 holds 7, 3 holds 12, 4 holds 17, .."});
  // Sines and cosines of two axes, stacked by function and not by axis: the second and the third of four
  // parts.
  EXPECT_EQ(held(16, [](std::size_t c) { return c < 4 || c >= 12 ? c
                                                : c < 8          ? c + 4
                                                                 : c - 4; }),
            Words{"the same after one permutation of columns: 4 to 7 hold 8 to 11, 8 to 11 hold 4 to 7"});
  const auto exchanged_in_parts = [](std::size_t parts) {
    return held(4 * parts + 2, [=](std::size_t c) { return c < 4 * parts ? c % 4 < 2 ? c + 2 : c - 2 : c; });
  };
  EXPECT_EQ(
      exchanged_in_parts(2),
      Words{
          "the same after one permutation of columns: 0 to 1 hold 2 to 3, 2 to 3 hold 0 to 1, 4 to 5 hold 6 "
          "to 7, 6 to 7 hold 4 to 5"});
  EXPECT_EQ(exchanged_in_parts(3),
            Words{"the same after one permutation of columns: 0 holds 2, 1 holds 3, 2 holds 0, .."});
  EXPECT_EQ(held(4, [](std::size_t c) { return c == 3 ? 1 : c; }), Words{"column 3 holds column 1"});
  EXPECT_EQ(held(12, [](std::size_t c) { return c == 4 || c == 5 || c == 11 ? c - 2 : c; }),
            Words{"columns 4, 5 and 11 hold columns 2, 3 and 9"});
  // Seven that are in no order, each twice: no list of them is read.
  EXPECT_EQ(held(16, [](std::size_t c) { return c * c % 16; }), Words{});
}

TEST(MeasuredColumns, with_factors_that_rounding_makes_unequal_are_one_group) {
  EXPECT_EQ(words(3,
                  [](std::size_t c) {
                    return MeasuredColumn{c, c == 0 ? 1 : c == 1 ? 2 : 2 * (1 + 9e-6)};
                  }),
            Words{"columns 1 and 2 are 2 times the declared one"});
  EXPECT_EQ(words(3,
                  [](std::size_t c) {
                    return MeasuredColumn{c, c == 0 ? 1 : c == 1 ? 2 : 2.001};
                  }),
            (Words{"column 1 is 2 times the declared one", "column 2 is 2.001 times the declared one"}));
}

// A wrong sign alone is said to be one.
TEST(MeasuredColumns, of_the_other_sign_have_a_factor_where_it_is_not_minus_1) {
  const auto first = [](double factor) {
    return words(3, [=](std::size_t c) { return MeasuredColumn{c, c == 0 ? factor : 1}; });
  };
  EXPECT_EQ(first(-1), Words{"column 0 has the wrong sign"});
  EXPECT_EQ(first(-0.5), Words{"column 0 is -0.5 times the declared one"});
}

TEST(MeasuredColumns, that_are_multiples_of_others_are_said_to_be) {
  EXPECT_EQ(words(3,
                  [](std::size_t c) {
                    return c == 0 ? MeasuredColumn{2, 0.25} : MeasuredColumn{c, 1};
                  }),
            Words{"column 0 holds 0.25 times column 2"});
  EXPECT_EQ(words(3,
                  [](std::size_t c) {
                    return c == 0 ? MeasuredColumn{2, -1} : MeasuredColumn{c, c == 1 ? 0.25 : 1};
                  }),
            (Words{"column 0 holds minus column 2", "column 1 is 0.25 times the declared one"}));
}

TEST(MeasuredColumns, that_are_moved_on_are_said_by_the_shorter_way) {
  EXPECT_EQ(held(16, [](std::size_t c) { return (c + 3) % 16; }),
            Words{"every column is the one 3 later, the last the first"});
  EXPECT_EQ(held(16, [](std::size_t c) { return (c + 13) % 16; }),
            Words{"every column is the one 3 before, the first the last"});
  EXPECT_EQ(held(7, [](std::size_t c) { return (c + 3) % 7; }),
            Words{"every column is the one 3 later, the last the first"});
  // An odd number has no two halves.
  EXPECT_EQ(held(7, [](std::size_t c) { return (c + 4) % 7; }),
            Words{"every column is the one 3 before, the first the last"});
  EXPECT_EQ(held(3, [](std::size_t c) { return (c + 2) % 3; }),
            Words{"every column is the one before, the first the last"});
}

// An entry tells a factor where rounding may change it by an eighth of itself at most.
TEST(MeasuredColumns, are_measured_where_an_entry_is_eight_times_what_rounding_does) {
  const auto is_measured = [](double entry) {
    return measured_columns({{2 * entry}}, {{entry}}, {{1}}).has_value();
  };
  EXPECT_TRUE(is_measured(8));
  EXPECT_FALSE(is_measured(7));
}

TEST(MeasuredColumns, of_more_than_six_factors_are_no_finding) {
  const auto factors = [](std::size_t different) {
    return words(9, [=](std::size_t c) { return MeasuredColumn{c, c < different ? 2.0 + double(c) : 1}; });
  };
  EXPECT_EQ(factors(6).size(), 6u);
  EXPECT_EQ(factors(7), Words{});
}

}  // namespace
}  // namespace posproof::measured_columns_test
