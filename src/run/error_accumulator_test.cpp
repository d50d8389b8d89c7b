#include "run/error_accumulator.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <vector>

#include "core/formats.h"
#include "run/testing/accuracy.h"
#include "subject/dtype.h"

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

// An entry that is off by all that is allowed before it is kept in bf16 is rounded as the number that it then
// is, which counts in the last of these digits: the numbers between both limits are right, the next ones are
// not.
TEST(ErrorAccumulator, allows_an_entry_to_be_rounded_as_what_it_was_before_it_was_kept) {
  const testing::Setting setting{"sinusoidal", "dim=2"};
  const Reference of =
      reference(setting.truth(), Precision::parse("bf16"), Domain{0, Position{1} << 20}).value();
  ASSERT_TRUE(of.bound_before && of.doubles);
  const ErrorAccumulator::RowSource source{[](Position, std::size_t) { return Case{}; },
                                           [](std::size_t column) { return column; }};
  const auto is_right = [&](Position t, double first, double second) {
    std::array<std::byte, 4> row{};
    store(Format::bf16, first, row.data()), store(Format::bf16, second, row.data() + 2);
    ErrorAccumulator errors(of, Format::bf16, {});
    errors.add(t, 1, row.data(), source);
    return !errors.found().beyond.has_value();
  };
  constexpr double apart = 0x1p-9;
  std::size_t found = 0;
  for (Position t = Position{1} << 18; found < 20 && t < (Position{1} << 18) + 2000; ++t) {
    std::vector<double> exact(2);
    of.doubles(t, 1, exact);
    const double before = of.bound_before(t)[0] + of.rounding * std::abs(exact[0]),
                 most = before * (1 + 2 * of.rounding) + of.underflow;
    if (exact[0] < 0.25 || exact[0] > 0.375) continue;  // all neighbours are as far from each other
    const double there = std::floor((exact[0] + most) / apart) * apart;
    if (!(there - exact[0] > before + of.underflow)) continue;
    ++found;
    EXPECT_TRUE(is_right(t, there, to_bf16(exact[1]))) << t;
    EXPECT_FALSE(is_right(t, there + apart, to_bf16(exact[1]))) << t;
  }
  EXPECT_EQ(found, 20u);
}

}  // namespace
}  // namespace posproof::error_accumulator_test
