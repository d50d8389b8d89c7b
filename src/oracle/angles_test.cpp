// Sinusoidal and rotary encodings of the oracle, bit for bit, against the second derivation (by_integers.h).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "catalogue/encodings/rope.h"
#include "catalogue/encodings/sinusoidal.h"
#include "core/hard.h"
#include "exact/by_integers.h"

namespace posproof::angles_test {
namespace {

using by_integers::Known;
using by_integers::Whole;

constexpr Position farthest = Position{1} << 40;

Table sinusoidal(std::string_view words) {
  return encodings::sinusoidal.oracle<Table>(Case::parse(words));
}
Rotary rope(std::string_view words) {
  return encodings::rope.oracle<Rotary>(Case::parse(words));
}

TEST(ByIntegers, knows_pi) {
  EXPECT_EQ(by_integers::nearest(by_integers::pi()), std::numbers::pi);
  // The next 53 bits as well: pi minus its nearest double.
  const Known rest{
      by_integers::pi().value - (Whole(by_integers::parts(std::numbers::pi).first) << (512 - 51)), 1 << 15};
  EXPECT_EQ(by_integers::nearest(rest), 0x1.1a62633145c07p-53);
}

TEST(ByIntegers, rounds_to_the_nearest_double) {
  EXPECT_EQ(by_integers::nearest(Whole((1LL << 54) + 2), 0), 0x1p54);      // a tie, to even
  EXPECT_EQ(by_integers::nearest(Whole((1LL << 54) + 6), 0), 0x1p54 + 8);  // a tie, to even
  EXPECT_EQ(by_integers::nearest(Whole((1LL << 54) + 3), 0), 0x1p54 + 4);
  EXPECT_EQ(by_integers::nearest(Known{(by_integers::one << 54) + 2 * by_integers::one, 1}), std::nullopt);
}

// A table, and the exponents of its frequencies.
struct TableOfPowers {
  const char* words;
  double base;
  std::vector<std::array<unsigned, 2>> exponents;  // numerator, denominator, from the fastest
};

std::vector<std::array<unsigned, 2>> ladder(unsigned size, unsigned step, unsigned over) {
  std::vector<std::array<unsigned, 2>> exponents;
  for (unsigned i = 0; i < size; ++i) exponents.push_back({step * i, over});
  return exponents;
}

std::vector<Position> places(const by_integers::AlgebraicPower& frequency) {
  std::vector<Position> found = by_integers::closest_to_quarter_turns(frequency, farthest);
  for (const Position t : {0L, 1L, 2L, 3L, 7L, 22L, 257L, 2049L, 65537L, 131071L, 1048575L, 16777217L,
                           411557987L, 1099511627775L, 1099511627776L, -1L, -355L, -1048577L})
    found.push_back(t);
  return found;
}

void expect_bits(const std::optional<double>& ours, double there, const std::string& where) {
  ASSERT_TRUE(ours.has_value()) << where << ": the second derivation cannot decide";
  EXPECT_EQ(*ours, there) << where;
}

void expect_pair(const TableOfPowers& setting, const Table& table, std::size_t i, std::size_t sine,
                 std::optional<std::size_t> cosine, double declared) {
  const auto [numerator, denominator] = setting.exponents[i];
  const auto frequency = by_integers::power(setting.base, numerator, denominator);
  ASSERT_TRUE(frequency.is_root());
  expect_bits(nearest(frequency.known()), declared, fmt::format("{}: frequency {}", setting.words, i));

  const auto positions = places(frequency);
  const Tensor rows = table.rows(positions, farthest + 1);
  const auto [digits, exponent] = by_integers::parts(table.amplitude);
  for (std::size_t r = 0; r < positions.size(); ++r) {
    const auto point = by_integers::point(frequency, positions[r] + static_cast<Position>(table.offset));
    const auto scaled = [&, digits = digits, exponent = exponent](const Known& known) {
      return nearest(Known{known.value * digits, known.error * digits}, -exponent);
    };
    const std::string where = fmt::format("{}: pair {} at {}", setting.words, i, positions[r]);
    if (positions[r] + static_cast<Position>(table.offset) == 0)
      EXPECT_EQ(rows.at(r, sine), 0) << where;  // no sign of its own: the error says nothing
    else
      expect_bits(scaled(point.sine), rows.at(r, sine), where);
    if (cosine) expect_bits(scaled(point.cosine), rows.at(r, *cosine), where);
  }
}

void expect_table(const TableOfPowers& setting) {
  const Table table = sinusoidal(setting.words);
  const std::size_t all = table.pairs.size() + (table.lone ? 1 : 0);
  ASSERT_EQ(all, setting.exponents.size()) << setting.words;
  for (std::size_t i = 0; i < all; i += std::max<std::size_t>(1, all / 8)) {
    const Pair& pair = i < table.pairs.size() ? table.pairs[i] : *table.lone;
    EXPECT_EQ(pair.index, i);
    expect_pair(setting, table, i, pair.first,
                i < table.pairs.size() ? std::optional(pair.second) : std::nullopt, pair.frequency);
  }
}

TEST(OracleAngles, are_those_of_the_second_derivation_in_even_widths) {
  expect_table({"dim=2", 10000, ladder(1, 2, 2)});
  expect_table({"dim=8", 10000, ladder(4, 2, 8)});
  expect_table({"dim=64", 10000, ladder(32, 2, 64)});
  expect_table({"dim=128 base=500000", 500000, ladder(64, 2, 128)});
  expect_table({"dim=512", 10000, ladder(256, 2, 512)});
  expect_table({"dim=12 divisor=half_minus_one layout=cos_sin", 10000, ladder(6, 1, 5)});
  expect_table({"dim=64 divisor=half_minus_one layout=sin_cos", 10000, ladder(32, 1, 31)});
}

TEST(OracleAngles, are_those_of_the_second_derivation_in_odd_widths) {
  expect_table({"dim=7 odd=zero_pad", 10000, ladder(3, 2, 6)});
  expect_table({"dim=7 odd=truncate", 10000, ladder(4, 2, 7)});
  expect_table({"dim=7 odd=round_up layout=sin_cos", 10000, ladder(4, 2, 8)});
  expect_table({"dim=33 odd=truncate layout=cos_sin", 10000, ladder(17, 2, 33)});
  expect_table({"dim=7 odd=truncate divisor=half_minus_one", 10000, ladder(4, 1, 3)});
  expect_table({"dim=7 odd=round_up divisor=half_minus_one", 10000, ladder(4, 1, 3)});
  expect_table({"dim=7 odd=zero_pad divisor=half_minus_one", 10000, ladder(3, 1, 2)});
}

// The base of NTK scaling by 8 at width 128, one of less than 1, a large one, and one whose ladder stands
// still.
TEST(OracleAngles, are_those_of_the_second_derivation_for_scaled_bases) {
  const double ntk = 10000 * std::pow(8.0, 128.0 / 126.0);
  const std::string words = fmt::format("dim=128 base={}", ntk);
  expect_table({words.c_str(), ntk, ladder(64, 2, 128)});
  expect_table({"dim=6 base=0.25", 0.25, ladder(3, 2, 6)});
  expect_table({"dim=6 base=1e+30", 1e30, ladder(3, 2, 6)});
  expect_table({"dim=6 base=1", 1, ladder(3, 2, 6)});
}

TEST(OracleAngles, are_those_of_the_second_derivation_with_offset_and_amplitude) {
  expect_table({"dim=8 offset=2 amplitude=0.1", 10000, ladder(4, 2, 8)});
  expect_table({"dim=8 offset=-1 amplitude=22.627416997969522", 10000, ladder(4, 2, 8)});
}

// A rotated point is x cos - y sin and x sin + y cos, from the exact sine and cosine.
void expect_rotated(const std::string& words, double base, unsigned over, bool half_split, bool backward,
                    unsigned width, std::size_t dim) {
  const Rotary rotary = rope(words);
  ASSERT_EQ(rotary.pairs.size(), width / 2) << words;
  for (unsigned i = 0; i < width / 2; i += std::max(1u, width / 8)) {
    const auto frequency = by_integers::power(base, 2 * i, over);
    const std::size_t first = half_split ? i : 2 * i, second = half_split ? i + width / 2 : 2 * i + 1;
    EXPECT_EQ(rotary.pairs[i].first, first);
    EXPECT_EQ(rotary.pairs[i].second, second);
    EXPECT_EQ(rotary.pairs[i].frequency, (backward ? -1 : 1) * *nearest(frequency.known()));
    const auto positions = places(frequency);
    Tensor x({1, 1, positions.size(), dim});
    for (std::size_t c = 0; c < x.data.size(); ++c) x.data[c] = static_cast<double>(c % 509) - 300;
    const Tensor rotated = rotary.rotate(x, positions, Role::query);
    for (std::size_t r = 0; r < positions.size(); ++r) {
      const auto [sine, cosine] = by_integers::point(frequency, backward ? -positions[r] : positions[r]);
      const auto a = static_cast<std::int64_t>(x.at(r, first)),
                 b = static_cast<std::int64_t>(x.at(r, second));
      const Whole error = (std::abs(a) + std::abs(b)) * sine.error;
      const std::string where = fmt::format("{}: pair {} at {}", words, i, positions[r]);
      if (positions[r] == 0) {
        EXPECT_EQ(rotated.at(r, first), x.at(r, first)) << where;
        EXPECT_EQ(rotated.at(r, second), x.at(r, second)) << where;
        continue;
      }
      expect_bits(nearest(Known{a * cosine.value - b * sine.value, error}), rotated.at(r, first), where);
      expect_bits(nearest(Known{a * sine.value + b * cosine.value, error}), rotated.at(r, second), where);
      for (std::size_t c = width; c < dim; ++c) EXPECT_EQ(rotated.at(r, c), x.at(r, c)) << where;
    }
  }
}

TEST(OracleAngles, turn_queries_and_keys_as_the_second_derivation_does) {
  expect_rotated("dim=2", 10000, 2, true, false, 2, 2);
  expect_rotated("dim=128 base=500000", 500000, 128, true, false, 128, 128);
  expect_rotated("dim=16 layout=interleaved", 10000, 16, false, false, 16, 16);
  expect_rotated("dim=16 direction=backward", 10000, 16, true, true, 16, 16);
  expect_rotated("dim=16 rotary_dim=6", 10000, 6, true, false, 6, 16);
  expect_rotated("dim=16 rotary_dim=6 exponent=dim layout=interleaved", 10000, 16, false, false, 6, 16);
}

TEST(OracleAngles, turn_every_head_and_batch_row_by_its_own_position) {
  const Rotary rotary = rope("dim=4 heads=2");
  Tensor x({2, 2, 3, 4});
  for (std::size_t c = 0; c < x.data.size(); ++c) x.data[c] = static_cast<double>(c + 1);
  const std::array<Position, 6> positions = {5, 0, 1000, 7, 7, 123456};
  const Tensor rotated = rotary.rotate(x, positions, Role::key);
  for (std::size_t b = 0; b < 2; ++b)
    for (std::size_t h = 0; h < 2; ++h)
      for (std::size_t n = 0; n < 3; ++n) {
        const auto row = x.row((b * 2 + h) * 3 + n);
        Tensor one({1, 2, 1, 4});
        for (std::size_t other = 0; other < 2; ++other)
          std::copy(row.begin(), row.end(), one.row(other).begin());
        const std::array<Position, 1> at = {positions[b * 3 + n]};
        const Tensor alone = rotary.rotate(one, at, Role::query);
        for (std::size_t c = 0; c < 4; ++c) EXPECT_EQ(rotated.at((b * 2 + h) * 3 + n, c), alone.at(0, c));
      }
}

TEST(HardPositions, are_the_closest_to_quarter_turns_that_there_are) {
  const auto frequency = by_integers::power(10000, 2, 64);
  const Pair pair{0, 1, *nearest(frequency.known())};
  const auto hard = hard_positions(std::span(&pair, 1), 0, Position{1} << 20);
  for (const Position t : by_integers::closest_to_quarter_turns(frequency, Position{1} << 20))
    EXPECT_TRUE(std::binary_search(hard.begin(), hard.end(), t)) << t;
}

}  // namespace
}  // namespace posproof::angles_test
