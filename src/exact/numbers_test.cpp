#include "exact/numbers.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <set>
#include <vector>

namespace posproof::numbers_test {

using namespace posproof::exact;

namespace {

// Equal bit for bit: also the sign of a zero.
void expect_same(const std::vector<double>& a, const std::vector<double>& b, std::size_t root) {
  const double found = dot(a, b, root), full = dot_in_full(a, b, root);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(found), std::bit_cast<std::uint64_t>(full))
      << found << " and " << full << " over the root of " << root;
}

}  // namespace

TEST(DotProduct, of_few_bits_and_of_all_is_the_same_as_in_full) {
  std::mt19937_64 random(1);
  const auto number = [&](int bits, int exponents) {
    const auto digits =
        static_cast<double>(static_cast<std::int64_t>(random() % (2ull << bits)) - (1ll << bits));
    return std::ldexp(digits, static_cast<int>(random() % static_cast<unsigned>(exponents + 1)) - bits);
  };
  for (const int bits : {4, 8, 20, 26, 27, 52})
    for (const int exponents : {0, 3, 30})
      for (int n = 0; n < 60; ++n) {
        std::vector<double> a(1 + random() % 9), b(a.size());
        for (double& x : a) x = number(bits, exponents);
        for (double& x : b) x = number(bits, exponents);
        for (const std::size_t root : {1, 2, 4, 16, 20, 64, 128}) expect_same(a, b, root);
      }
}

TEST(DotProduct, of_terms_that_cancel_or_leave_the_range_is_that_in_full) {
  expect_same({1, 0x1p53, 1}, {1, 1, 1}, 1);          // 2^53 + 2, and no double in between
  expect_same({0x1p100, 1, -0x1p100}, {1, 1, 1}, 2);  // 1 is lost in double
  expect_same({0x1p600, -0x1p600}, {0x1p600, 0x1p600}, 1);
  expect_same({0x1p-600, 1}, {0x1p-600, 0}, 1);
  expect_same({0x1p-537, 0x1p-537}, {0x1p-537, 0x1p-537}, 4);
  expect_same({0x1.8p-1070, 3}, {1, 0}, 2);
  expect_same({0.1, 0.1, 0.1}, {0.1, -0.1, 0.1}, 3);
  expect_same({-1, 1}, {0, 0}, 2);
  expect_same({}, {}, 3);
}

// Next to the middle of two doubles 64 bits do not decide.
TEST(DotProduct, over_a_root_is_rounded_once_next_to_a_middle) {
  std::mt19937_64 random(2);
  int near = 0;
  for (int n = 0; n < 200000 && near < 60; ++n) {
    const auto x = static_cast<double>(random() >> 12);
    const long double q = static_cast<long double>(x) / std::sqrt(2.0L), half = q - static_cast<double>(q);
    int exponent = 0;
    std::frexp(static_cast<double>(q), &exponent);
    if (std::abs(std::abs(std::ldexp(half, 53 - exponent)) - 0.5L) > 0x1p-9L) continue;
    ++near;
    expect_same({x}, {1}, 2);
  }
  EXPECT_GE(near, 60);
}

TEST(Seeded, numbers_are_uniform_with_that_deviation_and_the_same_for_ever) {
  EXPECT_EQ(seeded(1, 0, 0), seeded(1, 0, 0));
  EXPECT_NE(seeded(1, 0, 0), seeded(1, 0, 1));
  EXPECT_NE(seeded(1, 0, 0), seeded(1, 1, 0));
  EXPECT_EQ(seeded(2, 3, 4), 2 * seeded(1, 3, 4));
  double squares = 0, sum = 0, most = 0;
  for (std::uint64_t n = 0; n < 20000; ++n) {
    const double x = seeded(0.5, 7, n);
    squares += x * x, sum += x, most = std::max(most, std::abs(x));
  }
  EXPECT_NEAR(std::sqrt(squares / 20000), 0.5, 0.005);
  EXPECT_NEAR(sum / 20000, 0, 0.015);
  EXPECT_LT(most, 0.5 * std::sqrt(3.0));
  EXPECT_GT(most, 0.499 * std::sqrt(3.0));
}

// In any order: those before are not taken for another.
TEST(Seeded, a_number_does_not_depend_on_those_before) {
  std::vector<double> numbers;
  for (const double deviation : {1.0, 0.5})
    for (const std::int64_t seed : {0, 1})
      for (std::uint64_t at = 0; at < 4; ++at) numbers.push_back(seeded(deviation, seed, (at << 13) + 5));
  EXPECT_EQ(std::set<double>(numbers.begin(), numbers.end()).size(), numbers.size());
  auto before = numbers.begin();
  for (const double deviation : {1.0, 0.5})
    for (const std::int64_t seed : {0, 1})
      for (std::uint64_t at = 0; at < 4; ++at) {
        seeded(0.25, 1 - seed, (at << 13) + 5);
        EXPECT_EQ(seeded(deviation, seed, (at << 13) + 5), *before++) << deviation << seed << at;
      }
}

}  // namespace posproof::numbers_test
