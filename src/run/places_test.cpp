#include "run/places.h"

#include <gtest/gtest.h>

#include <vector>

namespace posproof::places_test {
namespace {

// Row by row; of a class token the number stands on both axes, wherever one of them has it.
TEST(Places, are_those_of_a_grid_and_of_a_class_token) {
  Domain domain(-1, 2);
  domain.axes = 2, domain.last_on_axis = {0, 2};
  const auto all = [&] {
    const Places places = places_of(domain);
    std::vector<std::vector<Position>> out;
    for (Position place = 0; place < places.count(); ++place) out.push_back(places.at(place));
    return out;
  };
  using Rows = std::vector<std::vector<Position>>;
  EXPECT_EQ(all(), (Rows{{-1, -1}, {-1, 0}, {-1, 1}, {-1, 2}, {0, -1}, {0, 0}, {0, 1}, {0, 2}}));
  domain.class_token = -1;
  EXPECT_EQ(all(), (Rows{{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}, {0, 0}, {0, 1}, {0, 2}}));
}

}  // namespace
}  // namespace posproof::places_test
