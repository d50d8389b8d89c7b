#include "exact/exact_rotation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "exact/random_tables.h"

namespace posproof::exact::exact_rotation_test {
namespace {

using random_tables::below;
using random_tables::Random;

std::vector<Pair> pairs_of(std::size_t count, bool interleaved) {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < count; ++i)
    pairs.push_back(interleaved ? Pair{2 * i, 2 * i + 1, 0, i} : Pair{i, i + count, 0, i});
  return pairs;
}

// Two stretches, neither at channel 0: the first pairs stand in halves behind the others, which are
// neighbours.
std::vector<Pair> pairs_in_two_parts(std::size_t count) {
  const std::size_t halved = (count + 1) / 2, neighbours = count - halved, behind = 1 + 2 * neighbours;
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < halved; ++i) pairs.push_back({behind + i, behind + halved + i, 0, i});
  for (std::size_t i = 0; i < neighbours; ++i) pairs.push_back({1 + 2 * i, 2 + 2 * i, 0, halved + i});
  return pairs;
}

struct Tokens {
  ExactRotation::Extents extents;
  std::vector<Position> positions;
  std::vector<char> x, rotated;
};

Tokens tokens(Random& random, const ExactRotation& rotate, Format format, std::size_t dim) {
  Tokens out{{1 + below(random, 2), 1 + below(random, 3), 1 + below(random, 40)}, {}, {}, {}};
  const Position first = random_tables::position(random);
  const bool in_order = below(random, 2) == 0;
  for (std::size_t n = 0; n < out.extents.batch * out.extents.tokens; ++n)
    out.positions.push_back(in_order ? first + static_cast<Position>(n) : random_tables::position(random));
  const std::size_t entries = out.extents.batch * out.extents.heads * out.extents.tokens * dim;
  out.x.resize(entries * bytes(format));
  out.rotated.resize(out.x.size());
  for (std::size_t n = 0; n < entries; ++n) {
    const double size = std::exp(random_tables::between(random, -6, 4));
    const double value = below(random, 10) == 0 ? 0 : random_tables::between(random, -size, size);
    store(format, out.x.data() + n * bytes(format), nearest(format, value));
  }
  rotate.fill(format, out.x.data(), out.rotated.data(), out.extents, out.positions);
  return out;
}

// Infinities that are right, beside an entry that is not; and infinities that nothing is rotated from.
TEST(ExactRotation, knows_the_right_infinities_and_refuses_to_rotate_one) {
  constexpr std::size_t count = 8, dim = 2 * count;
  const std::vector<Position> positions = {3};
  for (const Kernel* kernel : kernels_here())
    for (const bool interleaved : {false, true})
      for (const auto& [format, large] : {std::pair{Format::f16, 60000.0}, {Format::f32, 0x1.fp127}}) {
        std::vector<double> frequencies;
        for (std::size_t i = 0; i < count; ++i) frequencies.push_back(0.1 * static_cast<double>(i + 1));
        const ExactRotation rotate(
            std::make_shared<const Ladder>(Frequencies{Given{frequencies}}, 1.0, *kernel),
            pairs_of(count, interleaved), dim);
        std::vector<char> x(dim * bytes(format)), y(x.size());
        for (std::size_t c = 0; c < dim; ++c) store(format, x.data() + c * bytes(format), large);
        rotate.fill(format, x.data(), y.data(), {1, 1, 1}, positions);
        std::size_t infinite = 0, finite = dim;
        for (std::size_t c = 0; c < dim; ++c)
          if (std::isinf(load(format, y.data() + c * bytes(format))))
            ++infinite;
          else
            finite = c;
        ASSERT_GT(infinite, 0u);
        ASSERT_LT(finite, dim);
        const auto wrong = [&, format = format] {
          return rotate.compare(format, x.data(), y.data(), {1, 1, 1}, positions).wrong;
        };
        EXPECT_EQ(wrong(), 0u) << kernel->name;
        y[finite * bytes(format)] ^= 1;
        EXPECT_EQ(wrong(), 1u) << kernel->name;

        // What an infinity times numbers, added, has for bits.
        for (std::size_t c = 0; c < dim; ++c) {
          store(format, x.data() + c * bytes(format), HUGE_VAL);
          store(format, y.data() + c * bytes(format), -std::numeric_limits<double>::quiet_NaN());
        }
        EXPECT_THROW(wrong(), Refusal) << kernel->name;
      }
}

