#include "exact/waves.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "core/positions.h"

namespace posproof::exact::waves_test {
namespace {

WavePoint one_axis(double frequency, AngleUnit unit, double x, double phase = 0, double amplitude = 1) {
  const Real f = wave_number(frequency);
  return wave({&f, 1}, unit, {&x, 1}, phase, wave_number(amplitude));
}

// By 40 digits.
TEST(Waves, are_these_numbers) {
  EXPECT_DOUBLE_EQ(one_axis(3, AngleUnit::radians, 1).sine, 0.1411200080598672);
  EXPECT_DOUBLE_EQ(one_axis(3, AngleUnit::radians, 1).cosine, -0.9899924966004454);
  EXPECT_DOUBLE_EQ(one_axis(0.1, AngleUnit::turns, 1).sine, 0.5877852522924731);
  EXPECT_DOUBLE_EQ(one_axis(0.1, AngleUnit::half_turns, 1).sine, 0.3090169943749475);
  EXPECT_DOUBLE_EQ(one_axis(0.1, AngleUnit::half_turns, 2, 0, -3).cosine, -3 * 0.8090169943749475);
}

TEST(Waves, have_a_phase_in_turns_in_every_unit) {
  for (const auto unit : {AngleUnit::radians, AngleUnit::turns, AngleUnit::half_turns}) {
    EXPECT_NEAR(one_axis(0, unit, 1, 0.125).sine, std::numbers::sqrt2 / 2, 1e-16);
    EXPECT_NEAR(one_axis(0, unit, 1, 0.125).cosine, std::numbers::sqrt2 / 2, 1e-16);
  }
  const double pi = std::numbers::pi;
  EXPECT_NEAR(one_axis(0.5, AngleUnit::half_turns, 1, 1.0 / 12).sine, std::sin(pi / 2 + pi / 6), 1e-15);
}

TEST(Waves, are_exact_at_quarter_turns) {
  EXPECT_EQ(one_axis(0.25, AngleUnit::turns, 1e15 + 1).sine, 1);
  EXPECT_EQ(one_axis(0.25, AngleUnit::turns, 1e15 + 1).cosine, 0);
  EXPECT_EQ(one_axis(1, AngleUnit::half_turns, 3).sine, 0);
  EXPECT_FALSE(std::signbit(one_axis(1, AngleUnit::half_turns, -3).sine));
  EXPECT_EQ(one_axis(1, AngleUnit::half_turns, 3).cosine, -1);
}

// 1e15 and 1e15 leave no digit of double for a thousandth of a turn.
TEST(Waves, add_axes_before_anything_is_rounded) {
  const std::array f = {wave_number(1e15), wave_number(-1e15), wave_number(0x1p-10)};
  const std::array x = {0.7, 0.7, 1.0};
  EXPECT_DOUBLE_EQ(wave(f, AngleUnit::turns, x, 0, wave_number(1)).sine,
                   std::sin(2 * std::numbers::pi * 0x1p-10));
}

TEST(Waves, have_an_end) {
  EXPECT_NO_THROW(one_axis(0x1p99, AngleUnit::radians, 1));
  EXPECT_THROW(one_axis(0x1p100, AngleUnit::radians, 1), Refusal);
}

TEST(Waves, have_roots_for_amplitudes) {
  EXPECT_DOUBLE_EQ(root_of(2, 6).nearest(), 0.5773502691896257);
  EXPECT_EQ(root_of(2, 8).nearest(), 0.5);
}

}  // namespace
}  // namespace posproof::exact::waves_test
