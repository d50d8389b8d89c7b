#include "run/ladder_deviations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace posproof {
namespace {

using Sentences = std::vector<std::string>;

// Eight pairs over 16 channels, each known to a relative 1e-9 and allowed 1e-8.
Sentences of(const std::function<double(double i, double w)>& measured, const std::string& words = "") {
  const Parameters parameters = Case::parse("base=10000 " + words);
  std::vector<MeasuredFrequency> pairs;
  for (double i = 0; i < 8; ++i) {
    const double w = std::pow(10000, -i / 8);
    pairs.push_back({w, measured(i, w), 1e-9 * w, 1e-8 * w});
  }
  return ladder_deviations(pairs, parameters, 16);
}

TEST(LadderDeviations, differ_by_more_than_rounding_and_measuring_allow) {
  EXPECT_FALSE((MeasuredFrequency{1, 1 + 1.9e-8, 1e-8, 1e-8}).differs());
  EXPECT_TRUE((MeasuredFrequency{1, 1 + 2.1e-8, 1e-8, 1e-8}).differs());
  // At whole positions a whole turn more is the same.
  EXPECT_FALSE((MeasuredFrequency{1, 1 - 6.283185307179586, 1e-8, 1e-8}).differs());
  EXPECT_EQ(of([](double, double w) { return w; }), Sentences{});
  EXPECT_EQ(of([](double, double w) { return w * (1 + 1e-8); }), Sentences{});
}

TEST(LadderDeviations, are_a_factor_of_all_pairs) {
  EXPECT_EQ(of([](double, double w) { return -w; }), Sentences{"every pair rotates backwards"});
  EXPECT_EQ(of([](double, double w) { return w / 4; }),
            Sentences{"every pair rotates at 1/4 of the declared frequency"});
  // The fast ones go round more than once.
  EXPECT_EQ(of([](double, double w) { return std::remainder(7 * w, 6.283185307179586); }),
            Sentences{"every pair rotates at 7 times the declared frequency"});
  EXPECT_EQ(of([](double, double w) { return w * (1 - 3e-7); }),
            Sentences{"every pair rotates too slowly by a relative 3e-07"});
}

TEST(LadderDeviations, are_no_factor_that_changes_by_less_than_it_is_known) {
  // Each is known to 1e-4, and differs from its neighbours by 4e-5.
  std::vector<MeasuredFrequency> pairs;
  for (double i = 0; i < 64; ++i) {
    const double w = std::pow(10000, -i / 64);
    pairs.push_back({w, w * std::pow(1 - 4e-5, i), w * (i == 0 ? 1e-9 : 1e-4), 1e-9 * w});
  }
  EXPECT_EQ(ladder_deviations(pairs, Case::parse("base=10000"), 128),
            Sentences{"frequencies are base^(-2i/128) with base 10030, not 10000"});
}

TEST(LadderDeviations, are_those_of_a_base_beside_that_which_a_scaling_gives) {
  std::vector<MeasuredFrequency> pairs;
  for (double i = 0; i < 16; ++i) {
    const double w = std::pow(43872, -i / 16);
    pairs.push_back({w, std::pow(41829, -i / 16), 1e-9 * w, 1e-9 * w});
  }
  EXPECT_EQ(ladder_deviations(pairs, Case::parse("base=10000 scaling=ntk factor=4"), 32),
            Sentences{"frequencies are base^(-2i/32) with base 41829, not 43872"});
}

TEST(LadderDeviations, are_another_ladder) {
  EXPECT_EQ(of([](double i, double) { return std::pow(10000, -(2 * i + 1) / 16); }),
            Sentences{"frequencies are base^(-(2i + 1)/16), not base^(-2i/16)"});
  EXPECT_EQ(of([](double i, double) { return std::pow(300, -2 * i / 16); }),
            Sentences{"frequencies are base^(-2i/16) with base 300, not 10000"});
  EXPECT_EQ(
      of([](double i, double) { return std::pow(10000, -i / 10); }),
      Sentences{"frequencies are base^(-2i/16) with base 1584.893, not 10000: 2i is divided by 20, not by "
                "16"});
  EXPECT_EQ(of([](double i, double) { return std::exp2(-i / 8 * std::log2(std::log(10000.0) + 3)); }),
            Sentences{"frequencies are base^(-2i/16) with base 12.21034, not 10000"});
}

TEST(LadderDeviations, are_those_of_some_pairs) {
  EXPECT_EQ(of([](double i, double w) { return i == 3 ? w * (1 + 3e-7) : w; }),
            Sentences{"pair 3 rotates too fast by a relative 3e-07"});
  EXPECT_EQ(of([](double i, double w) { return i == 3 || i == 4 ? w * 2 : w; }),
            Sentences{"pairs 3 and 4 rotate at twice the declared frequency"});
  EXPECT_EQ(
      of([](double i, double w) { return i > 5   ? 0
                                         : i > 2 ? w / 8
                                                 : w; }),
      (Sentences{"pairs 6 and 7 do not rotate", "pairs 3 to 5 rotate at 1/8 of the declared frequency"}));
  EXPECT_EQ(of([](double i, double w) { return i == 7 ? 0 : w; }), Sentences{"pair 7 does not rotate"});
  EXPECT_EQ(of([](double, double) { return 0; }), Sentences{"no pair rotates"});
  EXPECT_EQ(of([](double i, double w) { return w * (1 + 0.01 * i * i); }),
            Sentences{"pairs 1 to 7 rotate at other frequencies: pair 1 at 0.31939, not 0.316228"});
}

TEST(LadderDeviations, are_those_of_other_pairs) {
  EXPECT_EQ(of([](double i, double) { return std::pow(10000, -(7 - i) / 8); }),
            Sentences{"the frequencies stand in reverse order: pair i has that of pair 7 - i"});
  EXPECT_EQ(of([](double i, double) { return std::pow(10000, -std::floor(i / 2) / 8); }),
            Sentences{"pair i rotates at the frequency of pair floor(i/2)"});
  EXPECT_EQ(of([](double i, double) { return std::pow(10000, -std::fmod(i, 4) / 8); }),
            Sentences{"pair i rotates at the frequency of pair i mod 4"});
  EXPECT_EQ(of([](double, double) { return 1; }), Sentences{"every pair rotates at the frequency of pair 0"});
  EXPECT_EQ(of([](double i, double) { return std::pow(10000, -std::max(0.0, i - 1) / 8); }),
            Sentences{"pair i rotates at the frequency of pair i - 1, the first at its own"});
}

}  // namespace
}  // namespace posproof
