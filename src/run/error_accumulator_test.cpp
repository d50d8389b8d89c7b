#include "run/error_accumulator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "run/testing/accuracy.h"

namespace posproof::error_accumulator_test {
namespace {

// Rows may be asked for in any order: of errors of as many units the first position is said.
TEST(ErrorAccumulator, says_the_first_of_entries_that_are_as_many_units_off) {
  const testing::Setting setting{"sinusoidal", "dim=2"};
  const Tensor rows = testing::exact_rows(setting, 256, Format::f32);
  const ErrorAccumulator::RowSource source{[](Position, std::size_t) { return Case{}; },
                                           [](std::size_t column) { return column; }};
  const auto worst = [&](const std::vector<Position>& blocks) {
    ErrorAccumulator errors(reference(setting.truth(), all_f32, Domain{0, 255}).value(), Format::f32, {});
    for (const Position first : blocks) {
      std::vector<float> block;
      for (std::size_t r = 0; r < 64; ++r)
        for (std::size_t c = 0; c < 2; ++c)
          block.push_back(static_cast<float>(rows.at(static_cast<std::size_t>(first) + r, c)));
      block[2 * 5 + 1] = std::nanf("");  // infinitely many units
      errors.add(first, 64, reinterpret_cast<const std::byte*>(block.data()), source);
    }
    const Accuracy found = errors.found();
    EXPECT_TRUE(std::isinf(found.ulp));
    return found.ulp_at.position;
  };
  EXPECT_EQ(worst({0, 64, 128}), 5);
  EXPECT_EQ(worst({128, 64, 192}), 64 + 5);
  EXPECT_EQ(worst({192, 128, 64, 0}), 5);
}

}  // namespace
}  // namespace posproof::error_accumulator_test
