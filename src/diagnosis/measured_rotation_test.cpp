// What is measured of rotations whose channels are written down: each output channel as a sum of inputs, each
// times a function of the position.
#include "diagnosis/measured_rotation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "core/failure.h"
#include "core/function.h"

namespace posproof::measured_rotation_test {
namespace {

constexpr double w = 0.5, v = 0.125, pi = std::numbers::pi;

using Factor = Function<double(double t)>;
using Output = std::map<std::size_t, Factor>;  // by the input

Factor cosine(double a, double frequency, double phase = 0) {
  return [=](double t) { return a * std::cos(frequency * t + phase); };
}
Factor sine(double a, double frequency, double phase = 0) {
  return [=](double t) { return a * std::sin(frequency * t + phase); };
}
Factor constant(double a) {
  return [=](double) { return a; };
}

// Two pairs of neighbours, and a channel that is left alone.
Rotary truth(Position last = 4096) {
  return {.dim = 5, .heads = 2, .positions = {0, last}, .pairs = {{0, 1, w, 0}, {2, 3, v, 1}}};
}

// The first channels of one head as they are given; everything else rotates as declared.
Rotary made(const std::vector<Output>& given, Position last = 4096, std::size_t head = 0) {
  std::vector<Output> right = {{{0, cosine(1, w)}, {1, sine(-1, w)}},
                               {{0, sine(1, w)}, {1, cosine(1, w)}},
                               {{2, cosine(1, v)}, {3, sine(-1, v)}},
                               {{2, sine(1, v)}, {3, cosine(1, v)}},
                               {{4, constant(1)}}};
  std::vector<Output> first = right;
  std::copy(given.begin(), given.end(), first.begin());
  Rotary out = truth(last);
  out.rotate = [first, right, head](const Tensor& x, const Positions& at, Role) {
    Tensor y(x.shape);
    for (std::size_t r = 0; r < x.rows(); ++r)
      for (std::size_t c = 0; c < 5; ++c)
        for (const auto& [input, factor] : (r / at.size() == head ? first : right)[c])
          if (x.at(r, input) != 0) y.at(r, c) += x.at(r, input) * factor(at.at(r % at.size()));
    return y;
  };
  return out;
}

MeasuredRotation measured(const std::vector<Output>& given, Position last = 4096, std::size_t head = 0) {
  return *measured_rotation(made(given, last, head), truth(last), Role::query, all_f32);
}
MeasuredChannel first_channel(const std::vector<Output>& given) {
  return measured(given).heads.at(0).at(0);
}

// What is measured is made in f64. At the first 256 positions an angle below 2^7 is rounded by 2^-47, there
// and here, so that a frequency is off by 2^-46 over 64 positions at most, and a phase by 2^-46 (1 + 256 /
// 64). An amplitude is a sum of 256 numbers of at most 3, each rotated back: (256 + 8) 3 * 2^-53. At 4096 an
// angle below 2^11 is rounded by 2^-43, there and here, over so many positions, and the frequency by 2^-54.
constexpr double off_phase = 0x1p-43, off_amplitude = 0x1p-43, off_frequency = 0x1p-53;
constexpr double off_share = off_amplitude + 3 * off_phase;  // a cos(phase), a sin(phase)

using Inputs = std::vector<std::size_t>;

void expect_rotates(const MeasuredChannel& found, std::size_t own, std::size_t partner,
                    const Rotating& expected) {
  EXPECT_EQ(found.own, own);
  EXPECT_EQ(found.partner, partner);
  EXPECT_FALSE(found.apart);
  EXPECT_FALSE(found.constant);
  ASSERT_TRUE(found.rotates);
  EXPECT_NEAR(found.rotates->frequency, expected.frequency, off_frequency);
  EXPECT_NEAR(found.rotates->amplitude, expected.amplitude, off_amplitude);
  EXPECT_NEAR(found.rotates->phase, expected.phase, off_phase);
}

void expect_shares(const MeasuredChannel& found, const std::vector<Share>& expected) {
  ASSERT_EQ(found.shares.size(), expected.size());
  for (std::size_t n = 0; n < expected.size(); ++n) {
    EXPECT_EQ(found.shares[n].channel, expected[n].channel) << n;
    EXPECT_NEAR(found.shares[n].cosine, expected[n].cosine, off_share) << n;
    EXPECT_NEAR(found.shares[n].sine, expected[n].sine, off_share) << n;
    EXPECT_NEAR(found.shares[n].frequency, expected[n].frequency, off_frequency) << n;
  }
}

TEST(MeasuredRotation, has_the_declared_channels) {
  const MeasuredRotation all = measured({});
  EXPECT_TRUE(all.is_known());
  ASSERT_EQ(all.heads.size(), 2u);
  for (const auto& channels : all.heads) {
    ASSERT_EQ(channels.size(), 5u);
    expect_rotates(channels[0], 0, 1, {1, w, 0, 0});
    expect_rotates(channels[1], 1, 0, {1, w, 0, 0});
    expect_rotates(channels[2], 2, 3, {1, v, 0, 0});
    expect_rotates(channels[3], 3, 2, {1, v, 0, 0});
    EXPECT_EQ(channels[4].constant, 1.0);
    EXPECT_EQ(channels[0].from, (Inputs{0, 1}));
    EXPECT_EQ(channels[4].from, (Inputs{4}));
    expect_shares(channels[0], {{0, 1, 0, w}, {1, 0, -1, w}});
    expect_shares(channels[1], {{1, 1, 0, w}, {0, 0, 1, w}});
    expect_shares(channels[4], {{4, 1, 0, 0}});
  }
}

TEST(MeasuredRotation, has_other_frequencies_phases_amplitudes_and_partners) {
  expect_rotates(first_channel({{{0, cosine(1, w)}, {1, sine(1, w)}}}), 0, 1, {1, -w, 0, 0});
  expect_rotates(first_channel({{{0, cosine(1, 0.3)}, {1, sine(-1, 0.3)}}}), 0, 1, {1, 0.3, 0, 0});
  const MeasuredChannel wide = first_channel({{{0, cosine(2, w, 0.25)}, {1, sine(-2, w, 0.25)}}});
  expect_rotates(wide, 0, 1, {2, w, 0.25, 0});
  const double c = 2 * std::cos(0.25), s = 2 * std::sin(0.25);
  expect_shares(wide, {{0, c, -s, w}, {1, -s, -c, w}});
  const MeasuredChannel second =
      measured({{{0, cosine(1, w)}, {1, sine(-1, w)}}, {{0, sine(2, w, 0.25)}, {1, cosine(2, w, 0.25)}}})
          .heads[0][1];
  expect_rotates(second, 1, 0, {2, w, 0.25, 0});
  expect_shares(second, {{1, c, -s, w}, {0, s, c, w}});
  const MeasuredChannel far = first_channel({{{0, cosine(1, w)}, {4, sine(-1, w)}}});
  expect_rotates(far, 0, 4, {1, w, 0, 0});
  EXPECT_EQ(far.from, (Inputs{0, 4}));
  // Of two others the first is its own.
  expect_rotates(first_channel({{{2, cosine(1, w)}, {3, sine(-1, w)}}}), 2, 3, {1, w, 0, 0});
}

// Two channels of an answer in each other's place are told by the declared direction.
TEST(MeasuredRotation, has_channels_in_each_others_place) {
  const MeasuredRotation all =
      measured({{{0, sine(1, w)}, {1, cosine(1, w)}}, {{0, cosine(1, w)}, {1, sine(-1, w)}}});
  expect_rotates(all.heads[0][0], 1, 0, {1, w, 0, 0});
  expect_rotates(all.heads[0][1], 0, 1, {1, w, 0, 0});
  // Backwards it is a sine for a cosine.
  expect_rotates(first_channel({{{0, sine(-1, w)}, {1, cosine(1, w)}}}), 0, 1, {1, -w, -pi / 2, 0});
}

TEST(MeasuredRotation, has_other_channels_in_the_second_head) {
  const MeasuredRotation all =
      measured({{{0, sine(1, w)}, {1, cosine(1, w)}}, {{0, cosine(1, w)}, {1, sine(-1, w)}}}, 4096, 1);
  expect_rotates(all.heads[0][0], 0, 1, {1, w, 0, 0});
  expect_rotates(all.heads[1][0], 1, 0, {1, w, 0, 0});
  expect_rotates(all.heads[1][1], 0, 1, {1, w, 0, 0});
}

TEST(MeasuredRotation, has_the_token_on_top_of_its_rotation) {
  const MeasuredChannel found =
      first_channel({{{0, [](double t) { return 1 + std::cos(w * t); }}, {1, sine(-1, w)}}});
  expect_rotates(found, 0, 1, {1, w, 0, 0});
  EXPECT_TRUE(found.added);
  expect_shares(found, {{0, 1, 0, w}, {1, 0, -1, w}, {0, 1, 0, 0}});
  EXPECT_FALSE(first_channel({}).added);
}

// A cosine of one declared frequency and a sine of another, in both channels of a pair.
TEST(MeasuredRotation, has_a_cosine_and_a_sine_of_two_frequencies) {
  const auto all = measured({{{0, cosine(-2, w)}, {1, sine(3, v)}}, {{0, sine(3, v)}, {1, cosine(2, w)}}});
  const MeasuredChannel &first = all.heads[0][0], &second = all.heads[0][1];
  for (const MeasuredChannel* one : {&first, &second}) {
    EXPECT_FALSE(one->rotates);
    EXPECT_FALSE(one->added);
    ASSERT_TRUE(one->apart);
    EXPECT_NEAR(one->apart->cosine.amplitude, 2, off_amplitude);
    EXPECT_NEAR(one->apart->sine.amplitude, 3, off_amplitude);
    EXPECT_EQ(one->apart->cosine.frequency, w);
  }
  EXPECT_EQ(first.own, 0u);
  EXPECT_EQ(first.partner, 1u);
  EXPECT_EQ(first.apart->cosine.phase, pi);
  EXPECT_EQ(first.apart->sine.frequency, -v);
  expect_shares(first, {{0, -2, 0, w}, {1, 0, -3, -v}});
  EXPECT_EQ(second.own, 1u);
  EXPECT_EQ(second.partner, 0u);
  EXPECT_EQ(second.apart->cosine.phase, 0);
  EXPECT_EQ(second.apart->sine.frequency, v);
  expect_shares(second, {{1, 2, 0, w}, {0, 0, 3, v}});
}

TEST(MeasuredRotation, has_what_is_made_of_one_input) {
  EXPECT_EQ(first_channel({{{0, constant(-3)}}}).constant, -3);
  expect_shares(first_channel({{{2, constant(-3)}}}), {{2, -3, 0, 0}});
  expect_shares(first_channel({{{0, cosine(2, w)}}}), {{0, 2, 0, w}});
  expect_shares(first_channel({{{0, sine(2, w)}}}), {{0, 0, 2, w}});
  expect_shares(first_channel({{{3, sine(2, v)}}}), {{3, 0, 2, v}});
  expect_shares(first_channel({{{0, cosine(1, w, -0.5)}}}), {{0, std::cos(0.5), std::sin(0.5), w}});
  for (const auto& [of, is_known] : {std::pair{cosine(1, 0.3), false}, {cosine(1, w), true}}) {
    EXPECT_EQ(first_channel({{{0, of}}}).is_known(), is_known);
    EXPECT_EQ(measured({{{0, of}}}).is_known(), is_known);
  }
}

TEST(MeasuredRotation, has_nothing_that_is_made_of_no_input_and_knows_nothing_of_three) {
  const MeasuredChannel none = first_channel({Output{}});
  EXPECT_TRUE(none.from.empty() && none.shares.empty() && none.is_known());
  const MeasuredChannel three = first_channel({{{0, cosine(1, w)}, {1, sine(1, w)}, {2, constant(1)}}});
  EXPECT_EQ(three.from, (Inputs{0, 1, 2}));
  EXPECT_FALSE(three.is_known());
  const Output of_four = {{0, cosine(1, w)}, {1, sine(1, w)}, {2, constant(1)}, {3, constant(1)}};
  EXPECT_FALSE(first_channel({of_four}).is_known());
  EXPECT_TRUE(measured({of_four}).heads[1][0].rotates) << "what is made of two is measured all the same";
  // Of five, nothing of any channel is measured.
  Output five;
  for (std::size_t c = 0; c < 5; ++c) five[c] = constant(1);
  EXPECT_FALSE(measured({five}).heads[1][0].rotates);
}

// Another rotation from a position on: what is measured is that of the first 32, or 8. There an angle below
// 2^4 is rounded by 2^-50, and one below 2^2 by 2^-52, there and here, over 8 positions and 2.
TEST(MeasuredRotation, is_that_of_the_first_positions_where_later_ones_differ) {
  for (const double first : {40.0, 10.0}) {
    const auto frequency = [first](double t) { return t < first ? 0.3 : 0.7; };
    const Output changing = {{0, [=](double t) { return std::cos(frequency(t) * t); }},
                             {1, [=](double t) { return -std::sin(frequency(t) * t); }}};
    const MeasuredChannel found = first_channel({changing});
    ASSERT_TRUE(found.rotates) << first;
    EXPECT_NEAR(found.rotates->frequency, 0.3, 0x1p-51) << first;
    // In the last head, and in a channel behind others that never change.
    for (const std::size_t head : {0, 1}) {
      const Output second = {{0, [=](double t) { return std::sin(frequency(t) * t); }},
                             {1, [=](double t) { return std::cos(frequency(t) * t); }}};
      const MeasuredRotation all = measured({{{0, cosine(1, w)}, {1, sine(-1, w)}}, second}, 4096, head);
      ASSERT_TRUE(all.heads[head][1].rotates) << first << " " << head;
      EXPECT_NEAR(all.heads[head][1].rotates->frequency, 0.3, 0x1p-51) << first << " " << head;
    }
  }
}

// The longer, the better a frequency is known; 2^18 numbers in all.
TEST(MeasuredRotation, asks_for_sequences_of_up_to_256_positions) {
  const auto longest = [](Position last, std::size_t heads) {
    Rotary declared = truth(last);
    declared.heads = heads;
    Rotary subject = declared;
    const auto most = std::make_shared<std::size_t>(0);
    subject.rotate = [most](const Tensor& x, const Positions&, Role) {
      *most = std::max(*most, x.shape[2]);
      return x;
    };
    measured_rotation(subject, declared, Role::query, all_f32);
    return *most;
  };
  EXPECT_EQ(longest(4096, 2), 256u);
  EXPECT_EQ(longest(99, 2), 100u);
  EXPECT_EQ(longest(4096, 512), 102u) << "2^18 / (5 * 512)";
}

TEST(MeasuredRotation, is_none_of_what_cannot_be_asked) {
  EXPECT_TRUE(measured_rotation(made({}, 3), truth(3), Role::query, all_f32));
  EXPECT_FALSE(measured_rotation(made({}, 2), truth(2), Role::query, all_f32));
  Rotary grid = made({});
  grid.positions.axes = 2;
  Rotary on_it = truth();
  on_it.positions.axes = 2;
  EXPECT_FALSE(measured_rotation(grid, on_it, Role::query, all_f32));
  Rotary declines = made({});
  declines.rotate = [](const Tensor&, const Positions&, Role) -> Tensor { throw Refusal("no"); };
  EXPECT_FALSE(measured_rotation(declines, truth(), Role::query, all_f32));
  Rotary other = made({});
  other.rotate = [](const Tensor&, const Positions&, Role) { return Tensor({1}); };
  EXPECT_FALSE(measured_rotation(other, truth(), Role::query, all_f32));
}

// One channel that rotates so, in f32.
Rotating settled(const Rotating& rotates, double amplitude = 1, std::size_t channel = 0) {
  MeasuredRotation one{{std::vector<MeasuredChannel>(5)}};
  MeasuredChannel& of = one.heads[0][channel];
  of.own = channel, of.partner = channel ^ 1;
  of.rotates = rotates;
  Rotary declared = truth();
  declared.amplitude = amplitude;
  settle(one, declared, all_f32);
  EXPECT_EQ(of.shares.size(), 2u);
  EXPECT_EQ(of.shares[0].frequency, of.rotates->frequency);
  return *of.rotates;
}

TEST(MeasuredRotation, settles_on_what_is_declared_within_rounding) {
  EXPECT_EQ(settled({1, w + 1e-7, 0, 1e-7}).frequency, w);
  EXPECT_EQ(settled({1, -w - 1e-7, 0, 1e-7}).frequency, -w);
  EXPECT_EQ(settled({1, v + 1e-7, 0, 1e-7}).frequency, v + 1e-7) << "another pair's";
  EXPECT_EQ(settled({1, v + 1e-7, 0, 1e-7}, 1, 3).frequency, v);
  EXPECT_EQ(settled({1, w + 1e-5, 0, 1e-7}).frequency, w + 1e-5);
  EXPECT_EQ(settled({1, w + 1e-5, 0, 1e-5}).frequency, w);
  EXPECT_EQ(settled({1, w, 1e-5, 1e-7}).phase, 0);
  EXPECT_EQ(settled({1, w, pi / 2 + 1e-5, 1e-7}).phase, pi / 2);
  EXPECT_EQ(settled({1, w, -pi + 1e-5, 1e-7}).phase, -pi);
  EXPECT_EQ(settled({1, w, 1e-3, 1e-7}).phase, 1e-3);
  EXPECT_EQ(settled({1 + 1e-6, w, 0, 1e-7}).amplitude, 1);
  EXPECT_EQ(settled({1 + 1e-5, w, 0, 1e-7}).amplitude, 1 + 1e-5);
  EXPECT_EQ(settled({1.25 * (1 + 1e-6), w, 0, 1e-7}, 1.25).amplitude, 1.25);
  EXPECT_EQ(settled({1.25 * (1 + 1e-6), w, 0, 1e-7}).amplitude, 1.25 * (1 + 1e-6));
}

// Queries by one measurement, keys by another: every token of every row and head by its own position. Three
// terms of at most 3, each off by 2^12 times what the frequency is, and by what the phase and the amplitude
// are.
TEST(MeasuredRotation, rotates_as_was_measured) {
  const Rotary queries = made({{{0, cosine(2, w, 0.25)}, {1, sine(-2, w, 0.25)}}}),
               keys = made({{{0, [](double t) { return 1 + std::cos(w * t); }}, {1, sine(-1, w)}},
                            {{0, sine(3, v)}, {1, cosine(2, w)}}});
  const auto of = [](const Rotary& one) { return *measured_rotation(one, truth(), Role::query, all_f64); };
  const Rotary both = rotation_of(truth(), of(queries), of(keys));
  Tensor x({2, 2, 3, 5});
  for (std::size_t n = 0; n < x.data.size(); ++n) x.data[n] = std::sin(static_cast<double>(n + 1));
  const std::vector<Position> at = {0, 7, 2, 100, 3, 4096};
  for (const Role role : {Role::query, Role::key}) {
    const Rotary& one = role == Role::query ? queries : keys;
    const Tensor found = both.rotate(x, at, role);
    for (std::size_t row = 0; row < 2; ++row) {
      Tensor own({1, 2, 3, 5});
      std::copy_n(x.data.begin() + static_cast<std::ptrdiff_t>(row * 30), 30, own.data.begin());
      const Tensor expected = one.rotate(own, Positions(at.data() + 3 * row, 3), role);
      for (std::size_t n = 0; n < 30; ++n)
        EXPECT_NEAR(found.data[row * 30 + n], expected.data[n],
                    9 * (0x1p12 * off_frequency + off_phase + off_amplitude))
            << row << " " << n;
    }
  }
}

}  // namespace
}  // namespace posproof::measured_rotation_test
