// Where the buckets of T5 begin, by logarithms of 256 bits: the oracle finds it with whole numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <random>

#include "catalogue/encodings/t5_bias.h"
#include "exact/real.h"

namespace posproof::t5_edges_test {
namespace {

// The buckets of one direction; the largest distance that is told apart.
struct BucketParameters {
  Position buckets, max_distance;

  Position exact() const { return buckets / 2; }
  Position logarithmic() const { return buckets - exact(); }
};

std::map<Position, Position> prime_factors(Position n) {
  std::map<Position, Position> powers;
  for (Position p = 2; p * p <= n; ++p)
    for (; n % p == 0; n /= p) ++powers[p];
  if (n > 1) ++powers[n];
  return powers;
}

// Whether (r / exact)^logarithmic = (max / exact)^k: then no digits tell on which side of the edge r is, and
// the exponents of every prime do.
bool lies_on_edge(const BucketParameters& setting, Position k, Position r) {
  auto of_r = prime_factors(r), of_exact = prime_factors(setting.exact()),
       of_max = prime_factors(setting.max_distance);
  auto primes = of_r;
  primes.merge(std::map(of_exact)), primes.merge(std::map(of_max));
  return std::all_of(primes.begin(), primes.end(), [&](const auto& prime) {
    const Position p = prime.first;
    return setting.logarithmic() * (of_r[p] - of_exact[p]) == k * (of_max[p] - of_exact[p]);
  });
}

// exact (max / exact)^(k / logarithmic), within 2^-200 of itself.
exact::Real edge(const BucketParameters& setting, Position k) {
  exact::Real power(256), exponent(256);
  mpfr_set_si(power.x, setting.max_distance, MPFR_RNDN);
  mpfr_div_si(power.x, power.x, setting.exact(), MPFR_RNDN);
  mpfr_log(exponent.x, power.x, MPFR_RNDN);
  mpfr_mul_si(exponent.x, exponent.x, k, MPFR_RNDN);
  mpfr_div_si(exponent.x, exponent.x, setting.logarithmic(), MPFR_RNDN);
  mpfr_exp(power.x, exponent.x, MPFR_RNDN);
  mpfr_mul_si(power.x, power.x, setting.exact(), MPFR_RNDN);
  return power;
}

// The smallest distance of every bucket that follows the ones of a single distance.
std::vector<Position> edges(const BucketParameters& setting) {
  std::vector<Position> found;
  for (Position k = 1; k < setting.logarithmic(); ++k) {
    const exact::Real at = edge(setting, k);
    exact::Real from_nearest(256);
    mpfr_rint_round(from_nearest.x, at.x, MPFR_RNDN);
    const Position nearest = mpfr_get_si(from_nearest.x, MPFR_RNDN);
    mpfr_sub(from_nearest.x, at.x, from_nearest.x, MPFR_RNDN);
    const bool on_edge = mpfr_cmp_abs(from_nearest.x, exact::Real(64, 0x1p-160).x) < 0;
    EXPECT_EQ(on_edge, lies_on_edge(setting, k, nearest)) << k;
    found.push_back(on_edge ? nearest : mpfr_get_si(at.x, MPFR_RNDU));
  }
  return found;
}

Position bucket(const BucketParameters& setting, const std::vector<Position>& begins, Position distance) {
  if (distance < setting.exact()) return distance;
  return setting.exact() + (std::upper_bound(begins.begin(), begins.end(), distance) - begins.begin());
}

Bias t5(const BucketParameters& setting) {
  return encodings::t5_bias.oracle<Bias>(
      Case::parse("direction=unidirectional heads=1 buckets=" + std::to_string(setting.buckets) +
                  " max_distance=" + std::to_string(setting.max_distance)));
}

// At each edge, on both sides of it, where the single distances end and where `max_distance` is. Answers how
// many edges are whole numbers.
int expect_edges(const BucketParameters& setting) {
  SCOPED_TRACE(::testing::Message() << setting.buckets << " buckets up to " << setting.max_distance);
  const std::vector<Position> begins = edges(setting);
  std::vector<Position> distances = {0, 1, setting.exact(), setting.max_distance, Position{1} << 40};
  distances.insert(distances.end(), begins.begin(), begins.end());
  const Bias bias = t5(setting);
  for (const Position middle : distances)
    for (const Position distance : {middle - 1, middle, middle + 1}) {
      if (distance < 0) continue;
      const std::array<Position, 1> query = {distance}, key = {0};
      EXPECT_EQ(bias.bias(query, key).data.at(0), bucket(setting, begins, distance))
          << "at distance " << distance;
    }
  int whole = 0;
  for (std::size_t k = 1; k <= begins.size(); ++k)
    whole += lies_on_edge(setting, static_cast<Position>(k), begins[k - 1]);
  return whole;
}

// Half of the buckets are a direction's where there are two: 32 buckets are settings of 16 and of 32.
TEST(T5Edges, are_those_of_the_logarithm_where_models_have_them) {
  EXPECT_EQ(expect_edges({16, 128}), 3);  // 16, 32, 64
  EXPECT_EQ(expect_edges({32, 128}), 0);
  EXPECT_EQ(expect_edges({32, 256}), 3);
  EXPECT_EQ(expect_edges({64, 256}), 0);
  for (const Position buckets : {8, 16, 24, 32, 64, 128})
    for (const Position max_distance : {100, 128, 256, 512, 1000, 1024, 2048, 4096, 10000, 65536, 1 << 20})
      if (max_distance > buckets / 2) expect_edges({buckets, max_distance});
}

TEST(T5Edges, are_those_of_the_logarithm_for_any_parameters) {
  std::mt19937_64 random(1);
  for (int n = 0; n < 300; ++n) {
    const auto buckets = std::uniform_int_distribution<Position>(2, 100)(random);
    const auto beyond = std::uniform_int_distribution<Position>(1, Position{1} << (1 + n % 30))(random);
    expect_edges({buckets, buckets / 2 + beyond});
  }
}

// Powers: the quotient of the logarithms is rational as often as it can be, and a logarithm in binary32 or
// binary64 falls on either side.
TEST(T5Edges, are_those_of_the_logarithm_where_they_are_whole) {
  EXPECT_EQ(expect_edges({32, 1 << 20}), 15);  // 32, 64, ..., 2^19
  EXPECT_EQ(expect_edges({20, Position{1} << 11}), 0);
  EXPECT_EQ(expect_edges({2, Position{1} << 31}), 0);
  EXPECT_EQ(expect_edges({20, 10 * 1024}), 9);
  EXPECT_EQ(expect_edges({18, 9 * 19683}), 8);  // 27, 81, ..., 3^10
  EXPECT_EQ(expect_edges({12, 6 * 15625}), 5);  // 30, 150, ...
  EXPECT_EQ(expect_edges({8, 4 * 2401}), 3);    // 28, 196, 1372
  EXPECT_EQ(expect_edges({7, 3 * 10000}), 3);   // 30, 300, 3000
}

// The most buckets and the largest distance that the oracle takes, and distances so close that several
// buckets begin at the same one and all but the last of these are empty.
TEST(T5Edges, are_those_of_the_logarithm_at_the_ends_of_what_is_allowed) {
  expect_edges({1024, Position{1} << 31});
  expect_edges({1024, 1 << 20});
  expect_edges({1024, 513});
  expect_edges({1023, 512});
  expect_edges({16, 9});
  expect_edges({3, 2});
  expect_edges({2, 2});
}

}  // namespace
}  // namespace posproof::t5_edges_test
