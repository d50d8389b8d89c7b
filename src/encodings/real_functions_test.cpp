// Nerf, Gaussian and random Fourier features, complex words: golden numbers from 40 digits (mpmath), of the
// encodings and of their oracles, and what these encodings are in terms of others.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numbers>

#include "catalogue/encodings/complex_order.h"
#include "catalogue/encodings/gaussian_fourier.h"
#include "catalogue/encodings/nerf.h"
#include "catalogue/encodings/random_fourier.h"
#include "catalogue/encodings/sinusoidal.h"
#include "core/error.h"
#include "encodings/made.h"

namespace posproof::encodings_real_functions_test {
namespace {

using Doubles = std::vector<double>;

Table made_by(bool oracle, const EncodingSpec& spec, const std::string& parameters) {
  const Parameters all = with(spec, Case::parse(parameters));
  return as<Table>(oracle ? spec.oracle(all) : spec.make(all));
}

Doubles row(const Table& table, const Doubles& position) {
  return table.rows(Positions(std::span<const double>(position), position.size()), 1).data;
}

void expect_near(const Doubles& found, const Doubles& golden, double bound, const std::string& what) {
  ASSERT_EQ(found.size(), golden.size()) << what;
  for (std::size_t c = 0; c < golden.size(); ++c)
    EXPECT_NEAR(found[c], golden[c], bound) << what << " column " << c;
}

// Both within half an ulp of 1 of golden numbers of 17 digits.
void expect_row(const EncodingSpec& spec, const std::string& parameters, const Doubles& position,
                const Doubles& golden) {
  for (const bool oracle : {false, true})
    expect_near(row(made_by(oracle, spec, parameters), position), golden, 0x1.1p-53, parameters);
}

TEST(Nerf, has_these_rows) {
  const Doubles waves = {0.8090169943749474, 0.58778525229247316, 0.95105651629515359, -0.30901699437494736};
  expect_row(encodings::nerf, "frequencies=2", {0.3}, waves);
  expect_row(encodings::nerf, "frequencies=1 factor=two_pi", {0.3}, {waves[2], waves[3]});
  expect_row(encodings::nerf, "frequencies=2 input=first", {0.3},
             {0.3, waves[0], waves[1], waves[2], waves[3]});
  expect_row(encodings::nerf, "frequencies=1 input=last", {0.3}, {waves[0], waves[1], 0.3});
  const Doubles plain = {-0.3816609920523317, -0.92430237863246354};
  expect_row(encodings::nerf, "frequencies=1 factor=one", {-2.75}, plain);
  EXPECT_NEAR(row(made_by(true, encodings::nerf, "frequencies=3 factor=one"), {-2.75})[5],
              0.0044256979880507857, 1e-18);
}

// By mpmath: linspace(1, 5, 3) pi, the grid and then all sines and all cosines, as in timm's FourierEmbed;
// and linspace(1, 4.5, 4), whose thirds no double holds.
TEST(Nerf, has_bands_that_lie_evenly) {
  expect_row(encodings::nerf,
             "axes=2 frequencies=3 bands=linear last_band=5 input=first order=part_frequency_axis",
             {0.15, -1.25},
             {0.14999999999999999, -1.25, 0.45399049973954678, 0.70710678118654752, 0.98768834059513772,
              0.70710678118654752, 0.70710678118654759, -0.70710678118654752, 0.89100652418836787,
              -0.70710678118654752, 0.15643446504023092, 0.70710678118654752, -0.70710678118654746,
              0.70710678118654752});
  expect_row(encodings::nerf, "frequencies=4 bands=linear last_band=4.5 factor=one", {0.15},
             {0.14943813247359922, 0.98877107793604229, 0.31930878585700093, 0.94765072641481572,
              0.47942553860420298, 0.87758256189037272, 0.62489731672769982, 0.78070695113244689});
  for (const bool oracle : {false, true}) {
    const Table table = made_by(oracle, encodings::nerf, "frequencies=3 bands=linear last_band=5 factor=one");
    EXPECT_EQ(table.pairs.at(1).frequency, 3);
    EXPECT_EQ(table.pairs.at(1).frequency_error.roundings, 11);
    EXPECT_EQ(made_by(oracle, encodings::nerf, "frequencies=3").pairs.at(1).frequency_error.roundings, 9);
    EXPECT_EQ(row(made_by(oracle, encodings::nerf, "frequencies=1 bands=linear"), {0.3}),
              row(made_by(oracle, encodings::nerf, "frequencies=1"), {0.3}));
  }
}

// Frequencies 0 and 1 of axes x and y: which of them stands in which column.
TEST(Nerf, has_four_orders) {
  const auto entries = [](double coordinate) {
    return row(made_by(true, encodings::nerf, "frequencies=2"), {coordinate});
  };
  const Doubles x = entries(0.3), y = entries(-1.1);
  const struct {
    std::string order;
    Doubles expected;
  } rows[] = {
      {"axis_frequency_part", {x[0], x[1], x[2], x[3], y[0], y[1], y[2], y[3]}},
      {"frequency_part_axis", {x[0], y[0], x[1], y[1], x[2], y[2], x[3], y[3]}},
      {"part_frequency_axis", {x[0], y[0], x[2], y[2], x[1], y[1], x[3], y[3]}},
      {"part_axis_frequency", {x[0], x[2], y[0], y[2], x[1], x[3], y[1], y[3]}},
  };
  for (const auto& [order, expected] : rows) {
    expect_row(encodings::nerf, "axes=2 frequencies=2 order=" + order, {0.3, -1.1}, expected);
    Doubles longer = expected;
    longer.insert(longer.begin(), {0.3, -1.1});
    expect_row(encodings::nerf, "axes=2 frequencies=2 input=first order=" + order, {0.3, -1.1}, longer);
  }
}

TEST(Nerf, is_degenerate_at_whole_numbers) {
  for (const bool oracle : {false, true}) {
    EXPECT_EQ(row(made_by(oracle, encodings::nerf, "frequencies=3"), {7}), (Doubles{0, -1, 0, 1, 0, 1}));
    EXPECT_EQ(row(made_by(oracle, encodings::nerf, "frequencies=2 factor=two_pi"), {7}),
              (Doubles{0, 1, 0, 1}));
    EXPECT_EQ(row(made_by(oracle, encodings::nerf, "frequencies=2"), {0.5}), (Doubles{1, 0, 0, -1}));
  }
}

TEST(Nerf, declares_its_pairs) {
  for (const bool oracle : {false, true}) {
    const Table table =
        made_by(oracle, encodings::nerf, "axes=3 frequencies=2 input=first order=frequency_part_axis");
    ASSERT_EQ(table.pairs.size(), 6u);
    const Pair& last = table.pairs[5];
    EXPECT_EQ(last.first, 11u);
    EXPECT_EQ(last.second, 14u);
    EXPECT_EQ(last.axis, 2u);
    EXPECT_EQ(last.index, 1u);
    EXPECT_DOUBLE_EQ(last.frequency, 2 * std::numbers::pi);
    EXPECT_EQ(last.frequency_error.condition, 0);
    EXPECT_EQ(last.frequency_error.roundings, 9);
    EXPECT_EQ(table.positions.axes, 3u);
    EXPECT_TRUE(table.positions.real);
    EXPECT_EQ(table.positions.lo, -128);
  }
  EXPECT_EQ(refused(encodings::nerf, "axes=4"), "`axes=4`; allowed: whole numbers from 1 to 3");
}

TEST(GaussianFourier, has_these_rows) {
  // B = [[0.5, 0.375], [0.375, 0.375]] at (0.3, -1.25).
  const Doubles golden = {-0.41865973753742812, -0.61909394930983401, -0.90814317382508128,
                          -0.78531693088074491};
  expect_row(encodings::gaussian_fourier, "dim=4 axes=2 matrix=listed entries=[0.5,0.375]", {0.3, -1.25},
             golden);
  expect_row(encodings::gaussian_fourier, "dim=4 axes=2 matrix=listed entries=[0.5,0.375] layout=sin_cos",
             {0.3, -1.25}, {golden[2], golden[3], golden[0], golden[1]});
}

// Of 4 channels the root of 2/4, and that of 1/4; its product, its root and both factors are rounded.
TEST(GaussianFourier, is_multiplied_by_its_norm) {
  const std::string words = "dim=4 axes=2 matrix=listed entries=[0.5,0.375] norm=";
  for (const bool oracle : {false, true}) {
    const auto of = [&](const std::string& norm) {
      return row(made_by(oracle, encodings::gaussian_fourier, words + norm), {0.3, -1.25});
    };
    const Doubles plain = of("none"), one = of("one"), inverse = of("inverse_root_of_dim");
    double sum = 0;
    for (std::size_t c = 0; c < 4; ++c) {
      EXPECT_EQ(inverse[c], plain[c] / 2);
      EXPECT_NEAR(one[c], plain[c] * std::numbers::sqrt2 / 2, 4 * unit_f64 * std::abs(one[c]));
      sum += one[c] * one[c];
    }
    EXPECT_NEAR(sum, 1, 8 * unit_f64);
    const Table table = made_by(oracle, encodings::gaussian_fourier, words + "inverse_root_of_dim"),
                unscaled = made_by(oracle, encodings::gaussian_fourier, words + "none");
    EXPECT_EQ(table.amplitude, 0.5);
    Doubles error(4), whole(4);
    const Doubles v = {2, -3}, none(4);
    table.row_error(v, none, all_f32, error), unscaled.row_error(v, none, all_f32, whole);
    for (std::size_t c = 0; c < 4; ++c)
      EXPECT_DOUBLE_EQ(error[c] - entry_error(table, all_f32),
                       (whole[c] - entry_error(unscaled, all_f32)) / 2);
  }
}

TEST(GaussianFourier, is_nerf_at_powers_of_two) {
  for (const bool oracle : {false, true})
    for (const double x : {0.3, -1.1, 5.0}) {
      const Doubles features = row(made_by(oracle, encodings::gaussian_fourier,
                                           "dim=6 layout=sin_cos matrix=listed entries=[0.5,1,2]"),
                                   {x});
      EXPECT_EQ(features,
                row(made_by(oracle, encodings::nerf, "frequencies=3 order=part_frequency_axis"), {x}));
    }
}

TEST(GaussianFourier, has_a_bound_for_each_row_of_its_matrix) {
  for (const bool oracle : {false, true}) {
    const Table table =
        made_by(oracle, encodings::gaussian_fourier, "dim=4 axes=2 matrix=listed entries=[1,1,0,0.5]");
    const Doubles v = {2, -3}, none(4);
    Doubles error(4);
    table.row_error(v, none, all_f32, error);
    // B, 2 pi, the coordinate, two products and a sum: 6 units of 2 pi (|2| + |-3|), and of 2 pi 1.5.
    const double beside = entry_error(table, all_f32), unit = 6 * 2 * std::numbers::pi * unit_f32;
    EXPECT_DOUBLE_EQ(error[0], 5 * unit + beside);
    EXPECT_DOUBLE_EQ(error[2], 5 * unit + beside);
    EXPECT_DOUBLE_EQ(error[1], 1.5 * unit + beside);
    EXPECT_TRUE(table.pairs.empty());
    const Table line =
        made_by(oracle, encodings::gaussian_fourier, "dim=2 factor=one matrix=listed entries=[3]");
    EXPECT_EQ(line.pairs.at(0).frequency, 3);
    EXPECT_EQ(line.pairs.at(0).frequency_error.roundings, 1);
    EXPECT_EQ(made_by(oracle, encodings::gaussian_fourier, "dim=2").pairs.at(0).frequency_error.roundings, 3);
  }
}

TEST(GaussianFourier, refuses_what_makes_no_sense) {
  const auto& spec = encodings::gaussian_fourier;
  EXPECT_EQ(refused(spec, "dim=3"), "`dim=3`; allowed: even widths");
  EXPECT_EQ(
      refused(spec, "dim=2 matrix=listed entries=[1,2]"),
      "`entries=[1,2] matrix=listed`; allowed: lists of at least one number, and of at most dim / 2 * axes");
  EXPECT_EQ(refused(spec, "dim=2 axes=2 matrix=listed entries=[1,2]"), "not refused");
}

TEST(RandomFourier, has_these_rows) {
  const Doubles phases = {-0.76461368335983992, 0.52337174307576952, 0.52337174307576952};
  expect_row(encodings::random_fourier,
             "dim=3 form=phase frequencies=listed frequency_list=[1,0.25] phase_list=[2,0.5]", {1.5}, phases);
  // sin and cos of 3, sqrt(2/4) of them each.
  const double root = std::numbers::sqrt2 / 2, s = root * 0.1411200080598672, c = -root * 0.9899924966004454;
  const struct {
    std::string layout;
    Doubles expected;
  } rows[] = {{"cos_sin", {c, c, s, s}}, {"sin_cos", {s, s, c, c}}, {"interleaved", {c, s, c, s}}};
  for (const auto& [layout, expected] : rows)
    expect_row(encodings::random_fourier, "dim=4 frequencies=listed layout=" + layout, {3}, expected);
  expect_row(encodings::random_fourier, "dim=2 norm=none frequencies=listed", {3},
             {-0.9899924966004454, 0.1411200080598672});
}

TEST(RandomFourier, is_gaussian_fourier_but_for_its_norm) {
  const Doubles one = row(made_by(true, encodings::random_fourier, "dim=8 norm=none sigma=2"), {1.25});
  EXPECT_EQ(one, row(made_by(true, encodings::gaussian_fourier, "dim=8 factor=one sigma=2"), {1.25}));
}

// ESPnet: pe /= sqrt(d_model).
TEST(RandomFourier, is_divided_by_the_root_of_its_width) {
  for (const bool oracle : {false, true})
    for (const std::string form : {"paired", "phase"}) {
      const Doubles plain =
          row(made_by(oracle, encodings::random_fourier, "dim=16 norm=none form=" + form), {1.25});
      Doubles scaled = row(
          made_by(oracle, encodings::random_fourier, "dim=16 norm=inverse_root_of_dim form=" + form), {1.25});
      for (double& entry : scaled) entry *= 4;
      EXPECT_EQ(scaled, plain) << form;
    }
  EXPECT_EQ(
      row(made_by(true, encodings::random_fourier, "dim=8 norm=inverse_root_of_dim sigma=2"), {1.25}),
      row(made_by(true, encodings::gaussian_fourier, "dim=8 factor=one sigma=2 norm=inverse_root_of_dim"),
          {1.25}));
}

TEST(RandomFourier, has_a_bound_for_each_phase) {
  for (const bool oracle : {false, true})
    for (const std::string norm : {"one", "none"}) {
      const Table table =
          made_by(oracle, encodings::random_fourier,
                  "dim=4 form=phase frequencies=listed frequency_list=[3,1] phase_list=[2,0.5] norm=" + norm);
      const double a = table.amplitude;
      const Doubles t = {-5}, none(4);
      Doubles error(4);
      table.row_error(t, none, all_f32, error);
      const double root = norm == "one" ? unit_f32 * a : 0;
      EXPECT_DOUBLE_EQ(error[0], a * (4 * 15 + 3 * 2) * unit_f32 + entry_error(table, all_f32) + root);
      EXPECT_DOUBLE_EQ(error[1], a * (4 * 5 + 3 * 0.5) * unit_f32 + entry_error(table, all_f32) + root);
    }
}

double product(const Table& table, double s, double t) {
  const Doubles a = row(table, {s}), b = row(table, {t});
  double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += a[c] * b[c];
  return sum;
}

// How far the mean of many draws of p_s . p_t may be from exp(-sigma^2 (s - t)^2 / 2) before a right
// generator is called wrong: once in 10^9 seeds. Each of n features adds cos(w k) + cos(w (s + t) + 2 b),
// whose variance is that of cos(w k), (1 + g^4) / 2 - g^2 for g = exp(-sigma^2 k^2 / 2), and 1/2 of the
// second term, which is uncorrelated with it because b is uniform. Their mean is normal for so many.
double allowed(double sigma, double k, double n) {
  const double g = std::exp(-sigma * sigma * k * k / 2);
  const double variance = (1 + std::pow(g, 4)) / 2 - g * g + 0.5;
  const double z = boost::math::quantile(boost::math::complement(boost::math::normal(), 0.5e-9));
  return z * std::sqrt(variance / n);
}

TEST(RandomFourier, has_the_gaussian_kernel_on_average_in_the_phase_form) {
  constexpr int seeds = 64, dim = 512;
  const auto mean = [&](double sigma, double s, double t) {
    double sum = 0;
    for (int seed = 1; seed <= seeds; ++seed)
      sum += product(made_by(false, encodings::random_fourier,
                             fmt::format("dim={} form=phase sigma={} frequency_seed={}", dim, sigma, seed)),
                     s, t);
    return sum / seeds;
  };
  const auto kernel = [](double sigma, double k) { return std::exp(-sigma * sigma * k * k / 2); };
  EXPECT_NEAR(mean(1, 3, 4), kernel(1, 1), allowed(1, 1, seeds * dim));
  EXPECT_NEAR(mean(1, 5, 5), 1, allowed(1, 0, seeds * dim));
  EXPECT_NEAR(mean(0.125, -4, 4), kernel(0.125, 8), allowed(0.125, 8, seeds * dim));
  // A deviation that is larger by a tenth is told from it.
  EXPECT_GT(std::abs(mean(1.1, 3, 4) - kernel(1, 1)), allowed(1, 1, seeds * dim));
  // One draw has neither the kernel nor a constant norm.
  const Table one = made_by(false, encodings::random_fourier, "dim=8 form=phase");
  EXPECT_GT(std::abs(product(one, 0, 0) - product(one, 1, 1)), 0.01);
}

TEST(RandomFourier, has_an_exact_kernel_in_pairs) {
  const Table table = made_by(true, encodings::random_fourier, "dim=8");
  double expected = 0;
  for (const Pair& pair : table.pairs) expected += std::cos(7 * pair.frequency) / 4;
  EXPECT_NEAR(product(table, 3.25, 10.25), expected, 1e-15);
  EXPECT_NEAR(product(table, 3.25, 3.25), 1, 1e-15);
  EXPECT_EQ(refused(encodings::random_fourier, "dim=3"), "`dim=3 form=paired`; allowed: even widths");
  EXPECT_EQ(
      refused(encodings::random_fourier, "dim=2 frequencies=listed frequency_list=[1,2]"),
      "`frequency_list=[1,2] frequencies=listed`; allowed: lists of at least one number, and of at most one for each frequency");
  EXPECT_EQ(
      refused(encodings::random_fourier, "dim=1 form=phase frequencies=listed phase_list=[1,2]"),
      "`phase_list=[1,2] form=phase frequencies=listed`; allowed: lists of at least one number, and of at most one for each frequency");
}

TEST(ComplexOrder, has_these_rows) {
  // Word 3 of three components with base 100, at position 2.
  const Doubles golden = {0.96017028665036602,  0.96147017427314415, 0.99991645256438322,
                          -0.27941549819892587, 0.27490926500059945, 0.01292624814319904};
  expect_row(encodings::complex_order, "dim=6 word=3 base=100", {2}, golden);
  expect_row(encodings::complex_order, "dim=6 word=3 base=100 layout=interleaved", {2},
             {golden[0], golden[3], golden[1], golden[4], golden[2], golden[5]});
}

TEST(ComplexOrder, has_three_exponents) {
  const auto frequencies = [](const std::string& exponent) {
    Doubles out;
    for (const Pair& pair :
         made_by(true, encodings::complex_order, "dim=8 base=16 exponent=" + exponent).pairs)
      out.push_back(pair.frequency);
    return out;
  };
  EXPECT_EQ(frequencies("full_range"), (Doubles{1, 0.25, 0.0625, 0.015625}));
  EXPECT_EQ(frequencies("half_range"), (Doubles{1, 0.5, 0.25, 0.125}));
  EXPECT_EQ(frequencies("paired"), (Doubles{1, 1, 0.25, 0.25}));
}

TEST(ComplexOrder, is_sinusoidal_in_the_half_range) {
  const std::array<Position, 1> at = {77};
  EXPECT_EQ(row(made_by(true, encodings::complex_order, "dim=8 exponent=half_range"), {77}),
            made_by(true, encodings::sinusoidal, "dim=8 layout=cos_sin").rows(at, 78).data);
}

// p_{t+k} = exp(i w k) p_t, whatever modulus and phase are.
TEST(ComplexOrder, moves_on_by_multiplication) {
  const std::string words = "dim=6 word=3 modulus=seeded phase=seeded exponent=half_range base=100";
  const Table plain = made_by(true, encodings::complex_order, "dim=6 word=3 exponent=half_range base=100");
  const Doubles by = row(plain, {5});
  for (const bool oracle : {false, true}) {
    const Table table = made_by(oracle, encodings::complex_order, words);
    const Doubles here = row(table, {4}), there = row(table, {9});
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(there[c], here[c] * by[c] - here[3 + c] * by[3 + c], 1e-15);
      EXPECT_NEAR(there[3 + c], here[c] * by[3 + c] + here[3 + c] * by[c], 1e-15);
    }
  }
}

TEST(ComplexOrder, has_no_position_in_word_0) {
  for (const bool oracle : {false, true}) {
    const Table table = made_by(oracle, encodings::complex_order, "dim=4 word=0 phase=seeded");
    EXPECT_EQ(row(table, {3}), row(table, {1000}));
    EXPECT_EQ(table.pairs.size(), 0u);
  }
}

TEST(ComplexOrder, has_a_bound_for_modulus_and_phase) {
  for (const bool oracle : {false, true}) {
    const Table table = made_by(oracle, encodings::complex_order, "dim=2 word=2 modulus=seeded phase=seeded"),
                plain = made_by(oracle, encodings::complex_order, "dim=2 word=2");
    const Doubles t = {10}, none(2);
    Doubles error(2);
    table.row_error(t, none, all_f32, error);
    const double r = std::hypot(row(table, {0})[0], row(table, {0})[1]);
    const double theta = 2 * std::numbers::pi * 0.12603102042098713;  // 40 digits: share 1 of seed 1
    const double angle = angle_error(all_f32, 10, plain.pairs.at(0)) + (20 + 3 * theta) * unit_f32;
    EXPECT_NEAR(error[0], r * (angle + entry_error(plain, all_f32) + 2 * unit_f32), 1e-12);
    EXPECT_EQ(error[0], error[1]);
    EXPECT_DOUBLE_EQ(plain.pairs[0].frequency_error.roundings, 1 + 3 * std::log(2.0));
    EXPECT_FALSE(plain.row_error);
  }
}

}  // namespace
}  // namespace posproof::encodings_real_functions_test
