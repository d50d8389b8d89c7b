#include "exact/shared_ladder.h"

#include <gtest/gtest.h>

#include <set>

namespace posproof::exact::shared_ladder_test {
namespace {

Geometric powers(double base, std::int64_t count, Scaling scaling = Unscaled{}) {
  Geometric out{base, {}, std::move(scaling)};
  for (std::int64_t i = 0; i < count; ++i) out.exponents.push_back({i, count});
  return out;
}

TEST(SharedLadder, one_recipe_is_one_ladder) {
  const auto one = shared_ladder({powers(10000, 4)});
  EXPECT_EQ(shared_ladder({powers(10000, 4)}), one);
  EXPECT_EQ(shared_ladder({powers(10000, 4), false, 1}, 1.0), one);
  for (int n = 0; n < 8; ++n) shared_ladder({powers(2 + n, 4)});
  EXPECT_NE(shared_ladder({powers(10000, 4)}), one);  // it was the oldest
}

// Each differs from the first in one number or in its kind.
TEST(SharedLadder, every_number_of_a_recipe_counts) {
  std::vector<std::pair<Frequencies, Amplitude>> recipes = {
      {{powers(10000, 4)}, 1.0},
      {{powers(10001, 4)}, 1.0},
      {{powers(10000, 5)}, 1.0},
      {{powers(10000, 4), true}, 1.0},
      {{powers(10000, 4), false, 2}, 1.0},
      {{powers(10000, 4)}, 2.0},
      {{powers(10000, 4)}, YarnAmplitude{8}},
      {{powers(10000, 4)}, YarnAmplitude{9}},
      {{powers(10000, 4)}, YarnAmplitude{8, 2}},
      {{powers(10000, 4)}, YarnAmplitude{8, 1, 1}},
      {{powers(10000, 4)}, LongRopeAmplitude{8, 64}},
      {{powers(10000, 4)}, LongRopeAmplitude{8, 65}},
      {{powers(10000, 4)}, LongRopeAmplitude{9, 64}},
      {{Given{{1, 0.5}}}, 1.0},
      {{Given{{1, 0.25}}}, 1.0},
      {{Given{{1, 0.0}}}, 1.0},
      {{Given{{1, -0.0}}}, 1.0},
      {{Given{{1}}}, 1.0},
      {{powers(10000, 4, Interpolated{2})}, 1.0},
      {{powers(10000, 4, Interpolated{3})}, 1.0},
      {{powers(10000, 4, NtkAware{2})}, 1.0},
      {{powers(10000, 4, Divided{{1, 1, 1, 2}})}, 1.0},
      {{powers(10000, 4, Divided{{1, 1, 1, 3}})}, 1.0},
      {{powers(10000, 4, DynamicNtk{2, 64, 128})}, 1.0},
      {{powers(10000, 4, DynamicNtk{3, 64, 128})}, 1.0},
      {{powers(10000, 4, DynamicNtk{2, 65, 128})}, 1.0},
      {{powers(10000, 4, DynamicNtk{2, 64, 129})}, 1.0},
      {{powers(10000, 4, ByParts{2, 64, 1, 4})}, 1.0},
      {{powers(10000, 4, ByParts{3, 64, 1, 4})}, 1.0},
      {{powers(10000, 4, ByParts{2, 65, 1, 4})}, 1.0},
      {{powers(10000, 4, ByParts{2, 64, 2, 4})}, 1.0},
      {{powers(10000, 4, ByParts{2, 64, 1, 5})}, 1.0},
      {{powers(10000, 4, ByIndex{2, 64, 32, 1, true})}, 1.0},
      {{powers(10000, 4, ByIndex{3, 64, 32, 1, true})}, 1.0},
      {{powers(10000, 4, ByIndex{2, 65, 32, 1, true})}, 1.0},
      {{powers(10000, 4, ByIndex{2, 64, 31, 1, true})}, 1.0},
      {{powers(10000, 4, ByIndex{2, 64, 32, 2, true})}, 1.0},
      {{powers(10000, 4, ByIndex{2, 64, 32, 1, false})}, 1.0},
  };
  Geometric other_numerator = powers(10000, 4), other_denominator = powers(10000, 4);
  other_numerator.exponents[2].numerator = 3;
  other_denominator.exponents[2].denominator = 5;
  recipes.emplace_back(Frequencies{other_numerator}, 1.0);
  recipes.emplace_back(Frequencies{other_denominator}, 1.0);
  for (std::size_t n = 0; n < recipes.size(); ++n)
    for (std::size_t other = 0; other < n; ++other) {
      const auto one = shared_ladder(recipes[n].first, recipes[n].second);
      EXPECT_NE(shared_ladder(recipes[other].first, recipes[other].second), one) << n << " and " << other;
      EXPECT_EQ(shared_ladder(recipes[n].first, recipes[n].second), one);
    }
}

TEST(SharedLadder, a_large_one_is_not_kept) {
  EXPECT_EQ(shared_ladder({powers(10000, 256)}), shared_ladder({powers(10000, 256)}));
  EXPECT_NE(shared_ladder({powers(10000, 257)}), shared_ladder({powers(10000, 257)}));
}

}  // namespace
}  // namespace posproof::exact::shared_ladder_test
