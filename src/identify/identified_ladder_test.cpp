// From the frequencies of the references back to the numbers that they were made from.
#include "identify/identified_ladder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "identify/identified.h"
#include "run/catalogued.h"

namespace posproof::identified_ladder_test {
namespace {

MeasuredLadder ladder_of(const Parameters& parameters, double error = 1e-6) {
  const Encoding made = encoding_named("rope").make(parameters);
  const auto& rotary = as<Rotary>(made);
  MeasuredLadder out;
  for (const Pair& pair : rotary.pairs) {
    out.frequencies.push_back(std::abs(pair.frequency));
    out.errors.push_back(error);
  }
  out.amplitude = rotary.amplitude;
  out.amplitude_error = error;
  return out;
}

// The settings that are found for a rotation of so many channels, each as its text.
std::vector<std::string> found(const std::string& words, double error = 1e-6) {
  const Parameters parameters = Case::parse(words);
  std::vector<std::string> out;
  for (const Parameters& one :
       scaled_ladders(ladder_of(parameters, error), static_cast<std::size_t>(parameters.integer("dim"))))
    out.push_back(one.text());
  return out;
}

struct Row {
  std::string made, among;
};

TEST(IdentifiedLadder, finds_what_a_ladder_was_made_from) {
  for (const auto& [made, among] : std::vector<Row>{
           {"dim=64", "base=10000 scaling=none"},
           {"dim=128 base=500000", "base=500000 scaling=none"},
           {"dim=16 base=1234", "base=1234 scaling=none"},
           {"dim=128 scaling=linear factor=4", "base=10000 scaling=linear factor=4"},
           {"dim=32 base=1e6 scaling=linear factor=2.5", "base=1000000 scaling=linear factor=2.5"},
           {"dim=128 scaling=ntk factor=8", "base=10000 scaling=ntk factor=8"},
           {"dim=128 base=500000 scaling=llama3",
            "base=500000 scaling=llama3 factor=8 original_length=8192 low_freq_factor=1 high_freq_factor=4"},
           {"dim=64 base=500000 scaling=llama3 factor=32",
            "base=500000 scaling=llama3 factor=32 original_length=8192 low_freq_factor=1 high_freq_factor=4"},
           {"dim=128 base=500000 scaling=llama3 factor=16 low_freq_factor=1 high_freq_factor=1",
            "base=500000 scaling=llama3 factor=16 original_length=8192 low_freq_factor=1 high_freq_factor=1"},
           {"dim=128 scaling=by_parts factor=16 original_length=4096",
            "base=10000 scaling=by_parts factor=16 original_length=4096 beta_slow=1 beta_fast=32"},
           {"dim=128 scaling=yarn factor=16 original_length=4096",
            "base=10000 scaling=yarn factor=16 original_length=4096"},
           {"dim=128 scaling=yarn factor=16 original_length=5000",
            "base=10000 scaling=yarn factor=16 original_length=5000 beta_fast=30"},
           {"dim=64 base=150000 scaling=yarn factor=32 original_length=4096 truncate=false",
            "base=150000 scaling=yarn factor=32 original_length=4096 beta_fast=32 truncate=false"},
           {"dim=128 scaling=yarn factor=16 original_length=4096 beta_fast=16 truncate=false",
            "base=10000 scaling=yarn factor=16 original_length=4096 beta_fast=16 truncate=false"},
           {"dim=64 scaling=yarn factor=40 original_length=4096 mscale=0.707 mscale_all_dim=1",
            "base=10000 scaling=yarn factor=40 original_length=4096 mscale=0.707 mscale_all_dim=1"},
           {"dim=64 scaling=yarn factor=40 original_length=4096 attention_factor=1",
            "base=10000 scaling=yarn factor=40 original_length=4096 attention_factor=1"},
           {"dim=64 scaling=yarn factor=40 original_length=4096 attention_factor=1.75",
            "base=10000 scaling=yarn factor=40 original_length=4096 attention_factor=1.75"},
           {"dim=64 scaling=yarn factor=1 attention_factor=1.25",
            "base=10000 scaling=yarn factor=1 attention_factor=1.25"},
           {"dim=16 scaling=longrope factor=32 original_length=4096 factors=[1,1.05,1.3,2.25,4.5]",
            "base=10000 scaling=longrope factor=32 original_length=4096 factors=[1,1.05,1.3,2.25,4.5]"},
           {"dim=16 scaling=longrope attention_factor=1.5 factors=[1.02,1.05,1.3,2.25,4.5]",
            "base=10000 scaling=longrope attention_factor=1.5 factors=[1.02,1.05,1.3,2.25,4.5]"},
       }) {
    const auto all = found(made);
    EXPECT_NE(std::ranges::find(all, among), all.end())
        << made << "\nfound " << ::testing::PrintToString(all);
  }
}

// Pairs that make 9 rotations and 1/4 in the length: no pair lies between, and every ramp that ends at 9 or
// before and begins at 1/4 or later is one; at 4096 they make 18 and 1/2, at 1024 4.5 and 1/8.
TEST(IdentifiedLadder, proposes_every_ramp_that_lies_between_two_pairs) {
  const std::string made = "base=1700000 scaling=llama3 factor=8 original_length=";
  const std::vector<std::string> all = found("dim=8 " + made + "2048 low_freq_factor=1 high_freq_factor=8");
  const auto ends = [&](const std::string& length) {
    std::string out;
    for (const std::string& one : all)
      if (const std::string from = made + length + " low_freq_factor=1 high_freq_factor=";
          one.starts_with(from))
        out += one.substr(from.size()) + " ";
    return out;
  };
  EXPECT_EQ(ends("2048"), "1 2 4 8 ");
  EXPECT_EQ(ends("4096"), "1 2 4 8 ");
  EXPECT_EQ(ends("1024"), "1 2 4 ");
}

// Its share of the power is known to 1e-6, in either direction.
TEST(IdentifiedLadder, proposes_a_ramp_where_the_only_pair_on_it_is) {
  const std::string ramp =
      "base=1700000 scaling=llama3 factor=8 original_length=8192 low_freq_factor=1 high_freq_factor=8";
  const auto is_found = [&](double off) {
    MeasuredLadder ladder = ladder_of(Case::parse("dim=10 " + ramp), 1e-9);
    const double share = ladder.frequencies[2] / std::pow(1700000.0, -0.4);
    ladder.frequencies[2] *= 1 + off * (1 - 1.0 / 8) / share;
    return std::ranges::any_of(scaled_ladders(ladder, 10),
                               [&](const Parameters& one) { return one.text() == ramp; });
  };
  for (const double off : {0.0, 8e-7, -8e-7}) EXPECT_TRUE(is_found(off)) << off;
  for (const double off : {3e-6, -3e-6, 1e-4, -1e-4}) EXPECT_FALSE(is_found(off)) << off;
}

// As it is only where no formula gives it.
TEST(IdentifiedLadder, says_an_amplitude_once) {
  const std::string yarn = "scaling=yarn factor=40 original_length=4096",
                    longrope = "scaling=longrope factor=32 original_length=4096",
                    factors = " factors=[1,1.05,1.3,2.25,4.5]";
  const auto expect_alone = [](const std::string& dim, const std::string& words) {
    const std::string own = "base=10000 " + words.substr(0, words.find(' ') + 1);
    std::vector<std::string> all = found(dim + words);
    std::erase_if(all, [&](const std::string& one) { return !one.starts_with(own); });
    EXPECT_EQ(all, std::vector<std::string>{"base=10000 " + words});
  };
  for (const std::string amplitude : {"", " mscale=0.707 mscale_all_dim=1", " mscale=0.5 mscale_all_dim=0",
                                      " attention_factor=1", " attention_factor=1.75"})
    expect_alone("dim=64 ", yarn + amplitude);
  expect_alone("dim=16 ", longrope + factors);
  expect_alone("dim=16 ", "scaling=longrope attention_factor=1.5" + factors);
}

// The first that is found is the plain one, and only numbers of other bases follow.
TEST(IdentifiedLadder, says_no_scaling_of_a_plain_ladder) {
  EXPECT_EQ(found("dim=64"), (std::vector<std::string>{"base=10000 scaling=none"}));
  EXPECT_EQ(found("dim=64 base=500000"), (std::vector<std::string>{"base=500000 scaling=none"}));
}

// Whatever a ladder's frequencies are of their powers: from pair 8 on these, the last one of all that follow.
// Of faster pairs the factor would be below 1, and a ramp that does not fall has its ends in the wrong order.
TEST(IdentifiedLadder, proposes_settings_that_make_sense) {
  const auto proposed = [](const std::vector<double>& shares) {
    MeasuredLadder ladder = ladder_of(Case::parse("dim=64"));
    for (std::size_t i = 8; i < 32; ++i) ladder.frequencies[i] *= shares[std::min(i - 8, shares.size() - 1)];
    std::size_t ramps = 0;
    for (Parameters one : scaled_ladders(ladder, 64)) {
      ramps += one.has("factor") && one.word("scaling") != "longrope" ? 1 : 0;
      one.set("dim", 64.0);
      EXPECT_TRUE(makes_sense(encoding_named("rope"), one)) << one.text();
    }
    return ramps;
  };
  EXPECT_GT(proposed({0.8, 0.6, 0.5}), 0u);
  EXPECT_EQ(proposed({1.25, 1.75, 2}), 0u);
  // YaRN's ramp of 4096 positions, from index 10 to 23, to twice the frequency.
  std::vector<double> faster;
  for (int i = 8; i <= 23; ++i) faster.push_back(1 + std::max(0, i - 10) / 13.0);
  EXPECT_EQ(proposed(faster), 0u);
  proposed({0.4, 0.6, 0.25});
  proposed({0.3, 0.7, 0.25});
  MeasuredLadder jump = ladder_of(Case::parse("dim=64 scaling=llama3 low_freq_factor=1 high_freq_factor=1"));
  for (Parameters one : scaled_ladders(jump, 64)) {
    one.set("dim", 64.0);
    EXPECT_TRUE(makes_sense(encoding_named("rope"), one)) << one.text();
  }
}

// 32 rotations, where it may be: simpler numbers are as near to a ladder that is known badly.
TEST(IdentifiedLadder, proposes_the_usual_end_of_a_ramp_that_is_known_badly) {
  const auto all =
      found("dim=64 base=150000 scaling=yarn factor=32 original_length=4096 truncate=false", 1e-2);
  const std::string wanted =
      "base=150000 scaling=yarn factor=32 original_length=4096 beta_fast=32 truncate=false";
  EXPECT_NE(std::ranges::find(all, wanted), all.end()) << ::testing::PrintToString(all);
}

TEST(IdentifiedLadder, one_wrong_pair_does_not_hide_the_others) {
  MeasuredLadder spoiled = ladder_of(Case::parse("dim=64"));
  spoiled.frequencies[7] *= 1.01;
  const auto all = scaled_ladders(spoiled, 64);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front().text(), "base=10000 scaling=none");
}

// Of four pairs that are known badly each is the power as well as it is known.
TEST(IdentifiedLadder, pairs_that_are_known_badly_are_no_wrong_ones) {
  MeasuredLadder ladder = ladder_of(Case::parse("dim=64"));
  for (const std::size_t i : {7, 8, 9, 10}) ladder.frequencies[i] *= 1.001, ladder.errors[i] = 2e-3;
  EXPECT_EQ(scaled_ladders(ladder, 64).front().text(), "base=10000 scaling=none");
}

// Two that keep their frequency, and one that is divided.
TEST(IdentifiedLadder, three_pairs_are_enough_for_a_ramp) {
  const std::string ramp =
      "base=500000 scaling=llama3 factor=8 original_length=8192 low_freq_factor=1 high_freq_factor=4";
  const auto all = found("dim=6 " + ramp);
  EXPECT_NE(std::ranges::find(all, ramp), all.end()) << ::testing::PrintToString(all);
}

TEST(IdentifiedLadder, three_wrong_pairs_are_no_accident) {
  MeasuredLadder spoiled = ladder_of(Case::parse("dim=64"));
  for (const std::size_t i : {7, 8, 9}) spoiled.frequencies[i] *= 1.01;
  for (const Parameters& one : scaled_ladders(spoiled, 64)) EXPECT_NE(one.text(), "base=10000 scaling=none");
}

// What is known of the other pairs decides on its digits.
TEST(IdentifiedLadder, a_pair_that_is_known_badly_hides_no_digit_of_the_factor) {
  for (const std::size_t from_the_end : {1, 3}) {
    MeasuredLadder ladder = ladder_of(Case::parse("dim=128 scaling=llama3 factor=8.1 original_length=4096"));
    ladder.errors[ladder.errors.size() - from_the_end] = 2e-2;
    std::vector<std::string> all;
    for (const Parameters& one : scaled_ladders(ladder, 128)) all.push_back(one.text());
    EXPECT_EQ(all.front(),
              "base=10000 scaling=llama3 factor=8.1 original_length=4096 low_freq_factor=1 "
              "high_freq_factor=4");
  }
}

// Measured numbers have many digits: no list of divisors is made of them.
TEST(IdentifiedLadder, arbitrary_frequencies_are_no_list_of_divisors) {
  MeasuredLadder drawn = ladder_of(Case::parse("dim=64"));
  for (std::size_t i = 0; i < drawn.frequencies.size(); ++i)
    drawn.frequencies[i] /= 1 + 0.7 * std::abs(std::sin(1.7 * static_cast<double>(i) + 0.3));
  for (const Parameters& one : scaled_ladders(drawn, 64))
    EXPECT_NE(one.word("scaling"), "longrope") << one.text();
}

// A cache with a column for each channel, read as one with a column for each pair: the ladder stands there
// twice, here with one pair that is off by a hundredth.
TEST(IdentifiedLadder, a_ladder_that_stands_there_twice_is_no_list_of_divisors) {
  MeasuredLadder twice = ladder_of(Case::parse("dim=64"));
  twice.frequencies[9] *= 1.01;
  for (std::size_t i = 0, pairs = twice.frequencies.size(); i < pairs; ++i) {
    twice.frequencies.push_back(twice.frequencies[i]);
    twice.errors.push_back(twice.errors[i]);
  }
  for (const Parameters& one : scaled_ladders(twice, 128))
    EXPECT_NE(one.word("scaling"), "longrope") << one.text();
}

// The base that 10000 becomes, 85550.4, is a number of four digits but for what rounding may do.
TEST(IdentifiedLadder, a_base_that_looks_simple_may_have_been_stretched) {
  const auto all = found("dim=64 scaling=ntk factor=8", 6e-6);
  EXPECT_NE(std::ranges::find(all, "base=85550 scaling=none"), all.end())
      << fmt::to_string(fmt::join(all, "\n"));
  EXPECT_NE(std::ranges::find(all, "base=10000 scaling=ntk factor=8"), all.end())
      << fmt::to_string(fmt::join(all, "\n"));
}

TEST(IdentifiedLadder, bases_are_the_simplest_numbers_and_the_middle_of_long_ones) {
  const std::vector<double> exponents{0, 0.25, 0.5, 0.75};
  const auto of = [&](double base, double first) {
    MeasuredLadder out;
    for (const double x : exponents)
      out.frequencies.push_back(first * std::pow(base, -x)), out.errors.push_back(1e-7);
    return bases(out, exponents);
  };
  EXPECT_EQ(of(10000, 1), (std::vector<double>{10000}));
  EXPECT_EQ(of(1234, 1), (std::vector<double>{1234}));
  EXPECT_EQ(of(10000, 0.5).back(), 10000) << "relative to the first";
  const auto long_one = of(82684.622642, 1);
  ASSERT_GE(long_one.size(), 2u);
  EXPECT_NEAR(long_one[0], 82684.62, 0.05);
  EXPECT_NEAR(long_one[1], 82684.622642, 1e-3);
  EXPECT_TRUE(bases({}, {}).empty());
}

// An amplitude of 40 times the length that is known to 0.02 is that of two pairs of settings.
TEST(IdentifiedLadder, proposes_every_amplitude_of_yarn_that_fits) {
  MeasuredLadder ladder = ladder_of(
      Case::parse("dim=64 scaling=yarn factor=40 original_length=4096 mscale=0.707 mscale_all_dim=1"));
  ladder.amplitude_error = 0.02;
  std::vector<std::string> all;
  for (const Parameters& one : scaled_ladders(ladder, 64)) all.push_back(one.text());
  for (const std::string amplitude : {"0.707 mscale_all_dim=1", "0.5 mscale_all_dim=0.707"})
    EXPECT_NE(
        std::ranges::find(all, "base=10000 scaling=yarn factor=40 original_length=4096 mscale=" + amplitude),
        all.end())
        << amplitude << "\nfound " << ::testing::PrintToString(all);
}

}  // namespace
}  // namespace posproof::identified_ladder_test
