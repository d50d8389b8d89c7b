#include "diagnosis/ladder_deviations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "core/formats.h"
#include "core/function.h"

namespace posproof::ladder_deviations_test {
namespace {

using Sentences = std::vector<std::string>;

// Eight pairs over 16 channels, each known to a relative 1e-9 and allowed 1e-8.
Sentences of(const Function<double(double i, double w)>& measured, const std::string& words = "") {
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

TEST(LadderDeviations, say_the_unit_that_an_angle_was_taken_for) {
  constexpr double pi = std::numbers::pi;
  const auto times = [](double factor) {
    return of([=](double, double w) { return std::remainder(factor * w, 2 * pi); });
  };
  EXPECT_EQ(times(pi / 180), Sentences{"every pair rotates at 0.0174533 times the declared frequency: its "
                                       "angles are taken for degrees"});
  EXPECT_EQ(times(1 / (2 * pi)),
            Sentences{"every pair rotates at 0.1591549 times the declared frequency: its "
                      "angles are turned into turns"});
  EXPECT_EQ(times(0.01746), Sentences{"every pair rotates at 0.01746 times the declared frequency"});
}

// NTK's base of 16 channels, where those of another width or no power were taken.
TEST(LadderDeviations, say_the_power_that_the_base_of_ntk_grows_by) {
  const auto grown = [](double power) {
    const Parameters parameters = Case::parse("base=10000 scaling=ntk factor=4");
    std::vector<MeasuredFrequency> pairs;
    const auto at = [](double i, double by) { return std::pow(10000 * std::pow(4, by), -i / 8); };
    for (double i = 0; i < 8; ++i)
      pairs.push_back({at(i, 16.0 / 14), at(i, power), 1e-9 * at(i, 1), 1e-8 * at(i, 1)});
    return ladder_deviations(pairs, parameters, 16).at(0);
  };
  EXPECT_TRUE(grown(64.0 / 62).ends_with(": it is multiplied by 4^(64/62), as of 64 channels"))
      << grown(64.0 / 62);
  EXPECT_TRUE(grown(1).ends_with(": it is multiplied by 4 itself, without a power")) << grown(1);
  EXPECT_EQ(grown(1.0213).find("multiplied"), std::string::npos) << grown(1.0213);
  // Of so many channels a power does not tell how many: by what is measured, one more or less is as near.
  EXPECT_EQ(grown(4096.0 / 4094).find("multiplied"), std::string::npos) << grown(4096.0 / 4094);
}

// Sizes of a ladder are none where pairs rotate in both directions.
TEST(LadderDeviations, are_no_ladder_of_both_directions) {
  const auto base_500 = [](double i) { return std::pow(500, -i / 8); };
  EXPECT_EQ(of([&](double i, double) { return base_500(i); }),
            Sentences{"frequencies are base^(-2i/16) with base 500, not 10000"});
  for (const double backwards : {3, 7})
    EXPECT_EQ(of([&](double i, double) { return i == backwards ? -base_500(i) : base_500(i); }),
              Sentences{"pairs 1 to 7 rotate at other frequencies: pair 1 at 0.4598633, not 0.316228"});
}

TEST(LadderDeviations, say_where_a_ladder_begins_a_pair_late) {
  const auto power = [](double i) { return std::pow(10000, -i / 8); };
  EXPECT_EQ(of([&](double i, double) { return power(i == 0 ? 8 : i - 1); }),
            Sentences{"the ladder begins one pair late: pair i rotates at the frequency of pair i - 1, the "
                      "first at that which would come behind the last"});
  for (const double first : {7.9, 8.1})
    for (const std::string& one : of([&](double i, double) { return power(i == 0 ? first : i - 1); }))
      EXPECT_EQ(one.find("late"), one.npos) << one;
}

TEST(LadderDeviations, are_no_factor_that_changes_by_less_than_it_is_known) {
  // Each is known to 1e-4, and differs from its neighbours by 4e-5.
  std::vector<MeasuredFrequency> pairs;
  for (double i = 0; i < 64; ++i) {
    const double w = std::pow(10000, -i / 64);
    pairs.push_back({w, w * std::pow(1 - 4e-5, i), w * (i == 0 ? 1e-9 : 1e-4), 1e-9 * w});
  }
  EXPECT_EQ(ladder_deviations(pairs, Case::parse("base=10000"), 128),
            Sentences{"frequencies are base^(-2i/128) with base 10026, not 10000"});
}

// In 16 bits two digits of a base are known: it is about that.
TEST(LadderDeviations, say_where_few_digits_of_a_base_are_known) {
  const auto known_to = [](double each) {
    std::vector<MeasuredFrequency> pairs;
    for (double i = 0; i < 64; ++i) {
      const double w = std::pow(10000, -i / 64);
      pairs.push_back({w, std::pow(65504, -i / 64), each * w, 1e-9 * w});
    }
    return ladder_deviations(pairs, Case::parse("base=10000"), 128);
  };
  EXPECT_EQ(known_to(4e-3), Sentences{"frequencies are base^(-2i/128) with base about 66000, not 10000"});
  EXPECT_EQ(known_to(1e-7), Sentences{"frequencies are base^(-2i/128) with base 65504, not 10000"});
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

// What was declared is known as well as it was computed, however badly the pairs were measured.
TEST(LadderDeviations, are_those_of_a_base_beside_one_that_is_hardly_scaled) {
  std::vector<MeasuredFrequency> pairs;
  for (double i = 0; i < 16; ++i) {
    const double w = std::pow(10010, -i / 16), is = std::pow(500, -i / 16);
    pairs.push_back({w, is, 1e-3 * is, 1e-9 * w});
  }
  const Sentences said = ladder_deviations(pairs, Case::parse("base=10000 scaling=ntk factor=1.001"), 32);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_TRUE(said[0].ends_with(", not 10010")) << said[0];
}

// Of pairs that are known to 1e-8 one may be off by five times that: by its own, and by what puts the line
// through the first and the last elsewhere.
TEST(LadderDeviations, lie_on_a_line_as_far_as_it_is_known) {
  const auto is_line = [](double off) {
    std::vector<MeasuredFrequency> pairs;
    for (double i = 0; i < 8; ++i) {
      const double is = std::pow(300, -i / 8) * (i == 4 ? 1 + off : 1);
      pairs.push_back({std::pow(10000, -i / 8), is, 1e-8 * is, 0});
    }
    return ladder_deviations(pairs, Case::parse("base=10000"), 16) ==
           Sentences{"frequencies are base^(-2i/16) with base 300, not 10000"};
  };
  for (const double off : {0.0, 4.9e-8, -4.9e-8}) EXPECT_TRUE(is_line(off)) << off;
  for (const double off : {5.1e-8, -5.1e-8}) EXPECT_FALSE(is_line(off)) << off;
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
  // By less than a thousandth it is too fast or too slow; by more its share is said.
  const auto third_times = [](double by) {
    return of([by](double i, double w) { return i == 3 ? w * by : w; });
  };
  EXPECT_EQ(third_times(1.00099), Sentences{"pair 3 rotates too fast by a relative 0.00099"});
  EXPECT_EQ(third_times(0.99901), Sentences{"pair 3 rotates too slowly by a relative 0.00099"});
  EXPECT_EQ(third_times(1.00101), Sentences{"pair 3 rotates at 1.00101 times the declared frequency"});
  EXPECT_EQ(third_times(0.99899), Sentences{"pair 3 rotates at 0.99899 times the declared frequency"});
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

// 64 pairs whose share `kept` of the own frequency, the rest divided by 8, is said for each pair by how often
// it rotates in 8192 positions.
struct Ramped {
  double own, rotations, index;
  double kept() const { return std::clamp((rotations - 1) / 3, 0.0, 1.0); }
  double wavelength() const { return 1 / rotations; }  // of 8192 positions
  double blended(double share) const { return own * (share + (1 - share) / 8); }
  double declared() const { return blended(kept()); }
  double longer(double by) const { return own / std::clamp(by, 1.0, 8.0); }
};
// Each pair is known to a relative 1e-9, the slowest to `slowest`.
Sentences of_ramp(const Function<double(const Ramped&)>& measured, double slowest = 1e-9) {
  std::vector<MeasuredFrequency> pairs;
  for (double i = 0; i < 64; ++i) {
    const double own = std::pow(10000, -i / 64);
    const Ramped pair{own, 8192 * own / (2 * 3.141592653589793), i};
    const double declared = pair.declared();
    pairs.push_back({declared, measured(pair), (i == 63 ? slowest : 1e-9) * declared, 1e-8 * declared});
  }
  return ladder_deviations(pairs,
                           Case::parse("base=10000 scaling=llama3 factor=8 original_length=8192 "
                                       "low_freq_factor=1 high_freq_factor=4"),
                           128);
}

TEST(LadderDeviations, are_those_of_a_ramp) {
  const auto share = [](double x) { return std::clamp(x, 0.0, 1.0); };
  const struct {
    const char* words;
    Function<double(const Ramped&)> measured;
  } all[] = {
      {"frequencies are not scaled", [](const Ramped& pair) { return pair.own; }},
      {"every frequency is divided by 8, without a ramp", [](const Ramped& pair) { return pair.own / 8; }},
      {"the ramp is reversed: fast pairs are scaled and slow ones kept",
       [](const Ramped& pair) { return pair.blended(1 - pair.kept()); }},
      {"the ramp runs from 1 to 8 rotations in original_length, not from 1 to 4",
       [=](const Ramped& pair) { return pair.blended(share((pair.rotations - 1) / 7)); }},
      {"original_length counts as about 8150, not as 8192",
       [=](const Ramped& pair) { return pair.blended(share((pair.rotations * 8150 / 8192 - 1) / 3)); }},
      {"the ramp runs from 1.1 to 4 rotations in original_length, not from 1 to 4",
       [=](const Ramped& pair) { return pair.blended(share((pair.rotations - 1.1) / 2.9)); }},
      {"the ramp runs from pair 40 to pair 50",
       [=](const Ramped& pair) { return pair.blended(share((50 - pair.index) / 10)); }},
      {"the ramp is reversed: fast pairs are scaled and slow ones kept",
       [=](const Ramped& pair) { return pair.blended(share((pair.index - 40) / 10)); }},
      {"the ramp is linear in the wavelength, not in the number of rotations",
       [=](const Ramped& pair) { return pair.blended(share((1 - pair.wavelength()) / 0.75)); }},
      {"the ramp blends wavelengths, not frequencies",
       [](const Ramped& pair) { return pair.longer(1 + 7 * (pair.wavelength() - 0.25) / 0.75); }},
      {"the ramp blends wavelengths, not frequencies, and is reversed",
       [](const Ramped& pair) { return pair.longer(8 - 7 * (pair.wavelength() - 0.25) / 0.75); }},
  };
  for (const auto& [words, measured] : all) EXPECT_EQ(of_ramp(measured), Sentences{words});
  EXPECT_EQ(of_ramp([](const Ramped& pair) { return pair.declared(); }), Sentences{});
  // Through two pairs there is a line of every kind: three are a ramp.
  const auto of_pairs_inside = [=](double inside) {
    return of_ramp(
        [=](const Ramped& pair) { return pair.blended(share((41 + inside - pair.index) / (inside + 1))); });
  };
  EXPECT_EQ(of_pairs_inside(3), Sentences{"the ramp runs from pair 40 to pair 44"});
  for (const std::string& one : of_pairs_inside(2)) EXPECT_EQ(one.find("ramp"), one.npos) << one;
}

// A pair of which nothing is known lets no other be what it is not.
TEST(LadderDeviations, are_of_a_ramp_by_each_pair_as_far_as_it_is_known) {
  EXPECT_EQ(of_ramp([](const Ramped& pair) { return pair.declared() * (pair.index == 40 ? 1.01 : 1); }, 1),
            Sentences{"pair 40 rotates at 1.01 times the declared frequency"});
  EXPECT_EQ(of_ramp([](const Ramped& pair) { return pair.blended(1 - pair.kept()); }, 1),
            Sentences{"the ramp is reversed: fast pairs are scaled and slow ones kept"});
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
  const auto at = [](double (*other)(double i)) {
    return of([other](double i, double) { return std::pow(10000, -other(i) / 8); });
  };
  EXPECT_EQ(at([](double) { return 7.0; }),
            Sentences{"every pair rotates at the frequency of the last pair"});
  EXPECT_EQ(at([](double i) { return std::min(2 * i, 7.0); }),
            Sentences{"pair i rotates at the frequency of pair 2i"});
  EXPECT_EQ(at([](double i) { return std::fmod(2 * i, 8); }),
            Sentences{"pair i rotates at the frequency of pair 2i mod 8"});
  EXPECT_EQ(at([](double i) { return std::fmod(i + 1, 8); }),
            Sentences{"pair i rotates at the frequency of pair i + 1, the last at that of pair 0"});
  EXPECT_EQ(at([](double i) { return std::fmod(i + 7, 8); }),
            Sentences{"pair i rotates at the frequency of pair i - 1, the first at that of the last"});
  EXPECT_EQ(at([](double i) { return std::min(i + 1, 7.0); }),
            Sentences{"pair i rotates at the frequency of pair i + 1, the last at its own"});
  // Of two pairs several orders are the same one: their ladder is said.
  EXPECT_EQ(ladder_deviations({{1, 0.01, 1e-9, 1e-8}, {0.01, 1, 1e-9, 1e-10}}, Case::parse("base=10000"), 4),
            Sentences{"frequencies are 0.01 times base^(-2i/4) with base 0.0001, not 10000"});
}

// As far off as the declared frequency of the other pair may be.
TEST(LadderDeviations, are_those_of_other_pairs_within_what_is_allowed_there) {
  const auto reversed = [](double off) {
    return of([off](double i, double) { return std::pow(10000, -(7 - i) / 8) * (1 + off); }) ==
           Sentences{"the frequencies stand in reverse order: pair i has that of pair 7 - i"};
  };
  for (const double off : {9e-9, -9e-9}) EXPECT_TRUE(reversed(off)) << off;
  for (const double off : {1.2e-8, -1.2e-8}) EXPECT_FALSE(reversed(off)) << off;
}

TEST(LadderDeviations, are_another_base_of_some_pairs) {
  const auto from_4_on = [](const Function<double(double i)>& other) {
    return of([=](double i, double w) { return i >= 4 ? other(i) : w; });
  };
  EXPECT_EQ(from_4_on([](double i) { return std::pow(1000, -i / 8); }),
            Sentences{"pairs 4 to 7 have the frequencies of base 1000, not 10000"});
  // The last one is off by ten times what it is known to.
  EXPECT_EQ(from_4_on([](double i) { return std::pow(1000, -i / 8) * (i == 7 ? 1 + 1.1e-7 : 1); }),
            (Sentences{"pairs 4 to 7 rotate at other frequencies: pair 4 at 0.03162278, not 0.01"}));
  // Of two pairs any base that fits is one by chance.
  EXPECT_EQ(of([](double i, double w) { return i >= 6 ? std::pow(1000, -i / 8) : w; }).size(), 2u);
}

// So many pairs over base 10000, each known to `off`, those from `first` on at what is measured.
Sentences from_on(double count, double first, double off, const Function<double(double share)>& measured) {
  std::vector<MeasuredFrequency> pairs;
  for (double i = 0; i < count; ++i) {
    const double w = std::pow(10000, -i / count);
    pairs.push_back({w, i >= first ? measured(i / count) : w, off * w, 0});
  }
  return ladder_deviations(pairs, Case::parse("base=10000"), 2 * count);
}

// As far as the last three of 64 pairs tell, 2w is w^0.92, too: the frequencies of base 4800.
TEST(LadderDeviations, are_one_factor_before_they_are_another_base_of_some_pairs) {
  EXPECT_EQ(from_on(64, 61, 6e-3, [](double share) { return 2 * std::pow(10000, -share); }),
            Sentences{"pairs 61 to 63 rotate at twice the declared frequency"});
}

// The logarithm of the base has to be known to a hundredth.
TEST(LadderDeviations, are_another_base_of_some_pairs_where_that_is_known) {
  const auto of_base_1000 = [](double share) { return std::pow(1000, -share); };
  EXPECT_EQ(from_on(8, 4, 2e-2, of_base_1000),
            Sentences{"pairs 4 to 7 have the frequencies of base 1000, not 10000"});
  EXPECT_EQ(from_on(8, 4, 5e-2, of_base_1000),
            Sentences{"pairs 4 to 7 rotate at other frequencies: pair 4 at 0.032, not 0.01"});
}

// A base that is made from the declared one.
TEST(LadderDeviations, are_those_of_some_pairs_at_the_place_of_others) {
  const auto w = [](double i) { return std::pow(10000, -i / 8); };
  EXPECT_EQ(of([=](double i, double) { return w(i >= 6 ? i - 6 : i); }),
            Sentences{"pairs 6 and 7 rotate at the frequencies of pairs 0 and 1"});
  EXPECT_EQ(of([=](double i, double) { return w(std::min(i, 5.0)); }),
            Sentences{"pairs 6 and 7 rotate at the frequency of pair 5"});
  EXPECT_EQ(of([=](double i, double) { return w(i == 7 ? 2 : i); }),
            Sentences{"pair 7 rotates at the frequency of pair 2"});
  // Of a place beside the ladder, and of places that are not alike.
  EXPECT_EQ(of([=](double i, double) { return w(i == 7 ? 2.5 : i); }),
            Sentences{"pair 7 rotates at 177.8279 times the declared frequency"});
  EXPECT_EQ(of([=](double i, double) {
              return w(i == 7 ? 2 : i == 6 ? 4 : i);
            }),
            (Sentences{"pair 6 rotates at 10 times the declared frequency",
                       "pair 7 rotates at 316.2278 times the declared frequency"}));
}

// Where two pairs have one frequency, nothing says which of them stands there.
TEST(LadderDeviations, are_those_of_no_pair_where_two_have_it) {
  std::vector<MeasuredFrequency> pairs;
  for (const double i : {0.0, 1.0, 1.0, 3.0, 4.0, 5.0, 6.0, 7.0}) {
    const double w = std::pow(10000, -i / 8);
    pairs.push_back({w, w, 1e-9 * w, 1e-8 * w});
  }
  pairs[7].measured = pairs[1].declared;
  EXPECT_EQ(ladder_deviations(pairs, Case::parse("base=10000"), 16),
            Sentences{"pair 7 rotates at 1000 times the declared frequency"});
}

TEST(LadderDeviations, say_how_another_base_was_made) {
  const auto power = [](double of) {
    return [of](double i, double) { return std::pow(10000, -of * i / 8); };
  };
  const std::pair<double, std::string> all[] = {
      {1 / std::numbers::ln10, "54.59815, not 10000: the logarithm of the base is taken to base 10"},
      {1 / std::numbers::ln2, "589902, not 10000: the logarithm of the base is taken to base 2"},
      {std::numbers::ln2, "592.3641, not 10000: 2 is raised to the power in the place of e"},
      {std::numbers::ln10, "1.62e+09, not 10000: 10 is raised to the power in the place of e"},
      {0.5, "100, not 10000: the exponent is halved"},
      {2, "100000000, not 10000: the exponent is doubled"},
      {16.0 / 17, "5817.091, not 10000: 2i is divided by 17, not by 16"},
      {16.0 / 17.5, "4540.91, not 10000"},
  };
  for (const auto& [of_it, words] : all)
    EXPECT_EQ(of(power(of_it)), Sentences{"frequencies are base^(-2i/16) with base " + words});
  // The first pair is another, too: nothing says where the base came from.
  EXPECT_EQ(of([](double i, double) { return 0.5 * std::pow(100, -i / 8); }),
            Sentences{"frequencies are 0.5 times base^(-2i/16) with base 100, not 10000"});
  EXPECT_EQ(of([](double, double) { return 0.25; }),
            Sentences{"every pair rotates at one frequency, 0.25 a position"});
}

// Of base 2^16 each channel more halves the frequency: by a whole number up to 64, which is told.
TEST(LadderDeviations, begin_at_another_exponent) {
  const auto begins = [](double more) {
    std::vector<MeasuredFrequency> pairs;
    for (double i = 0; i < 8; ++i)
      pairs.push_back({std::exp2(-2 * i), std::exp2(-2 * i - more), 1e-9 * std::exp2(-2 * i - more),
                       1e-8 * std::exp2(-2 * i)});
    return ladder_deviations(pairs, Case::parse("base=65536"), 16);
  };
  const auto words = [](const std::string& exponent) {
    return Sentences{"frequencies are base^(-(2i " + exponent};
  };
  EXPECT_EQ(begins(1), words("+ 1)/16), not base^(-2i/16): 1/2 of those"));
  EXPECT_EQ(begins(2), words("+ 2)/16), not base^(-2i/16): 1/4 of those"));
  EXPECT_EQ(begins(6), words("+ 6)/16), not base^(-2i/16): 1/64 of those"));
  EXPECT_EQ(begins(7), words("+ 7)/16), not base^(-2i/16)"));
  EXPECT_EQ(begins(8), words("+ 8)/16), not base^(-2i/16)"));
  EXPECT_EQ(begins(9), Sentences{"every pair rotates at 1/512 of the declared frequency"});
  EXPECT_EQ(begins(-1), words("- 1)/16), not base^(-2i/16): 2 times those"));
  EXPECT_EQ(begins(0), Sentences{});
  EXPECT_EQ(begins(0.5), Sentences{"every pair rotates at 0.7071068 times the declared frequency"});
}

// As far off as the first frequency and the step may be: 2 (2 + 2/7) times what one is measured to.
TEST(LadderDeviations, begin_at_another_exponent_within_what_is_measured) {
  const auto names_it = [](double off) {
    std::vector<MeasuredFrequency> pairs;
    for (double i = 0; i < 8; ++i) {
      const double w = std::exp2(-2 * i - 1) * (1 - off * 1e-6);
      pairs.push_back({std::exp2(-2 * i), w, 1e-6 * w, 1e-8 * std::exp2(-2 * i)});
    }
    return ladder_deviations(pairs, Case::parse("base=65536"), 16) ==
           Sentences{"frequencies are base^(-(2i + 1)/16), not base^(-2i/16): 1/2 of those"};
  };
  for (const double off : {0.0, 4.5, -4.5}) EXPECT_TRUE(names_it(off)) << off;
  for (const double off : {4.7, -4.7}) EXPECT_FALSE(names_it(off)) << off;
}

TEST(LadderDeviations, are_rounded_frequencies) {
  const auto rounded = [](Format format) {
    std::vector<MeasuredFrequency> pairs;
    for (double i = 0; i < 8; ++i) {
      const double w = std::pow(10000, -i / 8);
      pairs.push_back({w, nearest(format, w), 1e-12 * w, 1e-11 * w});
    }
    return ladder_deviations(pairs, Case::parse("base=10000"), 16);
  };
  EXPECT_EQ(rounded(Format::f32), Sentences{"frequencies are rounded to f32"});
  EXPECT_EQ(rounded(Format::bf16), Sentences{"frequencies are rounded to bf16"});
  EXPECT_EQ(rounded(Format::f16), Sentences{"frequencies are rounded to 11 bits, as in f16 or tf32"});
  EXPECT_EQ(rounded(Format::f64), Sentences{});
}

// Times 1000 from what is rounded on.
TEST(LadderDeviations, are_rounded_before_or_after_what_multiplies_them) {
  const auto rounded = [](Format format, double before) {
    std::vector<MeasuredFrequency> pairs;
    for (double i = 0; i < 8; ++i) {
      const double w = std::pow(10000, -i / 8);
      pairs.push_back(
          {1000 * w, 1000 / before * nearest(format, before * w), 1e-12 * 1000 * w, 1e-11 * 1000 * w});
    }
    return ladder_deviations(pairs, Case::parse("base=10000"), 16);
  };
  EXPECT_EQ(rounded(Format::bf16, 1),
            Sentences{"frequencies are rounded to bf16, before 1000 multiplies them"});
  EXPECT_EQ(rounded(Format::f16, 1),
            Sentences{"frequencies are rounded to 11 bits, as in f16 or tf32, before 1000 multiplies them"});
  EXPECT_EQ(rounded(Format::bf16, 1000), Sentences{"frequencies are rounded to bf16"});
  for (const std::string& one : rounded(Format::bf16, 700))
    EXPECT_EQ(one.find("are rounded"), std::string::npos) << one;
}

// Beyond their f32 as far as that is beside them, and known to less than both: f32 explains nothing of it.
TEST(LadderDeviations, are_no_rounded_frequencies_where_rounding_is_not_told) {
  std::vector<MeasuredFrequency> pairs;
  for (double i = 0; i < 8; ++i) {
    const double w = std::pow(10000, -i / 8), off = nearest(Format::f32, w) - w;
    pairs.push_back({w, w + 2 * off, 1.5 * std::abs(off) + 1e-15 * w, 0});
  }
  for (const std::string& one : ladder_deviations(pairs, Case::parse("base=10000"), 16))
    EXPECT_EQ(one.find("rounded"), one.npos) << one;
}

// Exponents of 20 channels, tenths that no format of 16 bits holds; those of 16 are eighths, which all hold.
TEST(LadderDeviations, are_exponents_that_are_rounded) {
  const auto of_exponents = [](double channels, const Function<double(double)>& rounded,
                               const std::string& words = "") {
    std::vector<MeasuredFrequency> pairs;
    for (double i = 0; i < channels / 2; ++i) {
      const double exponent = 2 * i / channels, w = std::pow(10000, -exponent);
      pairs.push_back({w, std::pow(10000, -rounded(exponent)), 1e-9 * w, 1e-8 * w});
    }
    return ladder_deviations(pairs, Case::parse("base=10000 " + words), channels);
  };
  const auto in = [](Format format) { return [format](double x) { return nearest(format, x); }; };
  EXPECT_EQ(of_exponents(20, in(Format::bf16)), Sentences{"exponents 2i/20 are rounded to bf16"});
  EXPECT_EQ(of_exponents(20, in(Format::f16)),
            Sentences{"exponents 2i/20 are rounded to 11 bits, as in f16 or tf32"});
  EXPECT_EQ(of_exponents(16, in(Format::bf16)), Sentences{});
  const Sentences near = of_exponents(20, [](double x) { return (7 * nearest(Format::bf16, x) + x) / 8; });
  ASSERT_FALSE(near.empty());
  EXPECT_EQ(near.front().find("exponents"), std::string::npos) << near.front();
}

}  // namespace
}  // namespace posproof::ladder_deviations_test
