// What is said of channels of a rotation, as they were measured.
#include "diagnosis/rotation_deviations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "diagnosis/described_channels.h"
#include "run/catalogued.h"

namespace posproof::rotation_deviations_test {
namespace {

using Sentences = std::vector<std::string>;
using Channels = std::vector<MeasuredChannel>;

const Precision iterated = Precision::parse("f32+iterated");

// `rope` of 16 channels, measured as it is declared, but for what is changed; `error` is of each frequency.
class Measured {
 public:
  explicit Measured(const std::string& words = "", const Precision& in = all_f64, double error = 1e-15)
      : parameters(with(encoding_named("rope"), Case::parse("dim=16 " + words))),
        truth(as<Rotary>(encoding_named("rope").oracle(parameters))),
        precision(in),
        channels(16) {
    for (const Pair& pair : truth.pairs) {
      turn(pair.first, pair.second, {1, pair.frequency, 0, error});
      turn(pair.second, pair.first, {1, pair.frequency, 0, error});
    }
    for (std::size_t c = 0; c < 16; ++c)
      if (channels[c].shares.empty()) keep(c);
  }

  void turn(std::size_t c, std::size_t partner, const Rotating& by) {
    MeasuredChannel& one = channels[c];
    one = {};
    one.from = {std::min(c, partner), std::max(c, partner)};
    one.own = c, one.partner = partner;
    one.rotates = by;
    const double sign = partner > c ? -1 : 1;
    one.shares = {{c, by.amplitude, 0, by.frequency}, {partner, 0, sign * by.amplitude, by.frequency}};
  }
  // Both channels of a pair.
  void turn(std::size_t pair, const Rotating& by) {
    const Pair& own = truth.pairs.at(pair);
    turn(own.first, own.second, by);
    turn(own.second, own.first, by);
  }
  void keep(std::size_t c, double factor = 1) {
    channels[c] = {};
    channels[c].from = {c};
    channels[c].own = channels[c].partner = c;
    channels[c].constant = factor;
    channels[c].shares = {{c, factor, 0, 0}};
  }
  Rotating& of(std::size_t c) { return *channels.at(c).rotates; }

  Sentences said() const {
    return rotation_deviations(channels, truth, parameters, 16, precision).value_or(Sentences{"none"});
  }

