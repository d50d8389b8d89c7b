// Of which grid a file of rotations is.
#include "identify/identified_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "run/catalogued.h"

namespace posproof::identified_grid_test {
namespace {

// The rotations of a grid of 6 x 4 in a file that is read with so many columns. `wrong` of its places,
// counted row by row, are those of the next one.
Rotary read_with(Position columns, const std::vector<Position>& wrong = {}) {
  constexpr Position rows = 6, all = 24;
  auto out = as<Rotary>(encoding_named("axial_rope").make(Case::parse("dim=8")));
  out.positions.last_on_axis = {all / columns - 1, columns - 1};
  out.positions.hi = std::max(all / columns, columns) - 1;
  out.rotate = [=, own = out.rotate](const Tensor& x, const Positions& at, Role role) {
    std::vector<Position> places;
    for (std::size_t n = 0; n < at.size(); ++n) {
      const Position place = at.flat()[2 * n] * columns + at.flat()[2 * n + 1],
                     there = place + (std::ranges::find(wrong, place) != wrong.end() ? 1 : 0);
      places.insert(places.end(), {there / (all / rows), there % (all / rows)});
    }
    return own(x, {places, 2}, role);
  };
  return out;
}

TEST(IdentifiedGrid, is_the_one_where_each_pair_rotates_along_one_number) {
  EXPECT_TRUE(is_of_its_grid(read_with(4)));
  for (const Position columns : {2, 3, 6, 8, 12}) EXPECT_FALSE(is_of_its_grid(read_with(columns))) << columns;
  // One place that is another is none of a grid, the last too.
  for (const Position place : {0, 5, 22}) EXPECT_FALSE(is_of_its_grid(read_with(4, {place}))) << place;
}

}  // namespace
}  // namespace posproof::identified_grid_test
