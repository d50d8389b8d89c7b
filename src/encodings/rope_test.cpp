#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>

#include "catalogue/encodings/rope.h"
#include "encodings/made.h"

namespace posproof::encodings_rope_test {
namespace {

// 1, 2, 3, ... rotated at t.
std::vector<double> rotated(std::string_view parameters, Position t) {
  const auto rotary = made<Rotary>(encodings::rope, parameters);
  Tensor x({1, rotary.heads, 1, rotary.dim});
  std::iota(x.data.begin(), x.data.end(), 1.0);
  const std::array<Position, 1> at = {t};
  return rotary.rotate(x, at, Role::query).data;
}

void expect_near(const std::vector<double>& x, const std::vector<double>& golden) {
  ASSERT_EQ(x.size(), golden.size());
  for (std::size_t c = 0; c < x.size(); ++c) EXPECT_DOUBLE_EQ(x[c], golden[c]) << "channel " << c;
}

// Golden numbers from 40-digit arithmetic.
TEST(Rope, turns_the_pairs_of_its_layout) {
  expect_near(rotated("dim=4", 3),
              {-1.413352520780047, 1.8791180666879923, -2.828857481741469, 4.058191135400941});
  expect_near(rotated("dim=4 layout=interleaved", 3),
              {-1.27223251272018, -1.8388649851410237, 2.87866810043698, 4.088186635603437});
}

TEST(Rope, turns_the_other_way_backward) {
  EXPECT_EQ(rotated("dim=6 direction=backward", 3), rotated("dim=6", -3));
  EXPECT_NE(rotated("dim=6 direction=backward", 3), rotated("dim=6", 3));
  EXPECT_LT(made<Rotary>(encodings::rope, "dim=6 direction=backward").pairs[1].frequency, 0);
}

TEST(Rope, leaves_the_tail_and_says_what_the_exponent_is_over) {
  const auto own = rotated("dim=6 rotary_dim=4", 3);
  const auto of_four = rotated("dim=4", 3);
  EXPECT_TRUE(std::equal(of_four.begin(), of_four.end(), own.begin()));
  EXPECT_EQ(own[4], 5);
  EXPECT_EQ(own[5], 6);
  const auto of_dim = rotated("dim=6 rotary_dim=4 exponent=dim", 3);
  EXPECT_DOUBLE_EQ(of_dim[1], 1.4254489939511479);
  EXPECT_DOUBLE_EQ(of_dim[3], 4.238878998702801);
  EXPECT_EQ(made<Rotary>(encodings::rope, "dim=7 rotary_dim=4").pairs.size(), 2u);
}

TEST(Rope, rotates_the_first_channels_or_the_last) {
  const auto last = rotated("dim=6 rotary_dim=4 rotary_part=last direction=backward", -3);
  EXPECT_EQ(last[0], 1);
  EXPECT_EQ(last[1], 2);
  const auto rotary = made<Rotary>(encodings::rope, "dim=4 direction=backward");
  const std::array<Position, 1> at = {-3};
  const Tensor four = rotary.rotate(Tensor({1, 1, 1, 4}, {3, 4, 5, 6}), at, Role::query);
  EXPECT_TRUE(std::equal(four.data.begin(), four.data.end(), last.begin() + 2));
  const auto neighbours =
      made<Rotary>(encodings::rope, "dim=7 rotary_dim=4 rotary_part=last layout=interleaved").pairs;
  EXPECT_EQ(neighbours[1].first, 5u);
  EXPECT_EQ(neighbours[1].second, 6u);
  EXPECT_EQ(rotated("dim=6 rotary_part=last", 3), rotated("dim=6", 3));
}

// p-RoPE: the exponent is over the whole width, and what does not rotate ends each half.
TEST(Rope, keeps_the_fastest_pairs) {
  const auto two = rotated("dim=8 kept_pairs=2", 3), all = rotated("dim=8", 3);
  for (std::size_t c = 0; c < 8; ++c)
    if (c % 4 < 2)
      EXPECT_EQ(two[c], all[c]) << c;
    else
      EXPECT_EQ(two[c], static_cast<double>(c + 1)) << c;
  EXPECT_EQ(rotated("dim=8 kept_pairs=4", 3), all);
  EXPECT_EQ(refused(encodings::rope, "dim=8 kept_pairs=5"),
            "`kept_pairs=5 dim=8 rotary_dim=0`; allowed: numbers up to that of the pairs that rotate");
  EXPECT_EQ(refused(encodings::rope, "dim=8 rotary_dim=4 kept_pairs=3"),
            "`kept_pairs=3 dim=8 rotary_dim=4`; allowed: numbers up to that of the pairs that rotate");
}

// Golden numbers from 40-digit arithmetic.
TEST(Rope, of_longrope_divides_each_frequency_by_its_own_factor) {
  expect_near(rotated("dim=8 scaling=longrope factors=[1,1.5,2]", 3),
              {-1.8810910258726858, 0.85214949085783717, 3.2113440887468989, 4.4242837777838987,
               -5.3349317289334872, 6.9645251436117279, 7.8148502562931898, 8.8818495548605582});
  const auto rotary = made<Rotary>(encodings::rope, "dim=8 scaling=longrope factors=[1,1.5,2]");
  EXPECT_DOUBLE_EQ(rotary.amplitude, 1.1094003924504582);
  EXPECT_EQ(rotary.pairs[1].frequency_error.roundings, 3);
  EXPECT_EQ(made<Rotary>(encodings::rope, "dim=8 scaling=longrope attention_factor=1.5").amplitude, 1.5);
  const auto list = [](std::string_view words) {
    return refused(encodings::rope, fmt::format("dim=4 scaling=longrope {}", words));
  };
  EXPECT_EQ(list("factors=[1,0]"),
            "`factors=[1,0] scaling=longrope`; allowed: numbers above 0, one for each pair at most");
  EXPECT_EQ(list("factors=[1,2,3]"),
            "`factors=[1,2,3] scaling=longrope`; allowed: numbers above 0, one for each pair at most");
  EXPECT_EQ(list("original_length=1"),
            "`original_length=1 attention_factor=0 scaling=longrope`; allowed: lengths above 1, where the "
            "attention factor is a logarithm's");
  EXPECT_EQ(list("original_length=1 attention_factor=1.5"), "not refused");
}

// A call's length matters to a factor that grows with it, and where there are two lists to take one from.
TEST(Rope, is_another_in_each_call_where_its_length_decides) {
  const std::pair<std::string, bool> all[] = {
      {"dim=4", false},
      {"dim=4 scaling=ntk factor=2", false},
      {"dim=4 scaling=dynamic_ntk factor=2", true},
      {"dim=4 scaling=longrope factor=2 factors=[1,2]", false},
      {"dim=4 scaling=longrope factor=2 factors=[1,2] short_factors=[1,1]", true}};
  for (const auto& [words, depends] : all) {
    const Parameters p = with(encodings::rope, Case::parse(words));
    EXPECT_EQ(static_cast<bool>(encodings::rope.make<Rotary>(p).in_call), depends) << words;
    EXPECT_EQ(static_cast<bool>(encodings::rope.oracle<Rotary>(p).in_call), depends) << words;
  }
}

// As Llama 4 Scout has it: pair 35 makes 0.9967 rotations, the one before 1.22.
TEST(Rope, of_llama3_with_equal_bounds_is_a_step) {
  const std::string words =
      "dim=128 base=500000 scaling=llama3 factor=16 low_freq_factor=1 high_freq_factor=1";
  for (const Encoding& encoding :
       {Encoding(made<Rotary>(encodings::rope, words)), encodings::rope.oracle(Case::parse(words))}) {
    const auto& pairs = as<Rotary>(encoding).pairs;
    EXPECT_DOUBLE_EQ(pairs[34].frequency, 0.00093847387035738025);
    EXPECT_DOUBLE_EQ(pairs[35].frequency, 4.7781061769823415e-5);
    EXPECT_NEAR(pairs[34].frequency_error.margin, 0.223579692, 5e-10);  // half of the last digit
    EXPECT_NEAR(pairs[35].frequency_error.margin, 1 - 0.9967491045, 5e-11);
    EXPECT_DOUBLE_EQ(pairs[34].frequency_error.jump, 15.0 / 16);
    EXPECT_DOUBLE_EQ(pairs[35].frequency_error.jump, 15);
  }
}

// DeepSeek-V2: mscale 0.707 of both cancels; golden numbers from 40-digit arithmetic.
TEST(Rope, of_yarn_takes_the_quotient_of_two_attention_factors) {
  const auto amplitude = [](std::string_view words) {
    const std::string all = fmt::format("dim=8 scaling=yarn factor=40 {}", words);
    const double ours = made<Rotary>(encodings::rope, all).amplitude;
    EXPECT_DOUBLE_EQ(encodings::rope.oracle<Rotary>(Case::parse(all)).amplitude, ours);
    return ours;
  };
  EXPECT_DOUBLE_EQ(amplitude(""), 1.3688879454113936303);
  EXPECT_DOUBLE_EQ(amplitude("mscale=0.707 mscale_all_dim=1"), 0.92104235531633989107);
  EXPECT_DOUBLE_EQ(amplitude("mscale_all_dim=0.5"), 1.1557219901962608854);
  EXPECT_EQ(amplitude("mscale=0.707 mscale_all_dim=0.707"), 1);
  EXPECT_EQ(amplitude("mscale=0.707 mscale_all_dim=1 attention_factor=1.25"), 1.25);
}

TEST(Rope, declares_its_frequencies) {
  EXPECT_EQ(made<Rotary>(encodings::rope, "dim=4 base=500000").pairs[1].frequency, 0.001414213562373095);
  EXPECT_EQ(made<Rotary>(encodings::rope, "dim=64").pairs[5].frequency, 0.23713737056616552);
  EXPECT_EQ(made<Rotary>(encodings::rope, "dim=64").pairs[5].second, 37u);
}

std::vector<double> frequencies(std::string_view parameters) {
  std::vector<double> out;
  for (const Pair& pair : made<Rotary>(encodings::rope, parameters).pairs) out.push_back(pair.frequency);
  return out;
}

// Golden numbers from 40-digit arithmetic, and the snapshots of Hugging Face.
TEST(Rope, has_the_known_scaled_frequencies) {
  const auto llama = frequencies("dim=128 base=500000 scaling=llama3");
  EXPECT_NEAR(llama[29], .0021665707635, 5e-14);
  EXPECT_NEAR(llama[30], .00137189356776, 5e-15);
  EXPECT_NEAR(llama[31], .00085675141292, 5e-15);
  EXPECT_NEAR(llama[63], 3.06892598891e-7, 5e-19);
  const auto yarn = frequencies("dim=128 scaling=yarn factor=10 original_length=2048");
  EXPECT_NEAR(yarn[17], .0834790, 5e-8);
  EXPECT_NEAR(yarn[40], 4.3007e-4, 5e-9);
  const auto paper = frequencies("dim=128 scaling=by_parts factor=10 original_length=2048");
  EXPECT_NEAR(yarn[32] / paper[32], 2.56, .005);
  EXPECT_NEAR(frequencies("dim=128 scaling=ntk")[1], std::pow(82684.6226, -1.0 / 64), 1e-11);
}

TEST(Rope, of_ntk_keeps_the_fastest_pair_and_divides_the_slowest_by_its_factor) {
  const auto plain = frequencies("dim=128"), ntk = frequencies("dim=128 scaling=ntk factor=10");
  EXPECT_EQ(ntk.front(), 1);
  EXPECT_NEAR(ntk.back(), plain.back() / 10, plain.back() * 0x1p-52);
}

TEST(Rope, scaled_as_yarn_is_stretched) {
  EXPECT_NEAR(made<Rotary>(encodings::rope, "dim=4 scaling=yarn factor=4").amplitude, 1.1386294361, 5e-11);
  EXPECT_NEAR(rotated("dim=4 scaling=yarn factor=4", 0)[0], 1.1386294361, 5e-11);
  EXPECT_EQ(rotated("dim=4 scaling=yarn factor=4 attention_factor=2", 0)[3], 8);
  EXPECT_EQ(rotated("dim=4 scaling=llama3 attention_factor=2", 0)[3], 4);
}

// Every token of every batch row has its own position, and every head the same one.
TEST(Rope, turns_each_token_at_its_own_position) {
  const auto rotary = made<Rotary>(encodings::rope, "dim=4 heads=3");
  const std::array<Position, 4> positions = {0, 7, 1000, 3};
  Tensor x({2, 3, 2, 4});
  std::iota(x.data.begin(), x.data.end(), 1.0);
  const Tensor all = rotary.rotate(x, positions, Role::key);
  const auto one = made<Rotary>(encodings::rope, "dim=4");
  for (std::size_t row = 0; row < 12; ++row) {
    const std::size_t batch = row / 6, token = row % 2;
    const std::array<Position, 1> at = {positions[2 * batch + token]};
    const auto here = x.row(row);
    const Tensor alone = one.rotate(Tensor({1, 1, 1, 4}, {here.begin(), here.end()}), at, Role::key);
    EXPECT_TRUE(std::equal(alone.data.begin(), alone.data.end(), all.row(row).begin())) << "row " << row;
  }
  EXPECT_THROW(rotary.rotate(x, std::span(positions).first(2), Role::key), std::invalid_argument);
}

// The numerators of the convergents of pi/2: t radians are nearly a whole number of quarter turns.
TEST(Rope, seeks_the_positions_that_are_nearly_whole_quarter_turns) {
  const auto hard = made<Rotary>(encodings::rope, "dim=2").positions.hard;
  for (const Position t : {51819, 52174, 260515, 573204})
    EXPECT_EQ(std::count(hard.begin(), hard.end(), t), 1) << t;
  for (const Position t : hard) EXPECT_LE(t, Position{1} << 20);
}

// Where the frequencies of a call change: its length is one more than its last position.
TEST(Rope, seeks_the_positions_at_which_its_ladder_changes) {
  const auto seeks = [](std::string_view words, Position t) {
    const auto hard = made<Rotary>(encodings::rope, words).positions.hard;
    return std::ranges::find(hard, t) != hard.end();
  };
  for (const std::string_view words :
       {"dim=4 scaling=dynamic_ntk original_length=5000",
        "dim=4 scaling=longrope factors=[4] short_factors=[1.25] original_length=5000"}) {
    for (const Position t : {4998, 4999, 5000}) EXPECT_TRUE(seeks(words, t)) << words << " " << t;
    EXPECT_FALSE(seeks(std::string(words) + " length=6000", 4999)) << words;
  }
  EXPECT_FALSE(seeks("dim=4 scaling=linear", 4999));
}

TEST(Rope, refuses_what_makes_no_sense) {
  const auto& spec = encodings::rope;
  EXPECT_EQ(refused(spec, "dim=5"), "`dim=5 rotary_dim=0`; allowed: even numbers of channels that rotate");
  EXPECT_EQ(refused(spec, "dim=8 rotary_dim=3"),
            "`dim=8 rotary_dim=3`; allowed: even numbers of channels that rotate");
  EXPECT_EQ(refused(spec, "dim=8 rotary_dim=10"), "`rotary_dim=10 dim=8`; allowed: widths up to `dim`");
  EXPECT_EQ(refused(spec, "heads=64 dim=16386"),
            "`heads=64 dim=16386`; allowed: at most 1048576 channels in all heads");
  EXPECT_EQ(refused(spec, "heads=0"), "`heads=0`; allowed: whole numbers from 1 to 16384");
  EXPECT_EQ(refused(spec, "base=-10000"), "`base=-10000`; allowed: finite numbers above 0");
  EXPECT_EQ(refused(spec, "layout=neox"), "`layout=neox`; allowed: half_split, interleaved");
  EXPECT_EQ(refused(spec, "exponent=width"), "`exponent=width`; allowed: rotary_dim, dim");
  EXPECT_EQ(refused(spec, "direction=clockwise"), "`direction=clockwise`; allowed: forward, backward");
}

TEST(Rope, refuses_scalings_without_a_meaning) {
  const auto& spec = encodings::rope;
  EXPECT_EQ(refused(spec, "scaling=dynamic"),
            "`scaling=dynamic`; allowed: none, linear, ntk, dynamic_ntk, by_parts, yarn, llama3, longrope; "
            "near it: dynamic_ntk");
  EXPECT_EQ(refused(spec, "scaling=linear factor=0.5"),
            "`factor=0.5 scaling=linear`; allowed: numbers from 1, where there is a scaling");
  EXPECT_EQ(refused(spec, "scaling=linear factor=0"), "`factor=0`; allowed: finite numbers above 0");
  EXPECT_EQ(refused(spec, "scaling=llama3 base=1"),
            "`base=1 scaling=llama3`; allowed: numbers above 1, where there is a scaling");
  EXPECT_EQ(refused(spec, "dim=2 scaling=ntk"),
            "`dim=2 rotary_dim=0 exponent=rotary_dim scaling=ntk`; allowed: exponents over more than 2 "
            "channels");
  EXPECT_EQ(
      refused(spec, "scaling=llama3 low_freq_factor=5"),
      "`low_freq_factor=5 high_freq_factor=4 scaling=llama3`; allowed: numbers up to `high_freq_factor`");
  EXPECT_EQ(refused(spec, "scaling=by_parts beta_slow=32"),
            "`beta_slow=32 beta_fast=32 scaling=by_parts`; allowed: numbers below `beta_fast`");
  EXPECT_EQ(refused(spec, "scaling=yarn beta_slow=33"),
            "`beta_slow=33 beta_fast=32 scaling=yarn`; allowed: numbers up to `beta_fast`");
  EXPECT_EQ(refused(spec, "scaling=yarn truncate=yes"), "`truncate=yes`; allowed: true, false");
  EXPECT_EQ(refused(spec, "scaling=yarn attention_factor=-1"),
            "`attention_factor=-1`; allowed: finite numbers from 0");
  EXPECT_EQ(refused(spec, "factor=0.5"), "not refused");
}

}  // namespace
}  // namespace posproof::encodings_rope_test
