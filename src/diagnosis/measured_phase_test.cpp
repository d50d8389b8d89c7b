#include "diagnosis/measured_phase.h"

#include <gtest/gtest.h>

#include <cmath>

namespace posproof::measured_phase_test {
namespace {

using Complex = std::complex<double>;

double noise(double, double) {
  return 1e-6;
}

std::vector<Complex> values(const Rotating& of, Position first, std::size_t n) {
  std::vector<Complex> out;
  for (std::size_t t = 0; t < n; ++t)
    out.push_back(of.at(static_cast<double>(first) + static_cast<double>(t)));
  return out;
}

// Angles below 2^9 (of 2^18 over 2^10 positions and more) are rounded by 2^-45, their cosines and sines by
// less, and a frequency is the difference of two.
constexpr double of_two_angles = 0x1p-43;

TEST(MeasuredPhase, finds_frequency_amplitude_and_phase) {
  for (const double w : {1.0, -1.0, 3.0, 0.1, 1e-4, 0.0})
    for (const double phase : {0.0, 0.5, -2.0}) {
      const Rotating given{1.5, w, phase, 0};
      const auto found = rotating(values(given, 0, 64), 0, &noise);
      ASSERT_TRUE(found) << w;
      EXPECT_NEAR(found->frequency, w, of_two_angles);
      EXPECT_NEAR(found->phase, phase, 1e-9);
      EXPECT_NEAR(found->amplitude, 1.5, of_two_angles);
      EXPECT_DOUBLE_EQ(found->error, 2e-6 / 32);
    }
}

// The phase is that at position 0, wherever the sequence begins.
TEST(MeasuredPhase, counts_from_position_0) {
  const auto found = rotating(values({1, 0.25, 0.5, 0}, 100, 32), 100, &noise);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->phase, 0.5, 1e-9);
}

TEST(MeasuredPhase, is_none_where_the_values_are_of_no_such_number) {
  auto some = values({1, 0.25, 0, 0}, 0, 32);
  EXPECT_FALSE(rotating(std::span(some).first(3), 0, &noise));
  EXPECT_TRUE(rotating(std::span(some).first(4), 0, &noise));
  some[7] *= 1 + 3e-6;
  EXPECT_TRUE(rotating(some, 0, &noise));
  some[7] *= 1 + 3e-6;
  EXPECT_FALSE(rotating(some, 0, &noise));
  some[7] = std::nan("");
  EXPECT_FALSE(rotating(some, 0, &noise));
}

TEST(MeasuredPhase, is_known_better_from_farther_away) {
  Rotating number{1, 0.25, 0, 1e-7};
  const double w = 0.25 + 5e-8;
  const auto far = [&](double t) { return std::polar(1.0, w * t); };
  ASSERT_TRUE(follow(number, 1024, far(1024), &noise));
  EXPECT_NEAR(number.frequency, w, of_two_angles);
  EXPECT_DOUBLE_EQ(number.error, 2e-6 / 1024);
  ASSERT_TRUE(follow(number, 1 << 20, far(1 << 20), &noise));
  EXPECT_DOUBLE_EQ(number.error, 2e-6 / (1 << 20));
}

TEST(MeasuredPhase, does_not_follow_another_number) {
  const Rotating number{1, 0.25, 0, 1e-7};
  for (const Complex value : {std::polar(1.0, 0.25 * 1024 + 2e-4), std::polar(1.1, 0.25 * 1024),
                              Complex(0, 0), Complex(std::nan(""), 0)}) {
    Rotating same = number;
    EXPECT_FALSE(follow(same, 1024, value, &noise)) << value;
    EXPECT_EQ(same.frequency, number.frequency);
    EXPECT_EQ(same.error, number.error);
  }
  // Where the frequency is not known well enough to say how often it went round.
  Rotating rough{1, 0.25, 0, 1e-3};
  EXPECT_FALSE(follow(rough, 4096, std::polar(1.0, 0.25 * 4096), &noise));
}

}  // namespace
}  // namespace posproof::measured_phase_test
