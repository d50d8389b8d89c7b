// Positions of one number a token and of several, whole and real.
#include "core/positions.h"

#include <gtest/gtest.h>

namespace posproof::positions_test {
namespace {

template <class Asked>
std::string refused(const Asked& asked) {
  try {
    asked();
  } catch (const Refusal& refusal) {
    return refusal.what();
  }
  return "taken";
}

TEST(Positions, of_one_number_a_token_are_a_list) {
  const std::vector<Position> given = {3, -1, 7};
  const Positions positions(given);
  EXPECT_EQ(positions.size(), 3u);
  EXPECT_EQ(positions.axes(), 1u);
  EXPECT_TRUE(positions.are_whole());
  EXPECT_FALSE(positions.empty());
  EXPECT_EQ(positions[1], -1);
  EXPECT_EQ(positions.at(2), 7.0);
  EXPECT_EQ(positions.back(), 7);
  EXPECT_EQ(std::vector<Position>(positions.begin(), positions.end()), given);
  EXPECT_TRUE(Positions(std::vector<Position>{}).empty());
}

TEST(Positions, of_a_grid_are_row_major) {
  const std::vector<Position> given = {1, 10, 2, 20, 3, 30};
  const Positions positions(std::span<const Position>(given), 2);
  EXPECT_EQ(positions.size(), 3u);
  for (std::size_t token = 0; token < 3; ++token) {
    EXPECT_EQ(positions.at(token), given[2 * token]);
    EXPECT_EQ(positions.at(token, 1), given[2 * token + 1]);
  }
  EXPECT_EQ(positions.flat().size(), 6u);
  EXPECT_EQ(refused([&] { positions.whole(); }),
            "positions of 2 axes were given; one number for each token is taken");
}

TEST(Positions, that_are_real_are_no_whole_ones) {
  const std::vector<double> given = {0.25, 10.5, 0.5, 20.5};
  const Positions grid(std::span<const double>(given), 2), line{std::span<const double>(given)};
  EXPECT_FALSE(grid.are_whole());
  EXPECT_EQ(grid.size(), 2u);
  EXPECT_EQ(line.size(), 4u);
  EXPECT_EQ(grid.at(1), 0.5);
  EXPECT_EQ(grid.at(1, 1), 20.5);
  EXPECT_EQ(line.at(3), 20.5);
  const std::string no = "positions that are no whole numbers were given; whole ones are taken";
  EXPECT_EQ(refused([&] { line.whole(); }), no);
  EXPECT_EQ(refused([&] { grid.flat(); }), no);
}

}  // namespace
}  // namespace posproof::positions_test
