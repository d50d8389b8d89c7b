// What the rotary oracle makes of a scaling: its declared pairs, its rotations, and what it refuses.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <string>

#include "catalogue/encodings/rope.h"

namespace posproof::oracle_rope_test {
namespace {

Rotary rope(std::string_view words) {
  return encodings::rope.oracle<Rotary>(Case::parse(words));
}

std::vector<double> frequencies(std::string_view words) {
  std::vector<double> out;
  for (const Pair& pair : rope(words).pairs) out.push_back(pair.frequency);
  return out;
}

// 1, 2, 3, ... rotated at t.
std::vector<double> rotated(std::string_view words, Position t) {
  const Rotary rotary = rope(words);
  Tensor x({1, rotary.heads, 1, rotary.dim});
  std::iota(x.data.begin(), x.data.end(), 1.0);
  const std::array<Position, 1> at = {t};
  return rotary.rotate(x, at, Role::query).data;
}

TEST(OracleRope, declares_the_scaled_frequencies) {
  const auto llama = frequencies("dim=128 base=500000 scaling=llama3");
  EXPECT_NEAR(llama[29], .0021665707635, 5e-14);
  EXPECT_NEAR(llama[30], .00137189356776, 5e-15);
  EXPECT_NEAR(llama[63], 3.06892598891e-7, 5e-19);
  const auto yarn = frequencies("dim=128 scaling=yarn factor=10 original_length=2048");
  EXPECT_NEAR(yarn[17], .0834790, 5e-8);
  EXPECT_NEAR(yarn[40], 4.3007e-4, 5e-9);
  EXPECT_NEAR(frequencies("dim=128 scaling=ntk")[1], std::pow(82684.6226, -1.0 / 64), 1e-11);
  EXPECT_LT(frequencies("dim=8 scaling=llama3 direction=backward")[1], 0);
}

TEST(OracleRope, of_yarn_turns_and_stretches) {
  const auto length = [](const std::vector<double>& x) {
    return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
  };
  const double plain = length(rotated("dim=16", 0));
  EXPECT_NEAR(length(rotated("dim=16 scaling=yarn factor=4", 777)) / plain, 1.1386294361, 5e-11);
  EXPECT_NEAR(rope("dim=16 scaling=yarn factor=4").amplitude, 1.1386294361, 5e-11);
  EXPECT_DOUBLE_EQ(length(rotated("dim=16 scaling=yarn factor=4 attention_factor=0.5", 777)) / plain, 0.5);
  EXPECT_EQ(rope("dim=16 scaling=yarn attention_factor=0.5").amplitude, 0.5);
  EXPECT_EQ(rope("dim=16 scaling=llama3 attention_factor=0.5").amplitude, 1);
  // The tail is not stretched.
  EXPECT_EQ(rotated("dim=6 rotary_dim=4 scaling=yarn", 777)[5], 6);
}

TEST(OracleRope, of_yarn_rounds_the_ends_of_its_ramp_if_asked) {
  EXPECT_NE(frequencies("dim=64 base=150000 original_length=4096 scaling=yarn truncate=false"),
            frequencies("dim=64 base=150000 original_length=4096 scaling=yarn truncate=true"));
}

TEST(OracleRope, counts_a_partial_ladder_over_what_the_exponent_names) {
  const auto whole = frequencies("dim=8 scaling=ntk"),
             some = frequencies("dim=8 rotary_dim=4 exponent=dim scaling=ntk");
  EXPECT_EQ(some, std::vector<double>(whole.begin(), whole.begin() + 2));
  EXPECT_EQ(frequencies("dim=8 rotary_dim=4 scaling=yarn"), frequencies("dim=4 scaling=yarn"));
}

TEST(OracleRope, declares_what_the_roundings_of_a_scaling_lose) {
  const auto frequency_error = [](std::string_view words, std::size_t i) {
    return rope(words).pairs.at(i).frequency_error;
  };
  EXPECT_EQ(frequency_error("dim=128", 30).roundings, 0);
  EXPECT_EQ(frequency_error("dim=128 scaling=linear", 30).roundings, 2);
  EXPECT_DOUBLE_EQ(frequency_error("dim=128 scaling=ntk", 63).roundings, 5 + 3 * std::log(8));
  for (const std::string scaling : {"linear", "ntk", "dynamic_ntk length=4096", "by_parts", "yarn", "llama3",
                                    "longrope factors=[1.5,2,3]"})
    EXPECT_GT(frequency_error("dim=128 original_length=256 factor=3 scaling=" + scaling, 63).roundings, 0)
        << scaling;
  EXPECT_EQ(frequency_error("dim=128 base=500000 scaling=llama3", 0).condition, 1);
  EXPECT_EQ(frequency_error("dim=128 base=500000 scaling=llama3", 63).condition, 1);
  EXPECT_GT(frequency_error("dim=128 base=500000 scaling=llama3", 34).condition, 2);
  EXPECT_EQ(frequency_error("dim=128 scaling=yarn original_length=4096", 20).roundings, 2);
  EXPECT_GT(frequency_error("dim=128 scaling=yarn original_length=4096", 21).roundings, 5);
  EXPECT_GT(frequency_error("dim=128 scaling=yarn original_length=4096 truncate=false", 45).roundings,
            frequency_error("dim=128 scaling=yarn original_length=4096", 45).roundings);
}

}  // namespace
}  // namespace posproof::oracle_rope_test
