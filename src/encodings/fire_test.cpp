#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "catalogue/encodings/fire.h"
#include "core/error.h"
#include "encodings/made.h"
#include "encodings/seeded.h"

namespace posproof::fire_test {
namespace {

double entry(std::string_view parameters, Position i, Position j, std::size_t head, bool exact) {
  const Parameters all = with(encodings::fire, Case::parse(parameters));
  const Bias bias = as<Bias>(exact ? encodings::fire.oracle(all) : encodings::fire.make(all));
  const std::array<Position, 2> queries = {i, 0}, keys = {j, 0};
  return bias.bias(queries, keys).data.at(4 * head);
}

// By mpmath, with 40 digits, of the doubles 0.1 and 1e-6 and of the seed's.
TEST(Fire, has_these_entries) {
  for (const bool exact : {false, true}) {
    EXPECT_NEAR(entry("heads=2 width=4", 3, 1, 0, exact), 1.2403342974714886, 1e-15);
    EXPECT_NEAR(entry("heads=2 width=4", 3, 1, 1, exact), -0.967882253676682125, 1e-15);
    EXPECT_NEAR(entry("heads=2 width=4", 1000, 1, 1, exact), -0.285145451816957638, 1e-15);
    EXPECT_NEAR(entry("heads=2 width=4 epsilon=1e-6", 1000, 1, 1, exact), -0.285145710091607266, 1e-15);
    EXPECT_NEAR(entry("heads=1 width=8 c=2 threshold=8 mlp_seed=2", 1000, 1, 0, exact), 1.16751095615570995,
                1e-15);
    EXPECT_EQ(entry("heads=2 width=4", 1, 7, 1, exact), entry("heads=2 width=4", 9, 9, 1, exact));
  }
}

// Keys after the query are as far as the query's own.
TEST(Fire, allows_later_keys_what_it_allows_the_querys_own) {
  const Bias bias =
      encodings::fire.oracle<Bias>(with(encodings::fire, Case::parse("heads=2 width=4 threshold=8")));
  const auto allowed = [&](double query, double key) {
    return bias.error(0, {&query, 1}, {&key, 1}, 0.5, all_f32);
  };
  EXPECT_EQ(allowed(3, 9), allowed(3, 3));
  EXPECT_LT(allowed(3, 3), allowed(9, 3));
}

// At distance 0 the perceptron is asked at 0; of the whole way back, past the threshold, at 1.
TEST(Fire, goes_from_0_to_1_past_its_threshold) {
  const auto number = [](std::size_t at) { return seeded(1, at, 1.0); };
  const auto perceptron = [&](double x) {
    double sum = number(8 + 4);
    for (std::size_t k = 0; k < 4; ++k) sum += number(8 + k) * std::max(number(k) * x + number(4 + k), 0.0);
    return sum;
  };
  for (const bool exact : {false, true})
    for (const Position i : {8, 9, 100000}) {
      EXPECT_NEAR(entry("heads=1 width=4 threshold=8", i, i, 0, exact), perceptron(0), 1e-14);
      EXPECT_NEAR(entry("heads=1 width=4 threshold=8", i, 0, 0, exact), perceptron(1), 1e-14);
    }
  const double at_7 = std::log1p(0.1 * 7) / std::log1p(0.1 * 8);
  EXPECT_NEAR(entry("heads=1 width=4 threshold=8", 7, 0, 0, true), perceptron(at_7), 1e-14);
}

TEST(Fire, depends_on_the_offset_up_to_its_threshold_alone) {
  for (const bool exact : {false, true}) {
    EXPECT_EQ(entry("heads=1 width=4 threshold=8", 8, 3, 0, exact),
              entry("heads=1 width=4 threshold=8", 5, 0, 0, exact));
    EXPECT_NE(entry("heads=1 width=4 threshold=8", 9, 4, 0, exact),
              entry("heads=1 width=4 threshold=8", 5, 0, 0, exact));
  }
}

// One hidden unit: its numbers are those of the seed, and each step's loss counts as the steps after it have
// it.
TEST(Fire, allows_what_its_roundings_lose) {
  const double query = 100, key = 90, u = unit_f32;
  const auto number = [](std::size_t at) { return seeded(2, at, 1.0); };
  const Bias bias = made<Bias>(encodings::fire, "heads=1 width=1 c=2 threshold=8 mlp_seed=2");
  const double y = 20, z = 200, x = std::log1p(y) / std::log1p(z);
  const auto of_psi = [](double c) { return 3 * c / (1 + c) + 1 + 2 * std::log1p(c); };
  const double of_x = (of_psi(y) + x * (of_psi(z) + std::log1p(z))) / std::log1p(z) + x;
  const double w = std::abs(number(0)), b = std::abs(number(1)), v = std::abs(number(2)),
               a = std::abs(number(3));
  const double unit = number(0) * x + number(1);
  ASSERT_GT(unit, 0);
  const double hidden = w * of_x + 2 * w * x + b + unit;
  const double right = (a + v * (hidden + 2 * unit) + a + v * unit) * u;
  EXPECT_NEAR(bias.error(0, {&query, 1}, {&key, 1}, 0.5, all_f32), right, 1e-9 * right);
  EXPECT_NEAR(bias.error(0, {&query, 1}, {&key, 1}, 0.5, {unit_f32, unit_bf16}), right + 0.5 * unit_bf16,
              1e-9 * right);
}

}  // namespace
}  // namespace posproof::fire_test
