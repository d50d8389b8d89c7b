// Tables of trained numbers, by what their entries share.
#include "identify/identified_window.h"

#include <gtest/gtest.h>

#include <cmath>

#include <string>

#include "run/catalogued.h"

namespace posproof::identified_window_test {
namespace {

using Texts = std::vector<std::string>;

const EncodingSpec& spec() {
  return encoding_named("relative_table");
}

// As a file has it: a class token first, where there is one, and the places row by row.
MeasuredBias of(const std::string& words, const std::vector<Position>& tokens, std::size_t axes) {
  const Encoding made = spec().make(Case::parse("table=seeded " + words));
  const Positions at(tokens, axes);
  return {as<Bias>(made).bias(at, at), 0};
}

std::vector<Position> line(Position tokens) {
  std::vector<Position> out;
  for (Position t = 0; t < tokens; ++t) out.push_back(t);
  return out;
}

std::vector<Position> places(Position rows, Position columns, std::vector<Position> first = {}) {
  for (Position row = 0; row < rows; ++row)
    for (Position column = 0; column < columns; ++column) first.insert(first.end(), {row, column});
  return first;
}

Texts found(const MeasuredBias& bias) {
  Texts out;
  for (const Candidate& one : trained_windows(spec(), bias)) {
    EXPECT_EQ(one.encoding, "relative_table");
    out.push_back(one.parameters.text());
  }
  return out;
}

Texts each(const std::string& window, const Texts& ends) {
  Texts out;
  for (const std::string& end : ends) out.push_back(window + end);
  return out;
}

const Texts directed = {" relative=query_minus_key fastest=columns", " relative=query_minus_key fastest=rows",
                        " relative=key_minus_query fastest=columns",
                        " relative=key_minus_query fastest=rows"};

TEST(TrainedWindows, are_those_of_a_grid_that_is_not_square) {
  EXPECT_EQ(found(of("heads=2 height=3 width=5", places(3, 5), 2)),
            each("heads=2 width=5 axes=rows_and_columns height=3 class_token=none", directed));
}

TEST(TrainedWindows, stand_behind_a_class_token) {
  EXPECT_EQ(found(of("heads=3 height=4 width=3 class_token=three_rows", places(4, 3, {-1, -1}), 2)),
            each("heads=3 width=3 axes=rows_and_columns height=4 class_token=three_rows", directed));
}

TEST(TrainedWindows, of_distances_have_no_direction) {
  EXPECT_EQ(found(of("heads=2 height=4 width=4 relative=distance", places(4, 4), 2)),
            each("heads=2 width=4 axes=rows_and_columns height=4 class_token=none",
                 {" relative=distance fastest=columns", " relative=distance fastest=rows"}));
}

TEST(TrainedWindows, of_a_line_end_where_offsets_are_clipped) {
  const Texts either = {" relative=query_minus_key", " relative=key_minus_query"};
  EXPECT_EQ(found(of("heads=2 axes=line width=5", line(12), 1)), each("heads=2 width=5 axes=line", either));
  EXPECT_EQ(found(of("heads=2 axes=line width=12", line(12), 1)), each("heads=2 width=12 axes=line", either));
  EXPECT_EQ(found(of("heads=2 axes=line width=6 relative=distance", line(12), 1)),
            Texts{"heads=2 width=6 axes=line relative=distance"});
}

// Two columns neither rise and fall; five rows do.
TEST(TrainedWindows, may_turn_along_their_columns_alone) {
  EXPECT_EQ(found(of("heads=2 height=5 width=2", places(5, 2), 2)),
            each("heads=2 width=2 axes=rows_and_columns height=5 class_token=none", directed));
}

// Of one head, whose numbers are those of the offsets.
MeasuredBias by_offset(Position tokens, double (*number)(Position offset)) {
  MeasuredBias out{Tensor({1, static_cast<std::size_t>(tokens), static_cast<std::size_t>(tokens)}), 0};
  for (Position query = 0; query < tokens; ++query)
    for (Position key = 0; key < tokens; ++key)
      out.entries.at(static_cast<std::size_t>(query), static_cast<std::size_t>(key)) = number(key - query);
  return out;
}

TEST(TrainedWindows, of_a_line_may_turn_on_one_side_alone) {
  const auto later = [](Position offset) { return offset == 3 ? 100.5 : static_cast<double>(offset); };
  const auto earlier = [](Position offset) { return offset == -3 ? 100.5 : static_cast<double>(offset); };
  const Texts both = {"heads=1 width=12 axes=line relative=query_minus_key",
                      "heads=1 width=12 axes=line relative=key_minus_query"};
  EXPECT_EQ(found(by_offset(12, later)), both);
  EXPECT_EQ(found(by_offset(12, earlier)), both);
  EXPECT_EQ(found(by_offset(12, [](Position offset) { return static_cast<double>(offset); })), Texts());
}

// Five offsets of nine entries are looked up less than twice in the mean.
TEST(TrainedWindows, are_none_of_three_tokens_or_of_numbers_that_are_infinite) {
  const auto turning = [](Position offset) {
    return std::sin(static_cast<double>(7 * offset * offset + offset));
  };
  EXPECT_EQ(found(by_offset(3, turning)), Texts());
  EXPECT_EQ(found(by_offset(12, turning)).size(), 2u);
  EXPECT_EQ(found(by_offset(12,
                            [](Position offset) {
                              return offset == 4
                                         ? HUGE_VAL
                                         : std::sin(static_cast<double>(7 * offset * offset + offset));
                            })),
            Texts());
}

// In the last head and the last row, and by one unit in the last place.
TEST(TrainedWindows, are_none_where_one_entry_is_another) {
  MeasuredBias bias = of("heads=2 height=3 width=5", places(3, 5), 2);
  double& entry = bias.entries.data[bias.entries.data.size() - 2];
  entry = std::nextafter(entry, 9.0);
  EXPECT_EQ(found(bias), Texts());
  entry = std::nan("");
  EXPECT_EQ(found(bias), Texts());
}

// Numbers of a formula rise or fall with the distance in every head, and two rows of a table are not alike.
TEST(TrainedWindows, are_none_of_a_formula_or_of_few_numbers) {
  MeasuredBias falls{Tensor({2, 12, 12}), 0}, two = falls, one_turns = falls;
  for (std::size_t h = 0; h < 2; ++h)
    for (std::size_t query = 0; query < 12; ++query)
      for (std::size_t key = 0; key < 12; ++key) {
        const double distance = std::abs(static_cast<double>(query) - static_cast<double>(key));
        falls.entries.at(h * 12 + query, key) = -distance / static_cast<double>(h + 1);
        one_turns.entries.at(h * 12 + query, key) = h == 1 && distance == 7 ? 3 : -distance;
        two.entries.at(h * 12 + query, key) = static_cast<double>(static_cast<int>(distance) % 3);
      }
  EXPECT_EQ(found(falls), Texts());
  EXPECT_EQ(found(one_turns), Texts{"heads=2 width=12 axes=line relative=distance"});
  EXPECT_EQ(found(two), Texts());
}

}  // namespace
}  // namespace posproof::identified_window_test