  Parameters parameters;
  Rotary truth;
  Precision precision;
  Channels channels;
};

TEST(RotationDeviations, of_the_declared_channels_are_none) {
  for (const std::string words : {"", "layout=interleaved", "direction=backward", "rotary_dim=8"})
    EXPECT_EQ(Measured(words).said(), Sentences{}) << words;
}

// What one channel has, whichever it is.
TEST(RotationDeviations, name_the_channel_that_has_another_amplitude) {
  for (std::size_t c = 0; c < 16; ++c) {
    Measured one;
    one.of(c).amplitude = 0.75;
    EXPECT_EQ(one.said(), Sentences{"channel " + std::to_string(c) + " is multiplied by 0.75, not by 1"});
  }
  Measured two;
  two.of(3).amplitude = two.of(9).amplitude = 0.5;
  two.of(5).amplitude = 1.25;
  EXPECT_EQ(two.said(), (Sentences{"channels 3 and 9 are multiplied by 0.5, not by 1",
                                   "channel 5 is multiplied by 1.25, not by 1"}));
}

TEST(RotationDeviations, name_components_that_stand_in_each_others_place) {
  for (const std::string words : {"", "layout=interleaved"}) {
    Measured one(words);
    for (const Pair& pair : one.truth.pairs) std::swap(one.channels[pair.first], one.channels[pair.second]);
    EXPECT_EQ(one.said(), Sentences{"the two components of each rotated pair are swapped"}) << words;
  }
}

// A kernel of four channels at once takes the first and the third of them for a pair.
TEST(RotationDeviations, name_pairs_in_blocks_of_channels) {
  const auto in_blocks = [](std::size_t apart, bool but_one) {
    Measured one;
    for (std::size_t i = 0; i < 8; ++i) {
      const std::size_t first = i / apart * 2 * apart + i % apart;
      const Rotating by{1, one.truth.pairs[i].frequency, 0, 1e-15};
      one.turn(first, first + apart, by);
      one.turn(first + apart, first, by);
    }
    if (but_one) one.of(0).frequency *= 1.5, one.of(3).frequency *= 0.7, one.of(5).frequency *= 1.1;
    return one.said();
  };
  EXPECT_EQ(in_blocks(2, false), Sentences{"channels i and i + 2 of each 4 (i below 2) rotate together, not "
                                           "channels i and i + 8 (i below 8)"});
  EXPECT_EQ(in_blocks(4, false), Sentences{"channels i and i + 4 of each 8 (i below 4) rotate together, not "
                                           "channels i and i + 8 (i below 8)"});
  EXPECT_EQ(in_blocks(8, false), Sentences{});
  EXPECT_EQ(in_blocks(2, true), Sentences{"none"});
}

// The width is 16.
TEST(RotationDeviations, name_a_root_of_the_width_that_multiplies) {
  const auto said_of = [](double factor) {
    Measured all;
    for (std::size_t c = 0; c < 16; ++c) all.of(c).amplitude = factor;
    return all.said();
  };
  EXPECT_EQ(said_of(4), Sentences{"every rotation is multiplied by sqrt(16), not by 1"});
  EXPECT_EQ(said_of(0.25), Sentences{"every rotation is multiplied by 1/sqrt(16), not by 1"});
  EXPECT_EQ(said_of(4.001), Sentences{"every rotation is multiplied by 4.001, not by 1"});
  EXPECT_EQ(said_of(16), Sentences{"every rotation is multiplied by 16, not by 1"});
}

TEST(RotationDeviations, name_the_channel_that_is_multiplied_by_a_constant) {
  for (std::size_t c = 8; c < 16; ++c) {
    Measured one("rotary_dim=8");
    one.keep(c, 2);
    EXPECT_EQ(one.said(), Sentences{"channel " + std::to_string(c) + " is multiplied by 2"});
  }
  Measured two("rotary_dim=8");
  two.keep(9, -1), two.keep(15, 0.5);
  EXPECT_EQ(two.said(), (Sentences{"channel 9 is multiplied by -1", "channel 15 is multiplied by 0.5"}));
  two.keep(12, 0.5);
  EXPECT_EQ(two.said(),
            (Sentences{"channel 9 is multiplied by -1", "channels 12 and 15 are multiplied by 0.5"}));
  // By eight units of f32; one is rounding.
  Measured little("rotary_dim=8", all_f32);
  little.keep(9, 1 + 0x1p-21), little.keep(10, 1 + 0x1p-24), little.keep(11, 1 - 0x1p-21);
  EXPECT_EQ(little.said(),
            (Sentences{"channel 11 is multiplied by 1 - 4.8e-07", "channel 9 is multiplied by 1 + 4.8e-07"}));
  // Five, each by its own.
  Measured several("rotary_dim=8");
  for (std::size_t c = 8; c < 13; ++c) several.keep(c, static_cast<double>(c));
  EXPECT_EQ(several.said(), Sentences{"channels 8 to 12 are multiplied by constants"});
}

TEST(RotationDeviations, name_the_channel_that_an_unrotated_one_holds) {
  Measured other("rotary_dim=8");
  other.channels[9] = other.channels[10];
  EXPECT_EQ(other.said(), Sentences{"channel 9 holds channel 10"});
  other.channels[8] = other.channels[11] = other.channels[12] = other.channels[10];
  EXPECT_EQ(other.said(), (Sentences{"channel 8 holds channel 10", "channel 9 holds channel 10",
                                     "channel 11 holds channel 10", "channel 12 holds channel 10"}));
  other.channels[13] = other.channels[10];
  EXPECT_EQ(other.said(), Sentences{"none"});
  // Another channel times a constant is no such one.
  Measured scaled("rotary_dim=8");
  scaled.keep(10, 2);
  scaled.channels[9] = scaled.channels[10];
  EXPECT_EQ(scaled.said(), Sentences{"none"});
}

TEST(RotationDeviations, name_the_channel_that_stays) {
  for (std::size_t c = 0; c < 16; ++c)
    for (const std::string words : {"", "layout=interleaved"}) {
      Measured one(words);
      one.keep(c);
      EXPECT_EQ(one.said(), Sentences{"channel " + std::to_string(c) + " stays as it is"}) << words;
    }
}

// Of a pair that rotates slowly in the place of a fast one, as much is rounding as of the fast one.
TEST(RotationDeviations, are_allowed_what_rounding_does_to_the_faster_of_both) {
  for (const std::string words : {"", "direction=backward"}) {
    Measured reversed(words, all_f32);
    for (std::size_t i = 0; i < 8; ++i) {
      const Pair& other = reversed.truth.pairs[7 - i];
      const double allowed = angle_error(all_f32, 1, other);
      reversed.turn(i, {1, other.frequency + 0.9 * allowed, 0, 0});
    }
    EXPECT_EQ(reversed.said(),
              Sentences{"the frequencies stand in reverse order: pair i has that of pair 7 - i"})
        << words;
  }
}

// Frequencies that are not each other's opposites are no wrong sign, whatever signs they have.
TEST(RotationDeviations, are_no_sign_where_both_channels_rotate_otherwise) {
  for (const std::string words : {"layout=interleaved", "layout=interleaved direction=backward"}) {
    Measured tiled(words);
    for (std::size_t c = 0; c < 16; ++c) tiled.of(c).frequency = tiled.truth.pairs[c % 8].frequency;
    EXPECT_EQ(tiled.said(), Sentences{"channel c rotates at the frequency of pair c mod 8, as of a table "
                                      "[w0, w1, .., w0, w1, ..]"})
        << words;
  }
  for (const std::size_t c : {4, 12}) {  // of pair 4
    Measured one;
    one.of(c).frequency *= -1;
    const std::string which = c < 8 ? "first" : "second";
    EXPECT_EQ(one.said(), Sentences{"the sine in the " + which + " channel of pair 4 has the wrong sign"});
    one.of(c).frequency *= 1.01;
    EXPECT_EQ(one.said(), Sentences{"the " + which +
                                    " channel of a pair: pair 4 rotates at -1.01 times the declared "
                                    "frequency"});
  }
}

// Over 256 positions: from there on a frequency would be off by more than its phase says.
TEST(RotationDeviations, have_a_phase_that_is_more_than_rounding) {
  const auto ahead = [](const Precision& precision, double error, double times) {
    Measured one("", precision, error);
    for (std::size_t i = 0; i < 8; ++i) {
      const Pair& pair = one.truth.pairs[i];
      const double slack = 4 * rotation_rounding(precision, 256, pair) + 256 * error;
      one.turn(i, {1, pair.frequency, times * slack, error});
    }
    return one.said();
  };
  EXPECT_EQ(ahead(all_f32, 0, 0.99), Sentences{});
  EXPECT_NE(ahead(all_f32, 0, 1.01), Sentences{});
  EXPECT_EQ(ahead(iterated, 0, 0.99), Sentences{});
  EXPECT_NE(ahead(iterated, 0, 1.01), Sentences{});
  EXPECT_EQ(ahead(all_f64, 1e-9, 0.99), Sentences{});
  EXPECT_NE(ahead(all_f64, 1e-9, 1.01), Sentences{});
}

// Of none, of some or of all that rotate; and of what is no such rotation nothing is said.
TEST(RotationDeviations, name_a_token_that_is_added) {
  Measured all("rotary_dim=8");
  all.channels[2].added = true;
  EXPECT_EQ(all.said(), Sentences{"the token is added to channel 2 of its rotation"});
  all.of(5).amplitude = 0.75;
  EXPECT_EQ(all.said(), (Sentences{"channel 5 is multiplied by 0.75, not by 1",
                                   "the token is added to channel 2 of its rotation"}));
  all.of(5).amplitude = 1;
  for (std::size_t c = 0; c < 8; ++c) all.channels[c].added = true;
  EXPECT_EQ(all.said(), Sentences{"the token is added to its rotation"});
  all.keep(10, 2);
  all.channels[9] = all.channels[10];
  EXPECT_EQ(all.said(), Sentences{"none"});
}

// The ladder goes on: pairs past the last declared one are allowed what rounding does to that one, and more
// is another frequency.
TEST(RotationDeviations, are_more_pairs_than_declared) {
  const auto more = [](double times) {
    Measured one("layout=interleaved rotary_dim=8", iterated);
    const double ratio = one.truth.pairs[1].frequency / one.truth.pairs[0].frequency;
    for (std::size_t i = 4; i < 8; ++i) {
      Pair like = one.truth.pairs.back();
      like.frequency = std::pow(ratio, static_cast<double>(i));
      const Rotating by{1, like.frequency + times * angle_error(iterated, 1, like), 0, 0};
      one.turn(2 * i, 2 * i + 1, by), one.turn(2 * i + 1, 2 * i, by);
    }
    return one.said();
  };
  const std::string layout =
      "channels 2i and 2i + 1 (i below 8) rotate together, not channels 2i and 2i + 1 (i below 4)";
  EXPECT_EQ(more(0), Sentences{layout});
  EXPECT_EQ(more(0.99), Sentences{layout});
  EXPECT_EQ(more(1.01), (Sentences{layout, "pairs 4 to 7 rotate too fast by a relative 2.6e-06"}));
}

// Where each frequency is made from the one before, a later one is allowed more.
TEST(RotationDeviations, are_allowed_the_steps_of_a_ladder) {
  for (const std::size_t moved : {0, 1, 2}) {  // both channels, the first, the second
    Measured one("", iterated);
    for (const Pair& pair : one.truth.pairs) {
      const double off = 0.99 * angle_error(iterated, 1, pair);
      if (moved != 2) one.of(pair.first).frequency += off;
      if (moved != 1) one.of(pair.second).frequency += off;
    }
    EXPECT_EQ(one.said(), Sentences{}) << moved;
  }
}

// Rotated channels that stand in each other's place three by three, in no order: eight are listed, nine are
// not.
TEST(RotationDeviations, name_no_more_than_eight_channels_that_stand_elsewhere) {
  const auto exchanged = [](const std::vector<std::vector<std::size_t>>& cycles) {
    Measured one;
    const Channels right = one.channels;
    for (const auto& cycle : cycles)
      for (std::size_t n = 0; n < cycle.size(); ++n)
        one.channels[cycle[n]] = right[cycle[(n + 1) % cycle.size()]];
    return one.said();
  };
  const Sentences eight = exchanged({{0, 5, 9}, {1, 4, 11}, {2, 7}});
  ASSERT_EQ(eight.size(), 8u);
  EXPECT_EQ(eight.front(), "channel 0 of the answer holds the rotated channel 5");
  EXPECT_EQ(exchanged({{0, 5, 9}, {1, 4, 11}, {2, 7, 13}}), Sentences{"none"});
}

// Channels that are rotated with one that is 9, 2, 5 and 11 behind them; a fifth distance is 3.
TEST(RotationDeviations, name_no_more_than_four_distances_of_partners) {
  const auto partners = [](const std::vector<std::size_t>& of) {
    Measured one;
    for (std::size_t c = 0; c < of.size(); ++c) one.turn(c, of[c], one.of(c));
    rotation_words::Described to{one.truth, one.parameters, one.precision, 16};
    return describe_partners(one.channels, {.neighbours = false, .apart = 8, .pairs = 8}, to)
               ? to.out
               : Sentences{"none"};
  };
  EXPECT_EQ(partners({9, 3, 7, 14}),
            (Sentences{"channel 1 is rotated with channel 3, not with channel 9",
                       "channel 2 is rotated with channel 7, not with channel 10",
                       "channel 0 is rotated with channel 9, not with channel 8",
                       "channel 3 is rotated with channel 14, not with channel 11"}));
  EXPECT_EQ(partners({9, 3, 7, 14, 7}), Sentences{"none"});
}

TEST(RotationDeviations, name_no_more_than_three_amplitudes) {
  Measured one;
  one.of(0).amplitude = 0.5, one.of(1).amplitude = 0.75, one.of(2).amplitude = 1.25;
  one.of(8).amplitude = 0.5, one.of(9).amplitude = 0.75, one.of(10).amplitude = 1.25;
  EXPECT_EQ(one.said(), (Sentences{"channels 0 and 8 are multiplied by 0.5, not by 1",
                                   "channels 1 and 9 are multiplied by 0.75, not by 1",
                                   "channels 2 and 10 are multiplied by 1.25, not by 1"}));
  one.of(3).amplitude = one.of(11).amplitude = 1.5;
  EXPECT_EQ(one.said(), Sentences{"none"});
}

// A phase is known within 256 errors of the frequency, 0.001. The slowest pair moves by 0.0126 in 40
// positions: a number of positions is known from that within 8 %, too vaguely, but 40 is the only whole one.
TEST(RotationDeviations, are_whole_numbers_of_positions_ahead_or_known_within_a_twentieth) {
  const auto ahead = [](double by) {
    Measured one("", all_f64, 3.8e-6);
    for (std::size_t c = 0; c < 16; ++c) one.of(c).phase = by * one.of(c).frequency;
    return one.said();
  };
  EXPECT_EQ(ahead(40), Sentences{"positions are 40 ahead"});
  EXPECT_EQ(ahead(-64), Sentences{"positions are 64 behind"});
  EXPECT_EQ(ahead(30.5), Sentences{"none"});
}

// Half of the channels before is half of the channels behind.
TEST(RotationDeviations, name_a_roll_by_half_as_one_back) {
  Measured one("rotary_dim=12");
  const Channels right = one.channels;
  for (std::size_t c = 0; c < 16; ++c) one.channels[(c + 8) % 16] = right[c];
  EXPECT_EQ(one.said(), Sentences{"channel c of the answer holds the rotated channel c - 8 (modulo 16)"});
}

// One frequency for all: the answer is rolled, or its input, and both say as much.
TEST(RotationDeviations, name_a_rolled_answer_before_a_rolled_input) {
  Measured one("layout=interleaved");
  for (std::size_t c = 0; c < 16; ++c) one.of(c).frequency = 1;
  const Channels right = one.channels;
  for (std::size_t c = 0; c < 16; ++c) one.channels[(c + 2) % 16] = right[c];
  const Sentences all = one.said();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0], "channel c of the answer holds the rotated channel c - 2 (modulo 16)");
  EXPECT_EQ(all[1], "every pair rotates at the frequency of pair 0");
}

