// Positions that count the padding before them, as the Python SDK puts it there.
#include "diagnosis/padding_effects.h"

#include <gtest/gtest.h>

#include <vector>

namespace posproof::padding_effects_test {
namespace {

using Row = std::vector<Position>;

Row moved(std::size_t effect, const Row& row, bool contents = false) {
  Call call;
  call.positions.whole = row;
  return effects_of_padding(contents).at(effect).begin()(call, 0, 1).call.positions.whole;
}

enum Number : std::size_t {
  columns,
  from_the_end,
  ahead,
  behind,
  along_the_batch,
  of_the_first,
  of_the_last = 11
};

// Rows of 1 to 6 tokens. Of two rows the shorter one begins one or two columns later, and has the last tokens
// no more; where the sum of the positions is odd, the longer one has all.
TEST(PaddingEffects, move_positions_by_the_columns_before) {
  const std::vector<Row> by_columns = {{1},          {2, 3},          {3, 4, 5},
                                       {1, 2, 3, 3}, {3, 4, 5, 4, 5}, {2, 3, 4, 5, 6, 7}},
                         left = {{0}, {1, 0}, {2, 1, 0}, {2, 1, 0, 0}, {2, 1, 0, 1, 0}, {5, 4, 3, 2, 1, 0}};
  for (std::size_t n = 0; n < left.size(); ++n) {
    Row row;
    for (std::size_t t = 0; t <= n; ++t) row.push_back(static_cast<Position>(t));
    EXPECT_EQ(moved(columns, row, true), by_columns[n]);
    EXPECT_EQ(moved(from_the_end, row, true), left[n]);
  }
  // In another order, with gaps, and a position that stands twice: the second time alone in its call.
  EXPECT_EQ(moved(columns, {4, 1, 3, 1}, true), (Row{5, 4, 4, 3}));
  EXPECT_EQ(moved(columns, {4, 1, 3, 1}), (Row{5, 2, 4, 2}));  // of a table in the same one
  // Padding, where it has a row of its own.
  EXPECT_EQ(moved(columns, {-1, 1, 0, 3, 2}), (Row{-1, 1, 0, 3, 2}));
  EXPECT_EQ(moved(from_the_end, {-1, 1, 0, 3, 2}), (Row{-1, 2, 3, 0, 1}));
  EXPECT_EQ(moved(columns, {-1, 1, 0, 2}), (Row{-1, 4, 5, 5}));
  EXPECT_EQ(moved(from_the_end, {-1, 1, 0, 2}), (Row{-1, 1, 0, 0}));
}

// Of five tokens the longer row has one column of padding, the shorter three; of four none and one.
TEST(PaddingEffects, give_all_rows_the_positions_of_the_first) {
  const auto first = [](const Row& row, std::size_t way) { return moved(of_the_first + way, row); };
  for (std::size_t way = 0; way < 6; ++way) EXPECT_EQ(first({0, 1, 2, 3, 4}, way), (Row{2, 3, 4, 3, 4}));
  // The shorter one comes first, and has padding in the column of the longer one's first token.
  const Position padding[] = {0, 1, -1};
  for (std::size_t way = 0; way < 6; ++way) {
    EXPECT_EQ(first({-1, 4, 0}, way), (Row{-1, 2, padding[way % 3]})) << way;
    EXPECT_EQ(first({-1, 3, 0}, way), (Row{way < 3 ? -1 : 0, 3, 1})) << "no padding in the first row";
  }
}

// Of three tokens the longer row has three columns of padding, the shorter five.
TEST(PaddingEffects, give_all_rows_the_positions_of_the_last) {
  const auto last = [](const Row& row, std::size_t way) { return moved(of_the_last + way, row); };
  const Position padding[] = {0, 1, -1};
  for (std::size_t way = 0; way < 6; ++way) {
    EXPECT_EQ(last({0, 1, 2, 3, 4}, way), (Row{0, 1, 2, 1, 2}));
    EXPECT_EQ(last({2, 1}, way), (Row{2, 1})) << "the longer one";
    EXPECT_EQ(last({2, 1, 1}, way), (Row{0, padding[way % 3], padding[way % 3]})) << way;
  }
}

// Of four tokens the longer row has no padding, and the shorter one column; the last token is the longer
// one's.
TEST(PaddingEffects, move_what_is_behind_padding) {
  EXPECT_EQ(moved(ahead, {0, 1, 2, 3}), (Row{1, 2, 3, 3}));
  EXPECT_EQ(moved(ahead, {0, 1, 2, 3, 4}), (Row{1, 2, 3, 4, 5}));
  EXPECT_EQ(moved(ahead, {-1, 3, 0}), (Row{-1, 3, 1}));
  EXPECT_EQ(moved(ahead, {3, 0}), (Row{3, 0})) << "all of the longer one";
  EXPECT_EQ(moved(behind, {0, 1, 2, 3}), (Row{-1, 0, 1, 3}));
}

// A token of the row that comes second is the second one of its column, but where there is padding in the
// first.
TEST(PaddingEffects, sum_the_mask_along_the_batch) {
  EXPECT_EQ(moved(along_the_batch, {0, 1, 2, 3, 4}), (Row{1, 1, 1, 0, 0}));
  EXPECT_EQ(moved(along_the_batch, {3, 0, -1}), (Row{0, 1, -1}));
  EXPECT_EQ(moved(along_the_batch, {4, 3, 0}), (Row{1, 1, 0})) << "the longer one";
}

}  // namespace
}  // namespace posproof::padding_effects_test
