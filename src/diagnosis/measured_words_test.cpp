#include "diagnosis/measured_words.h"

#include <gtest/gtest.h>

namespace posproof::measured_words_test {
namespace {

TEST(MeasuredWords, numbers_have_the_digits_that_are_known) {
  EXPECT_EQ(number(21.3000001, 1e-6), "21.3");
  EXPECT_EQ(number(1.2079441, 1e-6), "1.20794");
  EXPECT_EQ(number(1.2079441, 1e-3), "1.21");
  EXPECT_EQ(number(1.2079441, 0.5), "1.2");
  EXPECT_EQ(number(1.23456789123, 0), "1.234568");
  EXPECT_EQ(number(500000, 1e-3), "500000");
  EXPECT_EQ(number(-53700, 1e-2), "-54000");
  EXPECT_EQ(number(9999, 1e-2), "10000");
  EXPECT_EQ(number(503, 1e-2), "500");
  EXPECT_EQ(number(99.6, 1e-2), "100");
  EXPECT_EQ(number(-512.4, 1e-3), "-512");
  EXPECT_EQ(number(3e-7, 1e-2), "3e-07");
}

TEST(MeasuredWords, numbers_that_differ_are_written_otherwise) {
  using Two = std::pair<std::string, std::string>;
  EXPECT_EQ(told_apart(15411.3, 1e-7, 15411), (Two{"15411.3", "15411"}));
  EXPECT_EQ(told_apart(15411.3, 1e-7, 15411, 0), (Two{"15411.3", "15411"}));
  EXPECT_EQ(told_apart(500000.0001, 1e-3, 500000), (Two{"500000.0001", "500000"}));
  EXPECT_EQ(told_apart(0.25, 1e-6, 0.125), (Two{"0.25", "0.125"}));
  EXPECT_EQ(told_apart(0.2500001, 1e-3, 0.25), (Two{"0.2500001", "0.25"}));
  EXPECT_EQ(told_apart(1.5, 1e-6, 1.0000001234, 0), (Two{"1.5", "1"}));
  EXPECT_EQ(told_apart(1 + 0x1p-52, 1e-6, 1), (Two{"1.0000000000000002", "1"}));
  // By how much they differ, as far as that is known.
  EXPECT_EQ(told_apart(499994.9, 1e-5, 500000, 0), (Two{"499995", "500000"}));
  EXPECT_EQ(told_apart(499994.9, 1e-8, 500000, 0), (Two{"499995", "500000"}));
  EXPECT_EQ(told_apart(10025.63, 1e-4, 10000, 0), (Two{"10026", "10000"}));
  EXPECT_EQ(told_apart(10080, 4e-3, 10000, 0), (Two{"10100", "10000"}));
  EXPECT_EQ(told_apart(0.12500125, 1e-5, 0.125), (Two{"0.125001", "0.125"}));
}

TEST(MeasuredWords, ratios_are_whole_numbers_or_their_parts_where_they_are) {
  EXPECT_EQ(times(0.125, 1e-7), "1/8 of");
  EXPECT_EQ(times(0.1250001, 1e-8), "0.1250001 times");
  EXPECT_EQ(times(2, 1e-7), "twice");
  EXPECT_EQ(times(3, 1e-7), "3 times");
  EXPECT_EQ(times(0.75, 1e-5), "0.75 times");
  EXPECT_EQ(times(1.5, 1e-5), "1.5 times");
  EXPECT_EQ(times(-2, 1e-5), "-2 times");
  EXPECT_EQ(times(1.00001, 1e-5), "(1 + 1e-05) times");
  EXPECT_EQ(times(0.99998, 1e-4), "(1 - 2e-05) times");
  EXPECT_EQ(times(1.0001, 1e-5), "1.0001 times");
  EXPECT_EQ(times(1, 1e-5), "1 times");
  // Within twice what is known of it; a ratio that is known exactly, within 2e-12.
  EXPECT_EQ(times(3 * (1 + 1.9e-4), 1e-4), "3 times");
  EXPECT_EQ(times(3 * (1 + 2.1e-4), 1e-4), "3.001 times");
  EXPECT_EQ(times(3 * (1 + 0x1p-9), 0x1p-10), "3 times") << "just twice as far";
  EXPECT_EQ(times(3 * (1 + 1.9e-12), 0), "3 times");
  EXPECT_EQ(times(3 * (1 + 1e-9), 0), "3 times");
  EXPECT_EQ(times(1, 1e-5), "1 times");
  EXPECT_EQ(times(999999, 1e-9), "999999 times");
  EXPECT_EQ(times(1e-5, 1e-9), "1/100000 of");
}

// Of positions of two numbers, and of three or four.
TEST(MeasuredWords, axes_have_names) {
  EXPECT_EQ(axis_name(0, 2), "row");
  EXPECT_EQ(axis_name(1, 2), "column");
  EXPECT_EQ(axis_name(0, 3), "time");
  EXPECT_EQ(axis_name(1, 3), "row");
  EXPECT_EQ(axis_name(2, 3), "column");
  EXPECT_EQ(axis_name(3, 4), "token");
}

TEST(MeasuredWords, numbers_of_things_are_joined_by_runs_of_three_and_more) {
  EXPECT_EQ(numbered("pair", {3}), "pair 3");
  EXPECT_EQ(numbered("pair", {61, 62}), "pairs 61 and 62");
  EXPECT_EQ(numbered("pair", {20, 21, 22, 23}), "pairs 20 to 23");
  EXPECT_EQ(numbered("pair", {0, 2, 4, 5, 6}), "pairs 0, 2 and 4 to 6");
  EXPECT_EQ(numbered("head", {1, 2, 4}), "heads 1, 2 and 4");
  EXPECT_EQ(numbered("head", {1, 3, 5, 7, 9}), "heads 1, 3, 5, 7 and 9");
  EXPECT_EQ(numbered("head", {1, 3, 5, 7, 9, 11}), "heads 1, 3, 5, .., 11");
  EXPECT_EQ(numbered("head", {0, 4, 8, 12, 16, 20, 24}), "heads 0, 4, 8, .., 24");
  EXPECT_EQ(numbered("head", {1, 3, 5, 7, 9, 12}), "heads 1, 3, 5, 7, 9 and 12");
  EXPECT_EQ(numbered("head", {1, 2, 3, 4, 5, 6}), "heads 1 to 6");
}

TEST(MeasuredWords, number_heads_that_are_others_again) {
  EXPECT_EQ(numbered_heads({1, 3, 5, 7}, 8, 2), "head 1 of 2");
  EXPECT_EQ(numbered_heads({1, 2, 5, 6}, 8, 4), "heads 1 and 2 of 4");
  EXPECT_EQ(numbered_heads({1, 3, 5}, 8, 2), "heads 1, 3 and 5 of 8");
  EXPECT_EQ(numbered_heads({1, 3, 5, 7}, 8, 8), "heads 1, 3, 5 and 7 of 8");
  EXPECT_EQ(numbered_heads({2, 5}, 7, 3), "head 2 of 3");
  EXPECT_EQ(numbered_heads({0}, 2, 16), "head 0 of 2");
}

}  // namespace
}  // namespace posproof::measured_words_test
