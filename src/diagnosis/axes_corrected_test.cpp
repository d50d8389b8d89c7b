// What is measured of a rotation by several numbers of a position, and what it is corrected to, without a
// search.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "core/call.h"
#include "core/function.h"
#include "diagnosis/axes_deviations.h"
#include "run/catalogued.h"

namespace posproof::axes_corrected_test {
namespace {

using Sentences = std::vector<std::string>;

// Of a pair by its own number and by the other one.
using Angle = Function<double(const Pair& pair, double own, double other, Role role)>;

const Parameters parameters = with(encoding_named("axial_rope"), Case::parse("dim=24 heads=1"));

Rotary declared() {
  return as<Rotary>(encoding_named("axial_rope").make(parameters));
}

Rotary turned(const Angle& angle) {
  Rotary out = declared();
  out.rotate = [angle, pairs = out.pairs](const Tensor& x, const Positions& positions, Role role) {
    Tensor y = x;
    const std::size_t n = x.shape[2];
    for (std::size_t r = 0; r < x.rows(); ++r)
      for (const Pair& pair : pairs) {
        const double is = angle(pair, positions.at(r / n * n + r % n, pair.axis),
                                positions.at(r / n * n + r % n, 1 - pair.axis), role);
        const double a = x.at(r, pair.first), b = x.at(r, pair.second);
        y.at(r, pair.first) = a * std::cos(is) - b * std::sin(is);
        y.at(r, pair.second) = a * std::sin(is) + b * std::cos(is);
      }
    return y;
  };
  return out;
}

std::optional<Deviation> measured(const Angle& angle) {
  const Rotary own = turned(angle);
  return axes_deviation(own, declared(), parameters, all_f32);
}

// f32 tells 2^-24 of an angle near 1 that has grown over 2^20 positions: not 10^-15 of a radian a position.
TEST(AxesCorrected, of_what_is_within_rounding_by_another_number_are_none) {
  const auto found = measured(
      [](const Pair& pair, double own, double other, Role) { return pair.frequency * own + 1e-15 * other; });
  EXPECT_EQ(found ? found->sentences : Sentences{}, Sentences{});
}

// Keys alone rotate twice as fast: the angle of the query is right, that of the key is 2 * 3 w at (3, 5). An
// answer near 1 tells either angle within 2^-24.
TEST(AxesCorrected, are_those_of_the_role) {
  const auto found = measured([](const Pair& pair, double own, double, Role role) {
    return (role == Role::key ? 2 : 1) * pair.frequency * own;
  });
  ASSERT_TRUE(found);
  const Rotary truth = declared();
  const Pair& slow = truth.pairs[1];
  ASSERT_EQ(slow.axis, 0u);
  Tensor x({1, 1, 1, 24});
  x.at(0, slow.first) = 1;
  const TokenPositions at{{3, 5}, {}, 2};
  const auto sine = [&](Role role) {
    return as<Rotary>(found->corrected).rotate(x, at, role).at(0, slow.second);
  };
  EXPECT_NEAR(sine(Role::query), std::sin(3 * slow.frequency), 0x1p-24);
  EXPECT_NEAR(sine(Role::key), std::sin(6 * slow.frequency), 0x1p-24);
}

}  // namespace
}  // namespace posproof::axes_corrected_test
