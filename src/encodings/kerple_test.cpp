#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "catalogue/encodings/kerple.h"
#include "core/error.h"
#include "encodings/made.h"

namespace posproof::kerple_test {
namespace {

using Doubles = std::vector<double>;

constexpr std::array<Position, 5> distances = {1, 2, 10, 1000, 1048576};

// At those distances of earlier keys, head by head: the reference's entries and the oracle's.
std::array<Doubles, 2> entries(std::string_view parameters) {
  const Parameters all = with(encodings::kerple, Case::parse(parameters));
  std::array<Doubles, 2> out;
  std::vector<Position> keys;
  for (const Position d : distances) keys.push_back(1048576 - d);
  const std::array<Position, 1> query = {1048576};
  out[0] = encodings::kerple.make<Bias>(all).bias(query, keys).data;
  out[1] = encodings::kerple.oracle<Bias>(all).bias(query, keys).data;
  return out;
}

void expect_near(const Doubles& found, const Doubles& right) {
  ASSERT_EQ(found.size(), right.size());
  for (std::size_t n = 0; n < found.size(); ++n)
    EXPECT_NEAR(found[n], right[n], 2e-16 * std::abs(right[n])) << n;
}

// By mpmath, with 30 digits, of the doubles 0.3, 0.6 and 1.7.
TEST(Kerple, has_these_entries) {
  const Doubles log = {-0.69314718055994531, -1.0986122886681097, -2.3978952727983705, -6.9087547793152206,
                       -13.862944564872768};
  const Doubles log_of_two = {-0.13118213223374552, -0.23500181462286777, -0.6931471805599453,
                              -2.8535551323744378, -6.3294869928911527};
  const Doubles root = {-1.7, -2.0929455026863576, -3.3919459354470951, -13.503579990312784,
                        -108.79999999999998};
  const Doubles square = {-0.5, -2.0, -50.0, -500000.0, -549755813888.0};
  const Doubles log_of_root = {-0.13118213223374552, -0.18740499224685365, -0.3929364462194593,
                               -1.4960809620777718, -3.5573034167596845};
  const Doubles log_of_square = {-1.8676408907357864, -3.7352817814715729, -9.0156183437004285,
                                 -24.66471900549096, -48.31235848502896};
  const auto joined = [](Doubles a, const Doubles& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  for (const std::size_t of : {0u, 1u}) {
    expect_near(entries("heads=1")[of], log);
    expect_near(entries("heads=2 r1=[1,0.5] r2=[1,0.3]")[of], joined(log, log_of_two));
    expect_near(entries("heads=2 kernel=power r1=[1.7,0.5] r2=[0.3,2]")[of], joined(root, square));
    expect_near(entries("heads=2 kernel=log_power r1=[0.5,1.7] r2=[0.3,2] exponent=[0.6,2]")[of],
                joined(log_of_root, log_of_square));
  }
}

// exp(-b / r1) - 1 is r2 D, and so proportional to D; of a power b(2 D) / b(D) is 2^r2.
TEST(Kerple, is_what_its_inverse_says) {
  const auto log = entries("heads=1 r1=[0.5] r2=[0.3]")[0],
             power = entries("heads=1 kernel=power r1=[3] r2=[0.7]")[0];
  for (std::size_t n = 0; n < distances.size(); ++n) {
    const auto d = static_cast<double>(distances[n]);
    EXPECT_NEAR(std::expm1(-log[n] / 0.5), 0.3 * d, 1e-14 * d);
    EXPECT_NEAR(std::exp(std::log(-power[n] / 3) / 0.7), d, 1e-14 * d);
  }
}

TEST(Kerple, takes_the_last_number_of_a_list_for_all_heads_after_it) {
  EXPECT_EQ(entries("heads=3 r1=[1,0.5] r2=[2] kernel=log_power exponent=[0.6,2]"),
            entries("heads=3 r1=[1,0.5,0.5] r2=[2,2,2] kernel=log_power exponent=[0.6,2,2]"));
  EXPECT_NE(entries("heads=2 r1=[1,0.5]"), entries("heads=2 r1=[0.5,1]"));
}

TEST(Kerple, counts_later_keys_only_where_it_is_symmetric) {
  const std::array<Position, 1> query = {3};
  const std::array<Position, 3> keys = {1, 3, 5};
  const double two = -std::log(3.0);
  for (const bool exact : {false, true}) {
    const auto bias = [&](std::string_view words) {
      const Parameters all = with(encodings::kerple, Case::parse(words));
      return as<Bias>(exact ? encodings::kerple.oracle(all) : encodings::kerple.make(all));
    };
    EXPECT_EQ(bias("heads=1").bias(query, keys).data, (Doubles{two, 0, 0}));
    EXPECT_EQ(bias("heads=1 form=symmetric").bias(query, keys).data, (Doubles{two, 0, two}));
    EXPECT_FALSE(std::signbit(bias("heads=1").bias(query, keys).data[1]));
    EXPECT_TRUE(bias("heads=1").causal);
    EXPECT_FALSE(bias("heads=1 form=symmetric").causal);
  }
}

// In units of f32, at distance 1000. Of every entry: r1 and the answer's product, 1 each. Of the power its
// library, 2, the exponent's 4 for each unit of r2 ln D, and what the distance loses, r2. Of a logarithm 2 of
// itself, 1 for the sum, and what its argument loses: 3, or 2 and what the power does.
TEST(Kerple, allows_what_its_roundings_lose) {
  const auto error = [](std::string_view words, double distance, const Precision& p) {
    const double query = distance, key = 0;
    const Bias bias = made<Bias>(encodings::kerple, words);
    const std::array<Position, 1> i = {static_cast<Position>(distance)}, j = {0};
    return bias.error(0, {&query, 1}, {&key, 1}, bias.bias(i, j).data[0], p);
  };
  const double u = unit_f32, ln = std::log(1000.0);
  const auto power = [ln](double r) { return 2 + 4 * r * ln + r; };
  EXPECT_NEAR(error("heads=1 kernel=power r1=[2] r2=[0.5]", 1000, all_f32),
              2 * std::sqrt(1000.0) * (power(0.5) + 2) * u, 1e-12);
  const double b = 2 * std::log1p(0.5 * 1000);
  EXPECT_NEAR(error("heads=1 r1=[2] r2=[0.5]", 1000, all_f32), (4 * b + 2 * (3 * 500. / 501 + 1)) * u, 1e-12);
  const double y = 0.5 * std::pow(1000, 0.25), c = 2 * std::log1p(y);
  EXPECT_NEAR(error("heads=1 kernel=log_power r1=[2] r2=[0.5] exponent=[0.25]", 1000, all_f32),
              (4 * c + 2 * (y / (1 + y) * (2 + power(0.25)) + 1)) * u, 1e-12);
  const Precision bf16{unit_f32, unit_bf16}, coarse = Precision::parse("bf16+table=bf16");
  EXPECT_NEAR(error("heads=1 kernel=power r1=[2] r2=[1]", 1, bf16), 2 * (2 + 1 + 2) * u + 2 * unit_bf16,
              1e-12);
  EXPECT_NEAR(error("heads=1 kernel=power r1=[2] r2=[1]", 1, coarse), 2 * (2 + 1 + 1 + 1) * unit_bf16, 1e-12);
  EXPECT_EQ(error("heads=1", 0, all_f32), 0);
}

TEST(Kerple, refuses_what_makes_no_sense) {
  const auto& spec = encodings::kerple;
  EXPECT_EQ(refused(spec, "heads=2 r1=[1,0]"),
            "`r1=[1,0] heads=2`; allowed: numbers above 0, one for each head at most");
  EXPECT_EQ(refused(spec, "heads=2 r2=[1,1,1]"),
            "`r2=[1,1,1] heads=2`; allowed: numbers above 0, one for each head at most");
  EXPECT_EQ(refused(spec, "r1=[]"), "`r1=[] heads=8`; allowed: numbers above 0, one for each head at most");
  EXPECT_EQ(refused(spec, "kernel=log_power exponent=[-1]"),
            "`exponent=[-1] heads=8 kernel=log_power`; allowed: numbers above 0, one for each head at most");
  EXPECT_EQ(
      refused(spec, "kernel=log_power exponent=[4.5]"),
      "`exponent=[4.5] kernel=log_power`; allowed: exponents up to 4: a distance of 2^20 to the power 4 is "
      "2^80, which f32 holds, times any r2 up to 2^47");
  EXPECT_EQ(
      refused(spec, "kernel=power r2=[2.5]"),
      "`r2=[2.5] kernel=power`; allowed: exponents up to 2: no larger one has a kernel that is conditionally "
      "positive definite");
  EXPECT_EQ(refused(spec, "kernel=log r2=[2.5]"), "not refused");
  EXPECT_EQ(refused(spec, "kernel=log exponent=[9]"), "not refused");
}

}  // namespace
}  // namespace posproof::kerple_test
