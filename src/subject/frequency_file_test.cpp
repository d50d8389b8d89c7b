// Files that hold frequencies alone.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/call.h"
#include "subject/testing/npy.h"
#include "subject/testing/subjects.h"

namespace posproof::frequency_file_test {
namespace {

using testing::thrown;
using testing::Written;

// Width 5: the pairs (0, 2) and (1, 3), the second of which rotates backward, and a channel that is left
// alone.
Rotary declared() {
  return {.dim = 5, .heads = 2, .pairs = {{0, 2, 1.0, 0}, {1, 3, -0.5, 1}}, .amplitude = 2};
}

Subject opened(const Tensor& frequencies, const Rotary& rotary, bool single = true,
               const std::string& words = "") {
  const Written file("inv_freq.npy", frequencies, single);
  return open(file.subject() + words, testing::expected(rotary, "dim=5"));
}

Tensor rotated(const Subject& subject, Position at) {
  const Tensor x({1, 2, 1, 5}, {1, 0, 0, 1, 7, 2, 1, 1, 0, 8});
  const std::vector<Position> position = {at};
  return as<Rotary>(subject.encoding).rotate(x, position, Role::query);
}

TEST(FrequencyFile, rotates_every_pair_by_its_own) {
  const Subject subject = opened(Tensor({2}, {0.25, 0.75}), declared());
  EXPECT_EQ(subject.description, "[2] in F32, a frequency for each pair");
  EXPECT_FALSE(subject.live);
  EXPECT_FALSE(subject.stored_rotations);
  EXPECT_FALSE(positions_of(subject.encoding).ends);
  for (const Position at : {Position{0}, Position{3}, Position{-2}, Position{1} << 20}) {
    const double t = static_cast<double>(at), c0 = 2 * std::cos(0.25 * t), s0 = 2 * std::sin(0.25 * t),
                 c1 = 2 * std::cos(0.75 * t), s1 = -2 * std::sin(0.75 * t);
    const std::vector<double> right = {c0, -s1, s0, c1, 7, 2 * c0 - s0, c1, 2 * s0 + c0, s1, 8};
    const Tensor found = rotated(subject, at);
    // Ours of c0 and the like are off by 2^-52, of twice one less another by 3 of these and a rounding of up
    // to 2^-51; theirs is rounded once more: together 14 * 2^-53.
    for (std::size_t c = 0; c < right.size(); ++c)
      EXPECT_NEAR(found.data[c], right[c], 16 * 0x1p-53) << at << " " << c;
  }
}

TEST(FrequencyFile, lets_frequencies_and_angles_be_rounded_and_nothing_else) {
  const Tensor frequencies({2}, {0.25, 0.75});
  EXPECT_EQ(opened(frequencies, declared()).precision.word(), "f64/f32");
  EXPECT_EQ(opened(frequencies, declared(), false).precision.word(), "f64");
  EXPECT_EQ(opened(frequencies, declared(), true, "@f32").precision.word(), "f32");
}

TEST(FrequencyFile, has_one_for_each_pair) {
  // As many as channels rotate: a row of a cache.
  EXPECT_EQ(opened(Tensor({4}, {1, 1, 0, 0}), declared()).description, "[1, 4] in F32");
  EXPECT_EQ(opened(Tensor({1, 4}, {1, 1, 0, 0}), declared()).description, "[1, 4] in F32");
  EXPECT_THROW(opened(Tensor({3}, {1, 1, 1}), declared()), std::invalid_argument);
}

// p-RoPE has 0 for the pairs that stand still, in the layout of those that rotate.
TEST(FrequencyFile, has_zeros_for_pairs_that_stand_still) {
  const auto rotated = [](const std::vector<Pair>& pairs, const std::vector<double>& frequencies,
                          const std::vector<double>& x = {1, 1, 1, 1, 0, 0, 0, 0}) {
    const Rotary kept{.dim = 8, .heads = 1, .pairs = pairs};
    const Written file("inv_freq.npy", Tensor({frequencies.size()}, frequencies), true);
    const Subject subject = open(file.subject(), testing::expected(kept, "dim=8"));
    const std::vector<Position> position = {3};
    return as<Rotary>(subject.encoding).rotate(Tensor({1, 1, 1, 8}, x), position, Role::query).data;
  };
  const std::vector<Pair> halves = {{0, 4, 1.0, 0}, {1, 5, 0.5, 1}},
                          neighbours = {{0, 1, 1.0, 0}, {2, 3, 0.5, 1}};
  const double c = std::cos(3.0), s = std::sin(3.0), c2 = std::cos(1.5), s2 = std::sin(1.5),
               c4 = std::cos(0.75), s4 = std::sin(0.75);
  const std::vector<double> still = rotated(halves, {1, 0.5, 0, 0});
  EXPECT_EQ(still, (std::vector<double>{c, c2, 1, 1, s, s2, 0, 0}));
  EXPECT_EQ(rotated(halves, {1, 0.5}), still);
  EXPECT_EQ(rotated(halves, {1, 0.5, 0, 0.25}), (std::vector<double>{c, c2, 1, c4, s, s2, 0, s4}));
  EXPECT_EQ(rotated(halves, {1, 0.5, 0.25, 0}), (std::vector<double>{c, c2, c4, 1, s, s2, s4, 0}));
  // Neighbours are (1, 1), (1, 1), (0, 0) and (0, 0), where a rotation of the third turns nothing. Two
  // numbers below 1 are rounded by 2^-54 each, their sum by 2^-53, and once more where it is rotated.
  const std::vector<double> found = rotated(neighbours, {1, 0.5, 0.25, 0}),
                            right = {c - s, s + c, c2 - s2, s2 + c2, 0, 0, 0, 0};
  for (std::size_t channel = 0; channel < right.size(); ++channel)
    EXPECT_NEAR(found[channel], right[channel], 0x1p-51) << channel;
  EXPECT_EQ(rotated(neighbours, {1, 0.5, 0.25, 0}, {0, 0, 0, 0, 1, 0, 1, 0}),
            (std::vector<double>{0, 0, 0, 0, c4, s4, 1, 0}));
}

TEST(FrequencyFile, stretches_queries_and_keys_each_as_declared) {
  Rotary stretched = declared();
  stretched.stretch = [](const Pair&, double, Role role) { return role == Role::key ? 0.5 : 4; };
  const auto rotary = as<Rotary>(opened(Tensor({2}, {0.25, 0.75}), stretched).encoding);
  const Tensor x({1, 2, 1, 5}, {1, 0, 0, 1, 7, 2, 1, 1, 0, 8});
  const std::vector<Position> at = {0};
  EXPECT_EQ(rotary.rotate(x, at, Role::query), Tensor({1, 2, 1, 5}, {8, 0, 0, 8, 7, 16, 8, 8, 0, 8}));
  EXPECT_EQ(rotary.rotate(x, at, Role::key), x);
}

TEST(FrequencyFile, is_of_no_encoding_whose_frequencies_are_others_in_other_calls) {
  Rotary by_length = declared(), of_a_plane = declared(), on_a_grid = declared();
  on_a_grid.positions.axes = 2;
  by_length.in_call = [](Position) { return std::make_shared<const Rotary>(declared()); };
  of_a_plane.error = [](std::span<const double>, std::span<const double>, Role, const Precision&,
                        std::span<double>) {};
  for (const auto& [rotary, why] : {std::pair{by_length, "depend on the length of the call"},
                                    std::pair{of_a_plane, "are sums over several axes"},
                                    std::pair{on_a_grid, "are sums over several axes"}}) {
    const Written file("inv_freq.npy", Tensor({2}, {1, 0.5}), true);
    EXPECT_EQ(thrown<std::invalid_argument>(
                  file.subject(),
                  [&, &rotary = rotary] { open(file.subject(), testing::expected(rotary, "dim=5")); }),
              std::string(": [2] holds a frequency for each pair; those of `learned` with dim=5 ") + why +
                  "; allowed: a cache of cosines and sines");
  }
}

}  // namespace
}  // namespace posproof::frequency_file_test
