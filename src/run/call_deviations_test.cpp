#include "run/call_deviations.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "run/catalogued.h"

namespace posproof::call_deviations_test {
namespace {

// Each pair of each token by the norm that it has; of none nothing is lost.
TEST(CallDeviations, allow_a_pair_what_its_norm_loses) {
  const auto rope =
      std::get<Rotary>(encoding_named("rope").oracle(Case::parse("dim=4")));  // pairs (0, 2), (1, 3)
  Call call;
  call.positions.whole = {7, 1000};
  call.contents = {Tensor({1, 1, 2, 4}, {0, 3, 0, 4, 5, 0, 12, 0})};
  const Tensor error = model_of(rope, all_f32).error(call, call.contents[0], 1000);
  const std::vector<double> one =
      rotated_error(rope, all_f32, Position{1000}, std::vector<double>{1, 1, 0, 0});
  const double least = rotation_underflow(all_f32);
  const double of_second = 5 * (one[1] + unit_f64) + least, of_first = 13 * (one[0] + unit_f64) + least;
  EXPECT_EQ(error.data, (std::vector<double>{0, of_second, 0, of_second, of_first, 0, of_first, 0}));
}

}  // namespace
}  // namespace posproof::call_deviations_test
