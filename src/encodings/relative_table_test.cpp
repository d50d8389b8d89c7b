#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <utility>

#include "catalogue/encodings/alibi.h"
#include "catalogue/encodings/relative_table.h"
#include "catalogue/encodings/t5_bias.h"
#include "encodings/made.h"

namespace posproof::relative_table_test {
namespace {

using Doubles = std::vector<double>;

std::array<Doubles, 2> entries(std::string_view parameters, const std::vector<Position>& queries,
                               const std::vector<Position>& keys, std::size_t axes = 2) {
  const Parameters all = with(encodings::relative_table, Case::parse(parameters));
  std::array<Doubles, 2> out;
  for (const bool exact : {false, true}) {
    const auto bias =
        as<Bias>(exact ? encodings::relative_table.oracle(all) : encodings::relative_table.make(all));
    EXPECT_EQ(bias.positions.axes, axes);
    out[exact] = bias.bias({queries, axes}, {keys, axes}).data;
  }
  return out;
}

void expect(std::string_view parameters, const std::vector<Position>& queries,
            const std::vector<Position>& keys, const Doubles& right, std::size_t axes = 2) {
  for (const Doubles& found : entries(parameters, queries, keys, axes)) EXPECT_EQ(found, right) << parameters;
}

// The index of the Swin Transformer's code for a window of 2 rows and 3 columns, its tokens row by row,
// computed by numpy from that code's steps.
TEST(RelativeTable, has_the_index_of_swin) {
  const std::vector<Position> window = {0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2};
  expect("heads=1 height=2 width=3", window, window,
         {7,  6,  5,  2, 1, 0, 8,  7,  6,  3, 2, 1, 9,  8,  7,  4, 3, 2,
          12, 11, 10, 7, 6, 5, 13, 12, 11, 8, 7, 6, 14, 13, 12, 9, 8, 7});
}

// The index of Video Swin's code for a window of 2 frames, 2 rows and 2 columns, its tokens frame by frame
// and row by row, computed by numpy from that code's steps.
TEST(RelativeTable, has_the_index_of_video_swin) {
  const std::vector<Position> window = {0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1,
                                        1, 0, 0, 1, 0, 1, 1, 1, 0, 1, 1, 1};
  expect("heads=1 axes=time_rows_and_columns frames=2 height=2 width=2", window, window,
         {13, 12, 10, 9,  4,  3,  1,  0,  14, 13, 11, 10, 5,  4,  2,  1,  16, 15, 13, 12, 7,  6,
          4,  3,  17, 16, 14, 13, 8,  7,  5,  4,  22, 21, 19, 18, 13, 12, 10, 9,  23, 22, 20, 19,
          14, 13, 11, 10, 25, 24, 22, 21, 16, 15, 13, 12, 26, 25, 23, 22, 17, 16, 14, 13},
         3);
  // One frame on, two rows up and one column to the left, of a window that has another extent on each axis.
  const std::vector<Position> query = {2, 1, 2}, key = {1, 3, 3};
  const std::string words = "axes=time_rows_and_columns frames=3 height=4 width=5";
  expect("heads=1 " + words, query, key, {(1 + 2) * 63 + (-2 + 3) * 9 + (-1 + 4)}, 3);
  expect("heads=2 " + words + " relative=key_minus_query", query, key,
         {(-1 + 2) * 63 + (2 + 3) * 9 + (1 + 4), 315 + (-1 + 2) * 63 + (2 + 3) * 9 + (1 + 4)}, 3);
  expect("heads=1 " + words + " relative=distance", query, key, {1 * 20 + 2 * 5 + 1}, 3);
  // These are said of rows and columns alone.
  expect("heads=1 " + words + " fastest=rows class_token=three_rows", query, key, {201}, 3);
}

// With one frame it is the window of an image.
TEST(RelativeTable, of_one_frame_is_a_window_of_rows_and_columns) {
  const std::vector<Position> image = {0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2};
  std::vector<Position> video;
  for (std::size_t n = 0; n < image.size(); n += 2) video.insert(video.end(), {0, image[n], image[n + 1]});
  for (const std::string relative : {"query_minus_key", "key_minus_query", "distance"}) {
    const std::string words = "heads=2 height=2 width=3 table=seeded relative=" + relative;
    EXPECT_EQ(entries(words + " axes=time_rows_and_columns frames=1", video, video, 3),
              entries(words, image, image));
  }
}

// The index of BEiT's code for a window of 2 rows and 2 columns behind a class token: 9 rows of offsets, then
// 9 of the class token to a patch, 10 of a patch to it, 11 of it to itself.
TEST(RelativeTable, has_the_index_of_beit) {
  const std::vector<Position> tokens = {-1, -1, 0, 0, 0, 1, 1, 0, 1, 1};
  const std::string words = "height=2 width=2 class_token=three_rows";
  expect("heads=1 " + words, tokens, tokens,
         {11, 9, 9, 9, 9, 10, 4, 3, 1, 0, 10, 5, 4, 2, 1, 10, 7, 6, 4, 3, 10, 8, 7, 5, 4});
  // One negative number is enough, and each head has its 12 rows.
  expect("heads=2 " + words, {-1, 3, 0, 0}, {0, -1, 1, 1}, {11, 9, 10, 0, 23, 21, 22, 12});
  expect("heads=1 height=2 width=2", {-1, 3}, {0, -1}, {2});
  for (const bool exact : {false, true}) {
    const Parameters all = with(encodings::relative_table, Case::parse(words));
    const auto bias =
        as<Bias>(exact ? encodings::relative_table.oracle(all) : encodings::relative_table.make(all));
    EXPECT_EQ(bias.positions.lo, -1);
  }
}

// LeViT's and TinyViT's code: a row for each pair of distances, as they appear in a loop over all pairs of
// tokens.
TEST(RelativeTable, has_the_rows_of_distances_as_they_appear) {
  const std::pair<Position, Position> windows[] = {{2, 3}, {3, 2}, {4, 4}, {1, 5}};
  for (const auto& [height, width] : windows) {
    std::vector<Position> tokens;
    for (Position y = 0; y < height; ++y)
      for (Position x = 0; x < width; ++x) tokens.insert(tokens.end(), {y, x});
    std::vector<std::pair<Position, Position>> seen;
    Doubles right;
    for (std::size_t i = 0; i < tokens.size(); i += 2)
      for (std::size_t j = 0; j < tokens.size(); j += 2) {
        const std::pair apart(std::abs(tokens[i] - tokens[j]), std::abs(tokens[i + 1] - tokens[j + 1]));
        const auto known = std::ranges::find(seen, apart);
        right.push_back(static_cast<double>(known - seen.begin()));
        if (known == seen.end()) seen.push_back(apart);
      }
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(height * width));
    expect("heads=1 relative=distance height=" + std::to_string(height) + " width=" + std::to_string(width),
           tokens, tokens, right);
  }
  // Two rows up and one column to the right of a window of 4 rows and 3 columns; a line is clipped.
  const std::vector<Position> query = {1, 1}, key = {3, 0};
  expect("heads=2 height=4 width=3 relative=distance", query, key, {7, 19});
  expect("heads=2 height=4 width=3 relative=distance fastest=rows", query, key, {6, 18});
  expect("heads=2 axes=line width=3 relative=distance", {9, 8}, {8, 30}, {1, 2, 0, 2, 4, 5, 3, 5}, 1);
  EXPECT_EQ(
      refused(encodings::relative_table, "relative=distance class_token=three_rows"),
      "`class_token=three_rows axes=rows_and_columns relative=distance`; allowed: none, where entries are those of "
      "distances");
  EXPECT_EQ(refused(encodings::relative_table, "axes=line relative=distance class_token=three_rows"),
            "not refused");
}

TEST(RelativeTable, of_a_grid_ends_with_its_window) {
  const struct {
    std::string_view words;
    std::vector<Position> last;
    Position hi;
  } all[] = {{"height=3 width=5", {2, 4}, 4},
             {"height=5 width=2 class_token=three_rows", {4, 1}, 4},
             {"axes=time_rows_and_columns frames=6 height=3 width=5", {5, 2, 4}, 5},
             {"axes=line width=3", {}, 1 << 20}};
  for (const auto& [words, last, hi] : all)
    for (const bool exact : {false, true}) {
      const Parameters p = with(encodings::relative_table, Case::parse(words));
      const auto bias =
          as<Bias>(exact ? encodings::relative_table.oracle(p) : encodings::relative_table.make(p));
      EXPECT_EQ(bias.positions.last_on_axis, last) << words;
      EXPECT_EQ(bias.positions.hi, hi) << words;
      if (exact && last.empty()) {
        EXPECT_EQ(bias.positions.hard, (std::vector<Position>{0, 2, 3}));
      }
    }
}

TEST(RelativeTable, has_these_conventions) {
  // Two rows down and one column to the left of a window of 4 rows and 3 columns.
  const std::vector<Position> query = {3, 0}, key = {1, 1};
  expect("heads=1 height=4 width=3", query, key, {(2 + 3) * 5 - 1 + 2});
  expect("heads=1 height=4 width=3 relative=key_minus_query", query, key, {(-2 + 3) * 5 + 1 + 2});
  expect("heads=1 height=4 width=3 fastest=rows", query, key, {(-1 + 2) * 7 + 2 + 3});
  expect("heads=2 height=4 width=3 scale=8", query, key, {8 * 26, 8 * (26 + 35)});
  expect("heads=1 axes=line width=3", {9}, {8}, {3}, 1);
  expect("heads=2 axes=line width=3 relative=key_minus_query", {9}, {8}, {1, 6}, 1);
  expect("heads=2 axes=line width=3 class_token=three_rows", {9, -1}, {8}, {3, 0, 8, 5}, 1);
}

TEST(RelativeTable, holds_offsets_within_the_window) {
  expect("heads=1 height=2 width=3", {0, 0}, {9, 9}, {0});
  expect("heads=1 height=2 width=3", {9, 9}, {0, 0}, {14});
  expect("heads=1 height=2 width=3", {9, 0}, {0, 9}, {10});
  expect("heads=1 axes=line width=3", {0, 7, 2, 3}, {2}, {0, 4, 2, 3}, 1);
}

// Row 26, column 1 of 2 columns is entry 53 of the seed's table.
TEST(RelativeTable, gives_each_head_its_column) {
  const std::vector<Position> query = {3, 0}, key = {1, 1};
  for (const Doubles& found : entries("heads=2 height=4 width=3 table=seeded", query, key)) {
    EXPECT_DOUBLE_EQ(found[0], -0.1818892421452809);
    EXPECT_DOUBLE_EQ(found[1], 0.17515191229031224);
  }
  for (const Doubles& found :
       entries("heads=2 height=4 width=3 table=seeded scale=3 table_seed=2", query, key))
    EXPECT_DOUBLE_EQ(found[1], 3 * 1.2363722405511945);
}

// Entries relative to the query's own: ALiBi's with that slope, T5's while every offset has a bucket.
TEST(RelativeTable, is_alibi_and_t5_inside_its_window) {
  const auto row = [](const EncodingSpec& spec, std::string_view words) {
    const std::array<Position, 1> query = {60};
    const std::array<Position, 5> keys = {60, 59, 58, 50, 45};
    Doubles entries = made<Bias>(spec, words).bias(query, keys).data;
    for (std::size_t n = entries.size(); n-- > 0;) entries[n] -= entries[0];
    return entries;
  };
  EXPECT_EQ(
      row(encodings::relative_table, "heads=1 axes=line width=64 relative=key_minus_query scale=0.00390625"),
      row(encodings::alibi, "heads=1"));
  EXPECT_EQ(row(encodings::relative_table, "heads=1 axes=line width=16"),
            row(encodings::t5_bias, "heads=1 direction=unidirectional"));
}

TEST(RelativeTable, refuses_what_makes_no_sense) {
  EXPECT_EQ(refused(encodings::relative_table, "height=0"),
            "`height=0`; allowed: whole numbers from 1 to 4096");
  EXPECT_EQ(refused(encodings::relative_table, "height=4096 width=4096"),
            "`height=4096 width=4096 axes=rows_and_columns`; allowed: tables of up to 1048576 rows");
  EXPECT_EQ(
      refused(encodings::relative_table, "axes=time_rows_and_columns height=513 width=513"),
      "`frames=8 height=513 width=513 axes=time_rows_and_columns`; allowed: tables of up to 1048576 rows");
  EXPECT_EQ(refused(encodings::relative_table, "axes=line height=4096 width=4096"), "not refused");
  // 1025 x 1023 rows are one less than 2^20, and 3 more are too many.
  EXPECT_EQ(refused(encodings::relative_table, "height=513 width=512"), "not refused");
  EXPECT_NE(refused(encodings::relative_table, "height=513 width=512 class_token=three_rows"), "not refused");
}

}  // namespace
}  // namespace posproof::relative_table_test