// Channels i and i + 8 of four pairs are not i and i + 4, which the evens and then the odds would be.
TEST(RotationDeviations, name_a_permutation_where_halves_are_next_to_each_other) {
  const auto apart = [](std::size_t by) {
    Measured one("layout=interleaved rotary_dim=8");
    for (std::size_t c = 0; c < 8; ++c) one.keep(c);
    for (std::size_t i = 0; i < 4; ++i) {
      const Rotating as{1, one.truth.pairs[i].frequency, 0, 1e-15};
      one.turn(i, i + by, as), one.turn(i + by, i, as);
    }
    return one.said();
  };
  const std::string declared = " (i below 4) rotate together, not channels 2i and 2i + 1 (i below 4)";
  EXPECT_EQ(apart(8), Sentences{"channels i and i + 8" + declared});
  EXPECT_EQ(apart(4), Sentences{"channels i and i + 4" + declared +
                                ": the same after one permutation of channels, evens then odds"});
}

// The factor is that of cosines and of sines.
TEST(RotationDeviations, say_once_what_cosines_and_sines_have_in_common) {
  Measured one;
  for (std::size_t c = 0; c < 16; ++c) {
    Rotating cosine = one.of(c), sine = one.of(c);
    cosine.amplitude = sine.amplitude = 0.5;
    if (c % 8 == 3) cosine.frequency *= 1.5;
    one.channels[c].rotates.reset();
    one.channels[c].apart = Halves{cosine, sine};
  }
  EXPECT_EQ(one.said(), (Sentences{"cosines: pair 3 rotates at 1.5 times the declared frequency",
                                   "every rotation is multiplied by 0.5, not by 1"}));
}

}  // namespace
}  // namespace posproof::rotation_deviations_test
