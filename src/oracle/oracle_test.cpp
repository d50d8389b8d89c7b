// Golden numbers of the oracle's tables, its layouts, and what it refuses. Angles have a test of their own.
#include "catalogue/encodings/binary.h"
#include "catalogue/encodings/learned.h"
#include "catalogue/encodings/normalized_index.h"
#include "catalogue/encodings/one_hot.h"
#include "catalogue/encodings/raw_index.h"
#include "catalogue/encodings/rope.h"
#include "catalogue/encodings/sinusoidal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/precision.h"
#include "exact/numbers.h"

namespace posproof::oracle_oracle_test {
namespace {

using Row = std::vector<double>;

Table sinusoidal(std::string_view words) {
  return encodings::sinusoidal.oracle<Table>(Case::parse(words));
}

Row row(const Table& table, Position t, Position length = 1 << 20) {
  const std::array<Position, 1> at = {t};
  return table.rows(at, length).data;
}

Row row(const EncodingSpec& spec, std::string_view words, Position t, Position length = 1 << 20) {
  return row(spec.oracle<Table>(Case::parse(words)), t, length);
}

double product(const Row& a, const Row& b) {
  long double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += static_cast<long double>(a[c]) * b[c];
  return static_cast<double>(sum);
}

double distance(int dim, Position k) {
  const Table table = sinusoidal("dim=" + std::to_string(dim));
  const Row a = row(table, 0), b = row(table, k);
  long double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += (static_cast<long double>(a[c]) - b[c]) * (a[c] - b[c]);
  return static_cast<double>(std::sqrt(sum));
}

std::string refusal(const EncodingSpec& spec, std::string_view words) {
  try {
    spec.oracle(Case::parse(words));
  } catch (const Refusal& refused) {
    return refused.what();
  }
  return "";
}

template <class Call>
bool refuses(Call call) {
  try {
    call();
  } catch (const Refusal&) {
    return true;
  }
  return false;
}

TEST(OracleSinusoidal, has_the_known_dot_products) {
  const Table table = sinusoidal("dim=16");
  EXPECT_NEAR(product(row(table, 105), row(table, 106)), 7.4851662434875, 5e-14);
  EXPECT_NEAR(product(row(table, 5), row(table, 6)), 7.4851662434875, 5e-14);
  EXPECT_NEAR(product(row(table, 5), row(table, 10)), 6.13703996144877, 5e-15 * 1.5);
}

TEST(OracleSinusoidal, has_the_known_table_of_width_8) {
  const Table table = sinusoidal("dim=8");
  EXPECT_EQ(row(table, 0), (Row{0, 1, 0, 1, 0, 1, 0, 1}));
  const double printed[3][4] = {{.84147098, .54030231, .09983342, .99500417},
                                {.90929743, -.41614684, .19866933, .98006658},
                                {.14112001, -.9899925, .29552021, .95533649}};
  for (Position t = 1; t <= 3; ++t)
    for (std::size_t c = 0; c < 4; ++c)
      EXPECT_NEAR(row(table, t)[c], printed[t - 1][c], 5.0001e-9) << t << " " << c;
  EXPECT_NEAR(row(table, 1)[4], .00999983, 5e-9);
  EXPECT_NEAR(row(table, 1)[5], .99995, 5e-9);
  EXPECT_NEAR(row(table, 1)[7], .9999995, 5e-14);
  EXPECT_NEAR(row(table, 3)[7], .9999955, 5e-12);
}

TEST(OracleSinusoidal, has_the_known_wavelengths) {
  const auto longest = [](std::string_view words) {
    return 2 * std::numbers::pi / sinusoidal(words).pairs.back().frequency;
  };
  EXPECT_NEAR(longest("dim=512"), 60611.48, .005);
  EXPECT_NEAR(longest("dim=4"), 628.32, .005);
  EXPECT_NEAR(longest("dim=16"), 19869.2, .05);
  EXPECT_NEAR(longest("dim=128"), 54410.1, .05);
  EXPECT_DOUBLE_EQ(longest("dim=512 divisor=half_minus_one"), 2 * std::numbers::pi * 10000);
  EXPECT_DOUBLE_EQ(longest("dim=4 divisor=half_minus_one"), 2 * std::numbers::pi * 10000);
}

TEST(OracleSinusoidal, has_the_known_distances) {
  EXPECT_NEAR(distance(2, 710), 6.03e-5, 5e-8);
  EXPECT_NEAR(distance(4, 84823), 1.65e-3, 5e-6);
  EXPECT_NEAR(distance(8, 69115), .0386, 5e-5);
  EXPECT_NEAR(distance(16, 1), 1.015, 5e-4);
  EXPECT_NEAR(distance(4, 1), .959, 5e-4);
  EXPECT_NEAR(distance(4, 19), .242, 5e-4);
  EXPECT_NEAR(distance(8, 1), .964, 5e-4);
  EXPECT_NEAR(distance(8, 6), .658, 5e-4);
  EXPECT_NEAR(distance(10, 6), .970, 5e-4);
  EXPECT_NEAR(distance(10, 1), .972, 5e-4);
}

// At t = 1 and base 10000 the columns tell themselves apart: s0 = sin 1, c0 = cos 1 and so on.
TEST(OracleSinusoidal, puts_sines_and_cosines_where_the_layout_says) {
  const Row even = row(sinusoidal("dim=6"), 1);
  const double s0 = even[0], c0 = even[1], s1 = even[2], c1 = even[3], s2 = even[4], c2 = even[5];
  EXPECT_LT(s2, s1);
  EXPECT_LT(s1, s0);
  EXPECT_GT(c2, c1);
  EXPECT_GT(c1, c0);
  EXPECT_EQ(row(sinusoidal("dim=6 layout=sin_cos"), 1), (Row{s0, s1, s2, c0, c1, c2}));
  EXPECT_EQ(row(sinusoidal("dim=6 layout=cos_sin"), 1), (Row{c0, c1, c2, s0, s1, s2}));
  EXPECT_EQ(row(sinusoidal("dim=7 odd=zero_pad"), 1), (Row{s0, c0, s1, c1, s2, c2, 0}));
  EXPECT_EQ(row(sinusoidal("dim=7 odd=zero_pad layout=sin_cos"), 1), (Row{s0, s1, s2, c0, c1, c2, 0}));
  EXPECT_EQ(row(sinusoidal("dim=5 odd=round_up"), 1), (Row{s0, c0, s1, c1, s2}));
  EXPECT_EQ(row(sinusoidal("dim=5 odd=round_up layout=sin_cos"), 1), (Row{s0, s1, s2, c0, c1}));
  EXPECT_EQ(row(sinusoidal("dim=5 odd=round_up layout=cos_sin"), 1), (Row{c0, c1, s0, s1, s2}));
}

TEST(OracleSinusoidal, declares_what_its_rows_are) {
  for (const char* words :
       {"dim=6", "dim=7 odd=truncate layout=sin_cos", "dim=7 odd=round_up layout=cos_sin offset=2",
        "dim=7 odd=zero_pad amplitude=3", "dim=7 odd=truncate offset=-4"}) {
    const Table table = sinusoidal(words);
    const Row there = row(table, 10);
    Row here(table.dim, 0.0);
    const double t = 10 + table.offset;
    for (const Pair& pair : table.pairs) {
      here[pair.first] = table.amplitude * std::sin(t * pair.frequency);
      here[pair.second] = table.amplitude * std::cos(t * pair.frequency);
    }
    if (table.lone) here[table.lone->first] = table.amplitude * std::sin(t * table.lone->frequency);
    for (std::size_t c = 0; c < here.size(); ++c)
      EXPECT_NEAR(there[c], here[c], 1e-14) << words << " column " << c;
  }
}

TEST(OracleSinusoidal, seeks_the_hard_positions_behind_the_offset) {
  const auto hard = sinusoidal("dim=8 offset=5").positions.hard;
  for (const Position t : {355, 256, 65537})  // 355 is 113 pi and a little
    EXPECT_TRUE(std::binary_search(hard.begin(), hard.end(), t - 5)) << t;
  EXPECT_EQ(hard.front(), 0);
  EXPECT_EQ(hard.back(), 1 << 20);
  const auto lone =
      sinusoidal("dim=3 odd=round_up").positions.hard;  // a quarter turn of 0.01 is 157.08 positions
  EXPECT_TRUE(std::binary_search(lone.begin(), lone.end(), 157));
}

TEST(OracleSinusoidal, says_what_it_refuses_and_why) {
  EXPECT_EQ(refusal(encodings::sinusoidal, "dim=7"), "`dim=7 odd=refuse`; allowed: even widths");
  EXPECT_EQ(refusal(encodings::sinusoidal, "dim=8 bse=7"),
            "there is no parameter `bse=7`; there are dim, base, layout, divisor, offset, odd, amplitude, "
            "scale, direction, padding_row; near it: base");
  EXPECT_EQ(refusal(encodings::sinusoidal, "dim=8.5"), "`dim=8.5`; allowed: whole numbers from 1 to 1048576");
  EXPECT_EQ(refusal(encodings::sinusoidal, "layout=rope"),
            "`layout=rope`; allowed: interleaved, sin_cos, cos_sin");
  EXPECT_EQ(refusal(encodings::sinusoidal, "base=0"), "`base=0`; allowed: finite numbers above 0");
  EXPECT_NE(refusal(encodings::sinusoidal, "dim=two"), "");
  EXPECT_NE(refusal(encodings::sinusoidal, "dim=0"), "");
  EXPECT_NE(refusal(encodings::sinusoidal, "dim=2 divisor=half_minus_one"), "");
  EXPECT_NE(refusal(encodings::sinusoidal, "dim=1 odd=zero_pad"), "");
  EXPECT_TRUE(refuses([] { row(sinusoidal("offset=1"), std::numeric_limits<Position>::max()); }));
  EXPECT_TRUE(refuses([] { row(sinusoidal("base=1e-300"), 1); }));
}

TEST(OracleLearned, has_the_index_of_each_entry_or_its_seeded_value) {
  EXPECT_EQ(row(encodings::learned, "dim=3 length=5", 4), (Row{12, 13, 14}));
  EXPECT_EQ(row(encodings::learned, "dim=3 length=5 offset=2", 1), (Row{9, 10, 11}));
  EXPECT_TRUE(refuses([] { row(encodings::learned, "dim=3 length=5", 5); }));
  EXPECT_TRUE(refuses([] { row(encodings::learned, "dim=3 length=5", -1); }));
  EXPECT_TRUE(refuses([] { row(encodings::learned, "dim=3 length=5 offset=2", 3); }));
  EXPECT_NE(refusal(encodings::learned, "length=2 offset=2"), "");
  const Table table = encodings::learned.oracle<Table>(Case::parse("dim=3 length=5 offset=2"));
  EXPECT_EQ(table.positions.hi, 2);
  EXPECT_EQ(table.offset, 2);

  // SplitMix64 begins with these words from the states 0 and 1234567.
  const auto uniform = [](std::uint64_t word) {
    return static_cast<double>(std::sqrt(3.0L) * (std::ldexp(static_cast<long double>(word >> 11), -52) - 1));
  };
  EXPECT_DOUBLE_EQ(exact::seeded(1, 0, 0), uniform(0xe220a8397b1dcdafu));
  EXPECT_DOUBLE_EQ(exact::seeded(1, 0, 1234567), uniform(6457827717110365317u));
  EXPECT_EQ(exact::seeded(0.25, 3, 7), exact::seeded(1, 3, 7) / 4);
  EXPECT_EQ(row(encodings::learned, "dim=3 length=5 table=seeded table_seed=9 std=2", 4),
            (Row{exact::seeded(2, 9, 12), exact::seeded(2, 9, 13), exact::seeded(2, 9, 14)}));
  EXPECT_EQ(exact::seeded(1, 1, 5), exact::seeded(1, 0, (std::uint64_t{1} << 32) + 5));
}

TEST(OracleWhole, is_what_it_is_called) {
  EXPECT_EQ(row(encodings::raw_index, "dim=2 offset=1", 41), (Row{42, 42}));
  EXPECT_EQ(row(encodings::normalized_index, "", 2, 5), (Row{0.5}));
  EXPECT_EQ(row(encodings::normalized_index, "range=per_length", 2, 5), (Row{0.4}));
  EXPECT_EQ(row(encodings::normalized_index, "range=shifted", 2, 5), (Row{0.6}));
  EXPECT_EQ(row(encodings::normalized_index, "range=centred dim=2", 1, 5), (Row{-0.5, -0.5}));
  EXPECT_EQ(row(encodings::normalized_index, "range=centred", 1, 4), (Row{-1.0 / 3}));
  EXPECT_EQ(row(encodings::binary, "dim=4", 6), (Row{0, 1, 1, 0}));
  EXPECT_EQ(row(encodings::binary, "dim=4 order=msb_first", 6), (Row{0, 1, 1, 0}));
  EXPECT_EQ(row(encodings::binary, "dim=4 order=msb_first", 1), (Row{0, 0, 0, 1}));
  EXPECT_EQ(row(encodings::binary, "dim=4 values=signs", 1), (Row{1, -1, -1, -1}));
  EXPECT_EQ(row(encodings::binary, "dim=70", Position{1} << 62)[62], 1);
  EXPECT_EQ(row(encodings::binary, "dim=70", Position{1} << 62)[64], 0);
  EXPECT_EQ(row(encodings::one_hot, "dim=3", 2), (Row{0, 0, 1}));
  const auto three = as<Table>(encodings::one_hot.oracle(Case::parse("dim=3")));
  EXPECT_EQ(three.rows(std::vector<Position>{2, 0}, 3), Tensor({2, 3}, {0, 0, 1, 1, 0, 0}));
}

TEST(OracleWhole, refuses_positions_it_has_no_code_for) {
  EXPECT_TRUE(refuses([] { row(encodings::normalized_index, "", 0, 1); }));
  EXPECT_TRUE(refuses([] { row(encodings::normalized_index, "range=centred", 0, 1); }));
  EXPECT_EQ(row(encodings::normalized_index, "range=per_length", 0, 1), (Row{0}));
  EXPECT_TRUE(refuses([] { row(encodings::normalized_index, "range=per_length", 5, 5); }));
  EXPECT_TRUE(refuses([] { row(encodings::normalized_index, "range=per_length", 0, 0); }));
  EXPECT_TRUE(refuses([] { row(encodings::binary, "dim=4", 16); }));
  EXPECT_TRUE(refuses([] { row(encodings::binary, "dim=4", -1); }));
  EXPECT_TRUE(refuses([] { row(encodings::one_hot, "dim=3", 3); }));
  constexpr Position half = Position{1} << 52;
  EXPECT_EQ(row(encodings::raw_index, "", half), (Row{0x1p52}));
  EXPECT_EQ(row(encodings::raw_index, "", -half), (Row{-0x1p52}));
  EXPECT_TRUE(refuses([] { row(encodings::raw_index, "", half + 1); }));
  EXPECT_TRUE(refuses([] { row(encodings::raw_index, "", -half - 1); }));
  EXPECT_EQ(encodings::binary.oracle<Table>(Case::parse("dim=4")).positions.hi, 15);
  EXPECT_EQ(encodings::one_hot.oracle<Table>(Case::parse("dim=3")).positions.hi, 2);
}

TEST(OracleRope, says_what_it_refuses) {
  for (const char* words :
       {"dim=7", "dim=8 rotary_dim=10", "dim=8 rotary_dim=3", "layout=interleave", "heads=0"})
    EXPECT_NE(refusal(encodings::rope, words), "") << words;
  const Rotary rotary = encodings::rope.oracle<Rotary>(Case::parse("dim=4"));
  const std::array<Position, 2> two = {0, 1};
  for (const Shape& shape : {Shape{1, 1, 1, 4}, {1, 2, 2, 4}, {2, 4}})
    EXPECT_THROW(rotary.rotate(Tensor(shape), two, Role::query), std::invalid_argument) << text(shape);
}

}  // namespace
}  // namespace posproof::oracle_oracle_test
