#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "catalogue/encodings/sinusoidal.h"
#include "core/error.h"
#include "encodings/made.h"

namespace posproof::sinusoidal_test {
namespace {

std::vector<double> row(std::string_view parameters, Position t) {
  const std::array<Position, 1> at = {t};
  return made<Table>(encodings::sinusoidal, parameters).rows(at, t + 1).data;
}

// Golden numbers from 40-digit arithmetic. Rounding once puts the entry within half an ulp of them; 1 ulp of
// room is for the golden decimal itself.
void expect_row(const std::vector<double>& row, const std::vector<double>& golden) {
  ASSERT_EQ(row.size(), golden.size());
  for (std::size_t c = 0; c < row.size(); ++c) EXPECT_DOUBLE_EQ(row[c], golden[c]) << "column " << c;
}

TEST(Sinusoidal, agrees_with_the_paper_at_position_3_of_width_6) {
  expect_row(row("dim=6", 3), {0.1411200080598672, -0.9899924966004454, 0.13879810108005053,
                               0.990320699135675, 0.006463259070189643, 0.9999791129229608});
}

TEST(Sinusoidal, agrees_with_tensor2tensor_at_position_3_of_width_6) {
  expect_row(row("dim=6 divisor=half_minus_one layout=sin_cos", 3),
             {0.1411200080598672, 0.02999550020249566, 0.00029999999550000005, -0.9899924966004454,
              0.9995500337489875, 0.9999999550000004});
}

TEST(Sinusoidal, agrees_with_the_printed_table_of_four_rows) {
  const double printed[4][8] = {
      {0, 1, 0, 1, 0, 1, 0, 1},
      {.84147098, .54030231, .09983342, .99500417, .00999983, .99995000, .00100000, .99999950},
      {.90929743, -.41614684, .19866933, .98006658, .01999867, .99980001, .00200000, .99999800},
      {.14112001, -.98999250, .29552021, .95533649, .02999550, .99955003, .00300000, .99999550}};
  for (Position t = 0; t < 4; ++t) {
    const auto given = row("dim=8", t);
    for (std::size_t c = 0; c < 8; ++c) EXPECT_NEAR(given[c], printed[t][c], 0.5e-8) << t << " " << c;
  }
}

TEST(Sinusoidal, places_its_columns_by_the_layout) {
  const auto paper = row("dim=6", 3);
  const auto at = [&](std::vector<std::size_t> order) {
    std::vector<double> out;
    for (const std::size_t c : order) out.push_back(paper[c]);
    return out;
  };
  EXPECT_EQ(row("dim=6 layout=sin_cos", 3), at({0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(row("dim=6 layout=cos_sin", 3), at({1, 3, 5, 0, 2, 4}));
  EXPECT_EQ(row("dim=6 offset=2", 1), paper);
  EXPECT_EQ(row("dim=6 amplitude=0.5", 3)[1], 0.5 * paper[1]);
}

TEST(Sinusoidal, has_four_ways_with_an_odd_width) {
  expect_row(row("dim=7 odd=zero_pad", 5), {-0.9589242746631385, 0.28366218546322625, 0.23000171166476738,
                                            0.9731902242785206, 0.01077196511803483, 0.9999419807006283, 0});
  expect_row(row("dim=7 odd=truncate", 5),
             {-0.9589242746631385, 0.28366218546322625, 0.3521271401051353, 0.9359521767704685,
              0.025894478710947313, 0.9996646817669854, 0.0018637957811004327});
  expect_row(row("dim=7 odd=round_up", 5),
             {-0.9589242746631385, 0.28366218546322625, 0.479425538604203, 0.8775825618903728,
              0.04997916927067833, 0.9987502603949663, 0.004999979166692708});
  const auto cut = row("dim=7 odd=truncate", 5);
  EXPECT_EQ(row("dim=7 odd=truncate layout=sin_cos", 5),
            (std::vector<double>{cut[0], cut[2], cut[4], cut[6], cut[1], cut[3], cut[5]}));
  EXPECT_EQ(row("dim=7 odd=truncate layout=cos_sin", 5),
            (std::vector<double>{cut[1], cut[3], cut[5], cut[0], cut[2], cut[4], cut[6]}));
  EXPECT_EQ(row("dim=7 odd=zero_pad layout=cos_sin", 5)[6], 0);
  EXPECT_EQ(row("dim=1 odd=truncate", 5), (std::vector<double>{cut[0]}));
}

std::vector<double> exact_row(std::string_view parameters, Position t) {
  const std::array<Position, 1> at = {t};
  return encodings::sinusoidal.oracle<Table>(with(encodings::sinusoidal, Case::parse(parameters)))
      .rows(at, t + 1)
      .data;
}

// tensor2tensor multiplies every frequency with min_timescale: here 2 of 10000.
TEST(Sinusoidal, is_scaled_as_in_tensor2tensor) {
  const std::string_view words = "dim=6 divisor=half_minus_one layout=sin_cos scale=2 base=5000";
  const std::vector<double> golden = {-0.27941549819892587, 0.084751027016027048, 0.0011999997120000207,
                                      0.96017028665036602,  0.99640215948166665,  0.9999992800000864};
  expect_row(row(words, 3), golden);
  EXPECT_EQ(exact_row(words, 3), golden);
  // Twice the scale is twice the position.
  EXPECT_EQ(exact_row("dim=6 scale=2", 77), exact_row("dim=6", 154));
  for (const auto& table :
       {made<Table>(encodings::sinusoidal, words),
        encodings::sinusoidal.oracle<Table>(with(encodings::sinusoidal, Case::parse(words)))}) {
    EXPECT_DOUBLE_EQ(table.pairs[1].frequency, 2 / std::sqrt(5000.0));
    EXPECT_DOUBLE_EQ(table.pairs[1].frequency_error.roundings, 2 + 3 * std::log(2.0));
  }
  EXPECT_EQ(made<Table>(encodings::sinusoidal, "dim=6").pairs[1].frequency_error.roundings, 0);
}

// ESPnet's table of 2 L - 1 offsets: row n is that of L - 1 - n, positive ones first.
TEST(Sinusoidal, is_flipped_as_in_espnet) {
  for (const auto& of : {&row, &exact_row})
    for (const Position n : {0, 1, 3, 4, 8}) {
      const auto flipped = of("dim=6 direction=backward offset=4", n), plain = of("dim=6", std::abs(4 - n));
      for (std::size_t c = 0; c < 6; ++c)
        EXPECT_EQ(flipped[c], c % 2 == 0 && n > 4 ? -plain[c] : plain[c]) << n << " " << c;
    }
  const auto table = made<Table>(encodings::sinusoidal, "dim=6 direction=backward offset=4");
  EXPECT_EQ(table.offset, -4);
  EXPECT_EQ(table.pairs[0].frequency, -1);
}

// fairseq's padding_idx + 1 is its first position, and the row before it is 0.
TEST(Sinusoidal, has_a_row_of_padding) {
  const std::vector<double> zeros(4);
  for (const auto& of : {&row, &exact_row}) {
    EXPECT_EQ(of("dim=4 padding_row=1", 1), zeros);
    EXPECT_EQ(of("dim=4 padding_row=1", 2), of("dim=4", 2));
    EXPECT_EQ(of("dim=4 padding_row=1 offset=2", 0), of("dim=4", 2));
    EXPECT_EQ(of("dim=4 padding_row=3 offset=2", 1), zeros);
    EXPECT_EQ(of("dim=4 padding_row=3 offset=5 direction=backward", 2), zeros);
    EXPECT_EQ(of("dim=4 padding_row=0", 0), zeros);
    EXPECT_EQ(of("dim=4", 0), (std::vector<double>{0, 1, 0, 1}));
  }
  const auto has_fast_way = [](std::string_view words) {
    const Parameters all = with(encodings::sinusoidal, Case::parse(words));
    return encodings::sinusoidal.oracle<Table>(all).exact != nullptr;
  };
  EXPECT_TRUE(has_fast_way("dim=4"));
  EXPECT_FALSE(has_fast_way("dim=4 padding_row=1"));
}

// An angle of 2^20 w in long double is off by at most 2^20 w (6 + 3 |ln w|) 2^-64 = 1.4e-13 (core/error.h).
// With the double nearest to w_5 it is off by 7e-12.
TEST(Sinusoidal, does_not_round_its_frequencies_to_double) {
  const auto far = row("dim=64", (Position{1} << 20) - 1);
  EXPECT_NEAR(far[10], -0.6744283673130305, 1.4e-13);
  EXPECT_NEAR(far[11], 0.7383402856159753, 1.4e-13);
}

TEST(Sinusoidal, declares_what_its_columns_are) {
  const auto table =
      made<Table>(encodings::sinusoidal, "dim=7 odd=truncate layout=sin_cos offset=2 amplitude=0.5");
  ASSERT_EQ(table.pairs.size(), 3u);
  EXPECT_EQ(table.pairs[1].first, 1u);
  EXPECT_EQ(table.pairs[1].second, 5u);
  EXPECT_EQ(table.pairs[2].index, 2u);
  ASSERT_TRUE(table.lone.has_value());
  EXPECT_EQ(table.lone->first, 3u);
  EXPECT_EQ(table.offset, 2);
  EXPECT_EQ(table.amplitude, 0.5);
  EXPECT_EQ(made<Table>(encodings::sinusoidal, "dim=64").pairs[5].frequency, 0.23713737056616552);
}

// As MLX forms them in f32, from exp((1 - x) ln b - ln b): off by more than one power, and by less than is
// allowed over the number of frequencies less one. Over that number itself nobody forms them so.
TEST(Sinusoidal, frequencies_from_a_sum_of_exponents_are_within_their_error) {
  double most = 0, of_a_power = 0;
  for (const int n : {2, 3, 16, 32, 100, 256, 384, 1000})
    for (const double base : {100.0, 10000.0, 500000.0}) {
      const std::string words = " dim=" + std::to_string(2 * n) + " base=" + std::to_string(base);
      const auto pairs = made<Table>(encodings::sinusoidal, "divisor=half_minus_one" + words).pairs;
      const auto log_base = static_cast<float>(std::log(base));
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        const float rest = 1.0f - static_cast<float>(i) / static_cast<float>(n - 1);
        const float product = rest * log_base;
        const double formed = std::exp(product - log_base), w = pairs[i].frequency;
        const double off = std::abs(formed / w - 1), power = power_error(all_f32, w, i);
        most = std::max(most, off / (pairs[i].frequency_error.condition * power));
        of_a_power = std::max(of_a_power, off / power);
      }
      EXPECT_EQ(made<Table>(encodings::sinusoidal, words).pairs[1].frequency_error.condition, 1);
    }
  EXPECT_LE(most, 1);
  EXPECT_GT(most, 0.25);  // 4 times as much would be seen
  EXPECT_GT(of_a_power, 1.5);
}

TEST(Sinusoidal, refuses_what_makes_no_sense) {
  const auto& spec = encodings::sinusoidal;
  EXPECT_EQ(refused(spec, "dim=7"), "`dim=7 odd=refuse`; allowed: even widths");
  EXPECT_EQ(refused(spec, "dim=0"), "`dim=0`; allowed: whole numbers from 1 to 1048576");
  EXPECT_EQ(refused(spec, "dim=2.5"), "`dim=2.5`; allowed: whole numbers from 1 to 1048576");
  EXPECT_EQ(refused(spec, "dim=1048577"), "`dim=1048577`; allowed: whole numbers from 1 to 1048576");
  EXPECT_EQ(refused(spec, "base=0"), "`base=0`; allowed: finite numbers above 0");
  EXPECT_EQ(refused(spec, "amplitude=-1"), "`amplitude=-1`; allowed: finite numbers above 0");
  EXPECT_EQ(refused(spec, "layout=half_split"),
            "`layout=half_split`; allowed: interleaved, sin_cos, cos_sin");
  EXPECT_EQ(refused(spec, "divisor=full"), "`divisor=full`; allowed: half, half_minus_one");
  EXPECT_EQ(refused(spec, "odd=crash"), "`odd=crash`; allowed: refuse, zero_pad, truncate, round_up");
  EXPECT_EQ(refused(spec, "offset=0.5"),
            "`offset=0.5`; allowed: whole numbers from -9007199254740992 to 9007199254740992");
  EXPECT_EQ(refused(spec, "dim=2 divisor=half_minus_one"),
            "`dim=2 odd=refuse divisor=half_minus_one`; allowed: widths with two frequencies");
  EXPECT_EQ(refused(spec, "dim=1 odd=zero_pad"), "`dim=1 odd=zero_pad`; allowed: widths with a frequency");
}

}  // namespace
}  // namespace posproof::sinusoidal_test