class EveryRotation : public ::testing::TestWithParam<std::string> {};
TEST_P(EveryRotation, is_that_of_mpfr_and_one_that_is_off_is_found) {
  Random random(5);
  for (std::size_t n = 0; n < 120; ++n) {
    const std::size_t count = 1 + below(random, 36), dim = 2 * count + 1 + below(random, 2);
    const std::size_t layout = below(random, 3);
    const double amplitude = below(random, 3) == 0 ? 1.3465735903 : 1;
    const auto ladder = std::make_shared<const Ladder>(random_tables::frequencies(random, count), amplitude,
                                                       random_tables::kernel_named(GetParam()));
    const auto pairs = layout == 2 ? pairs_in_two_parts(count) : pairs_of(count, layout == 1);
    const ExactRotation rotate(ladder, pairs, dim);
    for (const Format format : every_format) {
      Tokens t = tokens(random, rotate, format, dim);
      const auto compare = [&](unsigned threads) {
        return rotate.compare(format, t.x.data(), t.rotated.data(), t.extents, t.positions, threads);
      };
      const auto at = [&](std::vector<char>& from, std::size_t row, std::size_t channel) {
        return from.data() + (row * dim + channel) * bytes(format);
      };
      EXPECT_EQ(compare(1).wrong, 0u) << name(format);
      const std::size_t rows = t.extents.batch * t.extents.heads * t.extents.tokens;
      EXPECT_EQ(compare(2).entries, rows * dim);
      for (std::size_t s = 0; s < 30; ++s) {
        const std::size_t row = below(random, rows), i = below(random, count);
        const std::size_t token =
            row / (t.extents.heads * t.extents.tokens) * t.extents.tokens + row % t.extents.tokens;
        const auto right = ladder->multiprecision().rotated(
            i, t.positions[token], load(format, at(t.x, row, pairs[i].first)),
            load(format, at(t.x, row, pairs[i].second)), format);
        EXPECT_EQ(load(format, at(t.rotated, row, pairs[i].first)), right.x);
        EXPECT_EQ(load(format, at(t.rotated, row, pairs[i].second)), right.y);
      }
      const std::size_t row = below(random, rows), channel = below(random, dim);
      *at(t.rotated, row, channel) ^= 1;
      const ComparedRotation found = compare(1 + static_cast<unsigned>(below(random, 2)));
      EXPECT_EQ(found.wrong, 1u);
      EXPECT_EQ(found.channel, channel);
      EXPECT_EQ(found.token, row % t.extents.tokens);
      EXPECT_EQ(found.head, row / t.extents.tokens % t.extents.heads);
      EXPECT_EQ(found.batch, row / t.extents.tokens / t.extents.heads);
      EXPECT_GE(found.ulp, 0.5);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(kernels, EveryRotation, ::testing::ValuesIn(random_tables::kernel_names()),
                         [](const auto& one) { return one.param; });

// The share of a thread ends within a few tokens that are taken together: none of them is counted twice.
TEST(ExactRotation, compares_each_token_once_whatever_the_threads) {
  const ExactRotation rotate(std::make_shared<const Ladder>(Frequencies{Given{{1.0}}}), pairs_of(1, false),
                             2);
  const ExactRotation::Extents extents{2, 1, rows_per_block - 3};
  std::vector<Position> positions(2 * extents.tokens, 3);
  std::vector<float> x(2 * positions.size(), 1), y(x.size());
  rotate.fill(Format::f32, x.data(), y.data(), extents, positions);
  for (float& one : y) one += 0.5F;
  for (const unsigned threads : {1, 2})
    EXPECT_EQ(rotate.compare(Format::f32, x.data(), y.data(), extents, positions, threads).wrong, y.size());
}

// Where x cos - y sin nearly cancels, every digit of the difference still counts.
TEST(ExactRotation, keeps_its_digits_where_the_terms_cancel) {
  const auto ladder = std::make_shared<const Ladder>(Frequencies{Given{{1.0}}});
  const ExactRotation rotate(ladder, pairs_of(1, false), 2);
  std::size_t found = 0;
  for (Position t = 1; t < 4000; ++t) {
    const auto [sine, cosine] = ladder->multiprecision().point(0, t, Format::f64);
    const std::array<float, 2> x = {static_cast<float>(sine), static_cast<float>(cosine)};
    std::array<float, 2> rotated{};
    rotate.fill(Format::f32, x.data(), rotated.data(), {1, 1, 1}, {&t, 1});
    const auto right = ladder->multiprecision().rotated(0, t, static_cast<double>(x[0]),
                                                        static_cast<double>(x[1]), Format::f32);
    EXPECT_EQ(static_cast<double>(rotated[0]), right.x) << t;
    EXPECT_LT(std::abs(right.x), 1e-7);
    EXPECT_EQ(rotate.compare(Format::f32, x.data(), rotated.data(), {1, 1, 1}, {&t, 1}).wrong, 0u) << t;
    found += right.x != 0 ? 1 : 0;
  }
  EXPECT_GT(found, 3900u);
}

// Past the reach of the fast path, and where its products would lose digits below the smallest double.
TEST(Ladder, rotates_as_mpfr_does_where_the_fast_path_does_not) {
  const Ladder ladder(Frequencies{Given{{1.0, 0.25}}});
  const auto expect_right = [&](Position t, double size) {
    std::array<double, 4> xy = {0.6 * size, -0.8 * size, 0.8 * size, 0.7 * size};
    const std::array<double, 4> from = xy;
    const std::vector<std::vector<Ladder::Coordinates>> points = {{{&xy[0], &xy[1]}}, {{&xy[2], &xy[3]}}};
    ladder.rotate(t, points);
    for (const std::size_t i : {0u, 1u}) {
      const auto right = ladder.multiprecision().rotated(i, t, from[2 * i], from[2 * i + 1], Format::f64);
      EXPECT_EQ(xy[2 * i], right.x) << t << " " << size;
      EXPECT_EQ(xy[2 * i + 1], right.y) << t << " " << size;
    }
  };
  ASSERT_NE(ladder.phasors(), nullptr);
  expect_right(fast_reach + 1, 1);
  expect_right(-(Position{1} << 52) - 1, 1);
  for (Position t = 1; t <= 20; ++t)
    for (const double size : {1.0, 0x1p-1040, 0x1p1000}) expect_right(t, size);
}

// Doubles are no format of the kernels' comparison: each is asked for by itself.
TEST(ExactRotation, finds_one_double_that_is_off_by_one_unit_in_the_last_place) {
  const auto ladder = std::make_shared<const Ladder>(Frequencies{Given{{1.0, 0.5}}});
  const ExactRotation rotate(ladder, pairs_of(2, true), 4);
  const std::array<double, 8> x = {0.1, -0.2, 0.3, 0.4, -0.5, 0.6, 0.7, 0.8};
  std::array<double, 8> rotated{};
  const std::array<Position, 2> at = {3, 5};
  rotate.fill(Format::f64, x.data(), rotated.data(), {1, 1, 2}, at);
  EXPECT_EQ(rotate.compare(Format::f64, x.data(), rotated.data(), {1, 1, 2}, at).wrong, 0u);
  rotated[5] = std::nextafter(rotated[5], 9);
  const ComparedRotation found = rotate.compare(Format::f64, x.data(), rotated.data(), {1, 1, 2}, at);
  EXPECT_EQ(found.wrong, 1u);
  EXPECT_EQ(found.token, 1u);
  EXPECT_EQ(found.channel, 1u);
}

TEST(ExactRotation, refuses_what_it_cannot_judge) {
  const auto ladder = std::make_shared<const Ladder>(Frequencies{Given{{1.0, 0.5}}});
  const auto pairs = pairs_of(2, true);
  EXPECT_THROW(ExactRotation(ladder, pairs, 3), std::invalid_argument);
  EXPECT_THROW(ExactRotation(ladder, pairs_of(3, true), 6), std::invalid_argument);
  const ExactRotation rotate(ladder, pairs, 4);
  std::array<float, 4> x = {1, 2, 3, 4}, rotated{};
  const Position here = 3, beyond = (Position{1} << 40) + 1;
  EXPECT_THROW(rotate.fill(Format::f32, x.data(), rotated.data(), {1, 1, 1}, {&beyond, 1}), Refusal);
  EXPECT_THROW(rotate.fill(Format::f32, x.data(), rotated.data(), {1, 1, 2}, {&here, 1}),
               std::invalid_argument);
  rotate.fill(Format::f32, x.data(), rotated.data(), {1, 1, 1}, {&here, 1});
  x[1] = std::numeric_limits<float>::infinity();
  EXPECT_THROW(rotate.compare(Format::f32, x.data(), rotated.data(), {1, 1, 1}, {&here, 1}), Refusal);
}

}  // namespace
}  // namespace posproof::exact::exact_rotation_test
