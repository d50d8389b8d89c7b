#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "catalogue/encodings/sandwich.h"
#include "core/error.h"
#include "encodings/made.h"
#include "exact/cosine_sum.h"

namespace posproof::sandwich_test {
namespace {

using Doubles = std::vector<double>;

// At these distances of earlier keys: the reference's entries and the oracle's.
std::array<Doubles, 2> entries(std::string_view parameters, const std::vector<Position>& distances) {
  const Parameters all = with(encodings::sandwich, Case::parse(parameters));
  std::vector<Position> keys;
  for (const Position d : distances) keys.push_back(1048576 - d);
  const std::array<Position, 1> query = {1048576};
  return {encodings::sandwich.make<Bias>(all).bias(query, keys).data,
          encodings::sandwich.oracle<Bias>(all).bias(query, keys).data};
}

void expect_near(std::string_view parameters, const std::vector<Position>& distances, const Doubles& right) {
  for (const Doubles& found : entries(parameters, distances)) {
    ASSERT_EQ(found.size(), right.size());
    for (std::size_t n = 0; n < found.size(); ++n) EXPECT_NEAR(found[n], right[n], 2e-14) << n;
  }
}

// By mpmath, with 30 digits: the kernel is 64 at 0, 62.5534 at 1, 58.7980 at 2, 44.659 at 10, 30.681 at 100
// and 10.610 at 1000; one head is divided by 8, the second of two by 8 and the first by 4.
TEST(Sandwich, has_these_entries) {
  const Doubles kernel = {
      64, 62.55338149489948, 58.79800736937091, 44.65909392757359, 30.68108582961965, 10.61035322119797};
  const std::vector<Position> distances = {0, 1, 2, 10, 100, 1000};
  Doubles centred, plain;
  for (const double ratio : {4., 8.})
    for (const double sum : kernel) centred.push_back((sum - 64) / ratio), plain.push_back(sum / ratio);
  expect_near("heads=2", distances, centred);
  expect_near("heads=2 centre=none", distances, plain);
  expect_near("heads=1 dim=8 first_n=0 centre=none", {3, 1000003},
              {1.9648895262775231 / 8, -2.2259407922250172 / 8});
  expect_near("heads=3 dim=2", {7}, {-9.1874996248437562e-8, -4.5937498124218781e-8, -3.0624998749479187e-8});
}

// Of a slow cosine 1 - cos x is x^2/2, which may be far below the least double.
TEST(Sandwich, is_rounded_where_the_sum_is_below_every_double) {
  using exact::CosineSum;
  EXPECT_EQ(CosineSum(1e160, 2, 1, 0).at(1, 1, 8, Format::f64), -6.25e-322);
  EXPECT_EQ(CosineSum(1e300, 2, 1, 0).at(1, 1, 8, Format::f64), 0);
  EXPECT_EQ(CosineSum(1e300, 2, 1, 3).at(1, 1, 8, Format::f64), 0.375);
}

// First rises of the kernel for a width of 128: at 14, 21, 27 and 28, and 113 of the first 256 steps.
TEST(Sandwich, rises_at_these_distances) {
  std::vector<Position> distances(257);
  for (std::size_t d = 0; d < distances.size(); ++d) distances[d] = static_cast<Position>(d);
  for (const Doubles& found : entries("heads=1", distances)) {
    std::vector<Position> rises;
    for (std::size_t d = 1; d < found.size(); ++d)
      if (found[d] > found[d - 1]) rises.push_back(static_cast<Position>(d));
    EXPECT_EQ(rises.size(), 113u);
    rises.resize(4);
    EXPECT_EQ(rises, (std::vector<Position>{14, 21, 27, 28}));
  }
}

// What the rows of two positions have in common, where n counts from 0: one whose columns are sines and
// cosines.
TEST(Sandwich, is_the_dot_product_of_sinusoidal_rows) {
  const auto row = [](double t) {
    Doubles out;
    for (int n = 0; n < 4; ++n)
      for (const bool cosine : {false, true}) {
        const double angle = t / std::pow(100, n / 4.);
        out.push_back(cosine ? std::cos(angle) : std::sin(angle));
      }
    return out;
  };
  const Doubles query = row(60);
  for (const Position d : {0, 1, 5, 37}) {
    const Doubles key = row(60 - static_cast<double>(d));
    double sum = 0;
    for (std::size_t c = 0; c < 8; ++c) sum += query[c] * key[c];
    expect_near("heads=1 dim=8 base=100 first_n=0 centre=none", {d}, {sum / 8});
    expect_near("heads=1 dim=8 base=100 first_n=0", {d}, {(sum - 4) / 8});
  }
}

TEST(Sandwich, counts_later_keys_only_where_it_is_symmetric) {
  const std::array<Position, 1> query = {3};
  const std::array<Position, 3> keys = {1, 3, 5};
  for (const bool exact : {false, true})
    for (const std::string form : {"causal", "symmetric"}) {
      const Parameters all = with(encodings::sandwich, Case::parse("heads=1 form=" + form));
      const auto bias = as<Bias>(exact ? encodings::sandwich.oracle(all) : encodings::sandwich.make(all));
      const Doubles found = bias.bias(query, keys).data;
      EXPECT_NEAR(found[0], (58.79800736937091 - 64) / 8, 1e-14);
      EXPECT_EQ(found[1], 0);
      EXPECT_EQ(found[2], form == "causal" ? 0 : found[0]);
      EXPECT_EQ(bias.causal, form == "causal");
    }
}

double allowed(std::string_view words, double query, double key, const Precision& p, double entry = -0.75) {
  return made<Bias>(encodings::sandwich, words).error(0, {&query, 1}, {&key, 1}, entry, p);
}

// Of a width of 2 one pair, of an angle of position / 100: its frequency's error over the distance, both
// angles' roundings, of each row the library's 4 units for two entries, and 2 products and their sum; the
// difference, ratio and quotient round 1 unit of the entry each. Two rows that are one have the same angle.
TEST(Sandwich, allows_what_its_roundings_lose) {
  const double u = unit_f32, of_entries = 2 * std::numbers::sqrt2 * 4 * u;
  const Pair pair{0, 1, 0.01, 0};
  const double rounding = 16 * unit_f64 * 0x1p-5;  // 16 times, of bounds that are below 2^-5
  for (const Precision& p : {all_f32, Precision{unit_f32, unit_bf16}}) {
    const double around = 0.75 * (3 * u + (p.result > u ? p.result : 0));
    const double angles =
                     angle_error(p, 30, pair) + angle_rounding(p, 50, pair) + angle_rounding(p, 20, pair),
                 entries = 2 * std::numbers::sqrt2 * sine_error(p, 0, pair);
    EXPECT_NEAR(allowed("heads=2 dim=2 base=100", 50, 20, p), (angles + entries + 2 * u) / 4 + around,
                rounding);
    EXPECT_NEAR(allowed("heads=2 dim=2 base=100", 50, 50, p), (entries + 2 * u) / 4 + around, rounding);
  }
  EXPECT_NEAR(sine_error(all_f32, 0, pair), 4 * u, rounding);
  const double many = allowed("heads=1 dim=8 base=100", 0, 0, all_f32),
               one = allowed("heads=1 dim=2 base=100", 0, 0, all_f32);
  EXPECT_NEAR(many - one, (3 * of_entries + (4 + 7 * 4 - 2) * u) / 8, rounding);
}

// Two rows of sines and cosines in f32, each angle a position times a frequency.
float of_rows(float s, float t, std::size_t dim) {
  float sum = 0;
  for (std::size_t n = 1; n <= dim / 2; ++n) {
    const float w = std::pow(10000.0F, -2 * static_cast<float>(n) / static_cast<float>(dim));
    sum += std::sin(s * w) * std::sin(t * w) + std::cos(s * w) * std::cos(t * w);
  }
  return (sum - static_cast<float>(dim) / 2) / 8;
}

// They are off by what their own positions make, however near they are; a tenth of that is reached, and the
// cosine of the distance does not reach it.
TEST(Sandwich, allows_the_product_of_two_rows) {
  const auto bias = made<Bias>(encodings::sandwich, "heads=1 dim=128 form=symmetric");
  double most = 0;
  for (Position s = 100000; s < 100400; ++s)
    for (const Position far : {0, 1, 8}) {
      const std::array query = {s}, key = {s - far};
      const double exact = bias.bias(query, key).data[0];
      const double error = std::abs(of_rows(static_cast<float>(s), static_cast<float>(s - far), 128) - exact);
      most = std::max(most, error / allowed("heads=1 dim=128 form=symmetric", static_cast<double>(s),
                                            static_cast<double>(s - far), all_f32, exact));
    }
  EXPECT_LE(most, 1);
  EXPECT_GE(most, 0.1);
  EXPECT_GT(most * allowed("heads=1 dim=128", 100008, 100000, all_f32),
            4 * allowed("heads=1 dim=128", 8, 0, all_f32));
}

TEST(Sandwich, refuses_what_makes_no_sense) {
  EXPECT_EQ(refused(encodings::sandwich, "dim=3"), "`dim=3`; allowed: even numbers");
  EXPECT_EQ(refused(encodings::sandwich, "first_n=2"), "`first_n=2`; allowed: whole numbers from 0 to 1");
}

// Against long double, where that has many digits to spare, and where cosines cancel all but the last.
TEST(CosineSum, is_rounded_to_every_format) {
  const exact::CosineSum sum(10000, 8, 1, 0), with_centre(10000, 8, 1, 4);
  for (const Position d : {1, 7, 1000, 1048576})
    for (const Format format : every_format) {
      long double right = 0;
      for (int n = 1; n <= 4; ++n) {
        const long double sine = std::sin(static_cast<long double>(d) * std::pow(10000.0L, -n / 4.0L) / 2);
        right -= 2 * sine * sine;
      }
      const double own = sum.at(d, 3, 8, format);
      EXPECT_EQ(own, nearest(format, own));
      EXPECT_NEAR(own, static_cast<double>(right * 3 / 8), 1.01 * half_ulp(format, own) + 1e-15) << d;
      EXPECT_NEAR(with_centre.at(d, 1, 1, format), static_cast<double>(right + 4),
                  1.01 * half_ulp(format, static_cast<double>(right + 4)) + 1e-15)
          << d;
    }
  EXPECT_EQ(with_centre.at(0, 1, 8, Format::f64), 0.5);
  EXPECT_EQ(with_centre.at(0, 1, 24, Format::f32), nearest(Format::f32, 4. / 24));
  EXPECT_EQ(sum.at(0, 1, 8, Format::f16), 0);
  EXPECT_EQ(sum.at(-7, 1, 1, Format::f64), sum.at(7, 1, 1, Format::f64));
  EXPECT_NEAR(sum.at(Position{1} << 50, 1, 1, Format::f64), sum.at(-(Position{1} << 50), 1, 1, Format::f64),
              0);
}

TEST(CosineSum, has_powers_of_the_base) {
  EXPECT_EQ(exact::CosineSum(16, 8, 1, 0).frequencies(), (Doubles{1. / 2, 1. / 4, 1. / 8, 1. / 16}));
  EXPECT_EQ(exact::CosineSum(16, 4, 0, 0).frequencies(), (Doubles{1, 1. / 4}));
  EXPECT_EQ(exact::CosineSum(0.25, 4, 2, 0).frequencies(), (Doubles{4, 8}));
}

// By Taylor series in 260 decimal digits, and pi in as many: correctly rounded. At a base of 2^-200 angles of
// 2^200 and more have that many bits before the point.
TEST(CosineSum, is_what_series_of_many_digits_give) {
  EXPECT_EQ(exact::CosineSum(16, 8, 1, 0).at(3, 1, 1, Format::f64), -1.2845929944449066);
  EXPECT_EQ(exact::CosineSum(16, 8, 1, 0.5).at(-3, 3, 7, Format::f64), -0.3362541404763886);
  EXPECT_EQ(exact::CosineSum(0x1p-200, 2, 1, 0).at(3, 1, 1, Format::f64), -1.0725363368244865);
  EXPECT_EQ(exact::CosineSum(0x1p-200, 4, 1, 1).at(5, 1, 8, Format::f64), 0.04403146552513514);
}

}  // namespace
}  // namespace posproof::sandwich_test
