// Positions that count the padding before them, as the Python SDK puts it there.
#include "diagnosis/padding_effects.h"

#include <gtest/gtest.h>

#include <vector>

namespace posproof::padding_effects_test {
namespace {

// Rows of 1 to 6 tokens. The second of two rows begins one or two columns later, and has the last tokens no
// more.
TEST(PaddingEffects, move_positions_by_the_columns_before) {
  const std::vector<std::vector<Position>> columns = {{1},          {3, 3},          {5, 4, 5},
                                                      {1, 2, 3, 3}, {3, 4, 5, 4, 5}, {3, 4, 5, 6, 7, 7}};
  const std::vector<std::vector<Position>> from_the_end = {{0},          {0, 0},          {0, 1, 0},
                                                           {2, 1, 0, 0}, {2, 1, 0, 1, 0}, {4, 3, 2, 1, 0, 0}};
  const auto moved = [](std::size_t effect, const std::vector<Position>& row, bool contents = true) {
    Call call;
    call.positions.whole = row;
    return effects_of_padding(contents).at(effect).begin()(call, 0, 1).call.positions.whole;
  };
  for (std::size_t n = 0; n < columns.size(); ++n) {
    std::vector<Position> row;
    for (std::size_t t = 0; t <= n; ++t) row.push_back(static_cast<Position>(t));
    EXPECT_EQ(moved(0, row), columns[n]);
    EXPECT_EQ(moved(1, row), from_the_end[n]);
  }
  // In another order, with gaps, and a position that stands twice: the second time alone in its call.
  EXPECT_EQ(moved(0, {4, 1, 3, 1}), (std::vector<Position>{5, 4, 4, 3}));
  EXPECT_EQ(moved(0, {4, 1, 3, 1}, false),
            (std::vector<Position>{5, 4, 4, 4}));  // of a table in the same one
  // Padding, where it has a row of its own.
  EXPECT_EQ(moved(0, {-1, 1, 0, 3, 2}), (std::vector<Position>{-1, 2, 1, 3, 3}));
  EXPECT_EQ(moved(1, {-1, 1, 0, 3, 2}), (std::vector<Position>{-1, 1, 2, 0, 0}));
}

// Of five tokens the first row has one column of padding, the second three; of four none and one.
TEST(PaddingEffects, give_all_rows_the_positions_of_one) {
  const auto moved = [](std::size_t effect, const std::vector<Position>& row) {
    Call call;
    call.positions.whole = row;
    return effects_of_padding(false).at(effect).begin()(call, 0, 1).call.positions.whole;
  };
  EXPECT_EQ(moved(2, {0, 1, 2, 3, 4}), (std::vector<Position>{2, 3, 4, 3, 4}));
  EXPECT_EQ(moved(2, {-1, 4, 0}), (std::vector<Position>{-1, 4, 2}));
  EXPECT_EQ(moved(2, {-1, 3, 0}), (std::vector<Position>{0, 3, 1})) << "no padding in the first row";
  EXPECT_EQ(moved(3, {0, 1, 2, 3, 4}), (std::vector<Position>{0, 1, 2, 1, 2}));
  EXPECT_EQ(moved(3, {2, 1}), (std::vector<Position>{0, -1})) << "padding in the second row";
}

// Of four tokens the first row has no padding, and the second one column; the last token is the first row's.
TEST(PaddingEffects, move_what_is_behind_padding) {
  const auto moved = [](std::size_t effect, const std::vector<Position>& row) {
    Call call;
    call.positions.whole = row;
    return effects_of_padding(false).at(effect).begin()(call, 0, 1).call.positions.whole;
  };
  EXPECT_EQ(moved(4, {0, 1, 2, 3}), (std::vector<Position>{1, 2, 3, 3}));
  EXPECT_EQ(moved(4, {0, 1, 2, 3, 4}), (std::vector<Position>{1, 2, 3, 4, 5}));
  EXPECT_EQ(moved(4, {-1, 3, 0}), (std::vector<Position>{-1, 3, 1}));
  EXPECT_EQ(moved(5, {0, 1, 2, 3}), (std::vector<Position>{-1, 0, 1, 3}));
}

// The tokens that both rows have are taken of the second, where each is the second one of its column.
TEST(PaddingEffects, sum_the_mask_along_the_batch) {
  const auto moved = [](const std::vector<Position>& row) {
    Call call;
    call.positions.whole = row;
    return effects_of_padding(false).at(6).begin()(call, 0, 1).call.positions.whole;
  };
  EXPECT_EQ(moved({0, 1, 2, 3, 4}), (std::vector<Position>{1, 1, 1, 0, 0}));
  EXPECT_EQ(moved({3, 0, -1}), (std::vector<Position>{0, 1, -1}));
}

}  // namespace
}  // namespace posproof::padding_effects_test
