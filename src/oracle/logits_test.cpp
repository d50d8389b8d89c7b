// What acts on the logit: ALiBi and T5 against their golden numbers and a second derivation, and no code at
// all.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "catalogue/encodings/alibi.h"
#include "catalogue/encodings/none.h"
#include "catalogue/encodings/pope.h"
#include "catalogue/encodings/t5_bias.h"
#include "catalogue/encodings/transformer_xl.h"
#include "core/hard.h"
#include "exact/by_integers.h"
#include "exact/numbers.h"

namespace posproof::logits_test {
namespace {

const std::vector<double> origin = {0};

Bias alibi(std::string_view words) {
  return encodings::alibi.oracle<Bias>(Case::parse(words));
}
Bias t5(std::string_view words) {
  return encodings::t5_bias.oracle<Bias>(Case::parse(words));
}
Contextual none(std::string_view words) {
  return encodings::none.oracle<Contextual>(Case::parse(words));
}

double at(const Bias& bias, Position i, Position j, std::size_t head = 0) {
  const std::array<Position, 1> query = {i}, key = {j};
  return bias.bias(query, key).data.at(head);
}

bool is_refused(const EncodingSpec& spec, std::string_view words) {
  try {
    spec.oracle(Case::parse(words));
    return false;
  } catch (const Refusal&) {
    return true;
  }
}

TEST(OracleAlibi, has_the_known_slopes) {
  const auto logarithms = [](std::string_view words) {
    std::vector<double> exponents;
    for (const double slope : alibi(words).slopes)
      exponents.push_back(std::round(-std::log2(slope) * 0x1p40) / 0x1p40);
    return exponents;
  };
  EXPECT_EQ(logarithms("heads=8"), (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(logarithms("heads=16"),
            (std::vector<double>{.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5, 7, 7.5, 8}));
  EXPECT_EQ(logarithms("heads=12"), (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, .5, 1.5, 2.5, 3.5}));
  EXPECT_EQ(logarithms("heads=6"), (std::vector<double>{2, 4, 6, 8, 1, 3}));
  EXPECT_EQ(logarithms("heads=1"), (std::vector<double>{8}));
  EXPECT_EQ(logarithms("heads=3"), (std::vector<double>{4, 8, 2}));
  EXPECT_EQ(logarithms("heads=4 max_bias=4"), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(alibi("heads=6 rule=geometric").slopes.at(2), 0x1p-4);
}

// A slope is the root of a power of two, and a bias is that root times a whole number, rounded once.
TEST(OracleAlibi, has_the_slopes_and_biases_of_the_second_derivation) {
  const Position distances[] = {1, 3, 1000, 1048575, (Position{1} << 40) - 1};
  const Bias geometric = alibi("heads=12 rule=geometric"), more = alibi("heads=112 max_bias=16");
  for (unsigned h = 1; h <= 12; ++h) {
    const auto slope = by_integers::power(256, h, 12);
    ASSERT_TRUE(slope.is_root());
    EXPECT_EQ(nearest(slope.known()), geometric.slopes[h - 1]);
    for (const Position t : distances)
      EXPECT_EQ(nearest(by_integers::Known{-t * slope.cut, t}), at(geometric, t, 0, h - 1)) << h << " " << t;
  }
  for (unsigned h = 1; h <= 112; ++h) {
    const auto slope =
        h <= 64 ? by_integers::power(65536, h, 64) : by_integers::power(65536, 2 * (h - 64) - 1, 128);
    EXPECT_EQ(nearest(slope.known()), more.slopes[h - 1]) << h;
  }
}

TEST(OracleAlibi, has_no_slope_past_the_heads_that_are_biased) {
  for (const std::string rule : {"official", "geometric", "log_linear"}) {
    const Bias two = alibi("heads=4 biased_heads=2 rule=" + rule);
    for (std::size_t h = 0; h < 4; ++h) EXPECT_EQ(at(two, 5, 3, h) != 0, h < 2) << rule << " " << h;
  }
}

TEST(OracleAlibi, has_the_forms_that_were_asked_for) {
  EXPECT_EQ(at(alibi(""), 5, 3), -1);
  EXPECT_EQ(at(alibi(""), 3, 5), 0);
  EXPECT_EQ(at(alibi("form=symmetric"), 3, 5), -1);
  EXPECT_EQ(at(alibi("form=symmetric"), 5, 3), -1);
  EXPECT_EQ(at(alibi("rows=key_index"), 5, 3), 1.5);
  EXPECT_EQ(at(alibi("heads=2"), 5, 3, 1), -2.0 / 256);
  EXPECT_TRUE(alibi("").causal);
  EXPECT_FALSE(alibi("form=symmetric").causal);
  EXPECT_TRUE(is_refused(encodings::alibi, "form=symmetric rows=key_index"));
  EXPECT_TRUE(is_refused(encodings::alibi, "max_bias=0"));

  const std::array<Position, 2> queries = {7, 9};
  const std::array<Position, 3> keys = {0, 4, 6};
  const Tensor bias = alibi("heads=2").bias(queries, keys);
  EXPECT_EQ(bias.shape, (Shape{2, 2, 3}));
  for (std::size_t h = 0; h < 2; ++h)
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        EXPECT_EQ(bias.data[(h * 2 + i) * 3 + j], at(alibi("heads=2"), queries[i], keys[j], h));
}

// Distances at which the bucket differs from that of the distance before, beyond the ones with a bucket each.
std::vector<Position> edges(const Bias& bias, Position beyond) {
  std::vector<Position> found;
  for (Position t = beyond; t < 2 * static_cast<Position>(bias.buckets->max_distance); ++t)
    if (at(bias, t, 0) != at(bias, t - 1, 0)) found.push_back(t);
  return found;
}

TEST(OracleT5, has_the_known_edges) {
  EXPECT_EQ(edges(t5(""), 8), (std::vector<Position>{8, 12, 16, 23, 32, 46, 64, 91}));
  EXPECT_EQ(edges(t5("direction=unidirectional"), 16),
            (std::vector<Position>{16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113}));
  EXPECT_EQ(at(t5(""), 91, 0), 15);
  EXPECT_EQ(at(t5(""), 0, 91), 31);
  EXPECT_EQ(at(t5(""), 1000000, 0), 15);
  EXPECT_EQ(at(t5("direction=unidirectional"), 1000000, 0), 31);
}

TEST(OracleT5, has_the_direction_that_was_asked_for) {
  EXPECT_EQ(at(t5(""), 5, 2), 3);
  EXPECT_EQ(at(t5(""), 2, 5), 19);
  EXPECT_EQ(at(t5(""), 2, 2), 0);
  EXPECT_EQ(at(t5("relative=query_minus_key"), 5, 2), 19);
  EXPECT_EQ(at(t5("direction=unidirectional"), 5, 2), 3);
  EXPECT_EQ(at(t5("direction=unidirectional"), 2, 5), 0);
  EXPECT_EQ(at(t5("direction=unidirectional relative=query_minus_key"), 2, 5), 3);
  EXPECT_EQ(at(t5("heads=3"), 5, 2, 2), 3 + 2 * 32);
  EXPECT_EQ(at(t5("heads=3 table=seeded table_seed=5"), 5, 2, 2), exact::seeded(1, 5, 3 * 3 + 2));
  EXPECT_TRUE(t5("direction=unidirectional").causal);
  EXPECT_FALSE(t5("").causal);
  for (const char* words : {"buckets=31", "buckets=2", "max_distance=8", "buckets=1", "table=random"})
    EXPECT_TRUE(is_refused(encodings::t5_bias, words)) << words;
}

// The paper's formula with a hundred digits. An edge is a whole number only where the logarithms' quotient is
// rational, and then it is far closer to a whole number than a hundred digits can miss.
TEST(OracleT5, has_the_buckets_of_the_second_derivation) {
  using Real = boost_numbers::Wide;
  struct {
    const char* words;
    int per_direction, max_distance;
  } const settings[] = {{"", 16, 128},
                        {"direction=unidirectional", 32, 128},
                        {"buckets=8 max_distance=20", 4, 20},
                        {"buckets=64 max_distance=512", 32, 512},
                        {"buckets=10 max_distance=16", 5, 16},
                        {"buckets=32 max_distance=9", 16, 9},
                        {"buckets=7 max_distance=81 direction=unidirectional", 7, 81}};
  for (const auto& [words, per_direction, max_distance] : settings) {
    const Bias bias = t5(words);
    const int exact = per_direction / 2;
    for (int t = 0; t <= 2 * max_distance; ++t) {
      int bucket = t;
      if (t >= exact) {
        const Real scaled = log(Real(t) / exact) / log(Real(max_distance) / exact) * (per_direction - exact);
        bucket =
            std::min(per_direction - 1, exact + static_cast<int>(floor(scaled + Real("1e-80")).nearest()));
      }
      EXPECT_EQ(at(bias, t, 0), bucket) << words << " at distance " << t;
    }
  }
}

TEST(OracleNone, gives_the_dot_product_with_one_rounding) {
  const auto logit = [](std::string_view words, std::vector<double> q, std::vector<double> k) {
    const std::array<Position, 1> here = {0}, far = {1000};
    const std::size_t dim = q.size();
    return none(words)
        .logits(Tensor({1, dim}, std::move(q)), Tensor({1, dim}, std::move(k)), here, far)
        .data.at(0);
  };
  EXPECT_EQ(logit("dim=3 scale=one", {1e16, 1, -1e16}, {1, 1, 1}), 1);
  EXPECT_EQ(logit("dim=3 scale=one", {1e308, 0x1p-1000, -1e308}, {1, 1, 1}), 0x1p-1000);
  // (1 + e)^2 - (1 + 2e) is e^2: every bit of a product counts.
  EXPECT_EQ(logit("dim=2 scale=one", {1 + 0x1p-52, -1}, {1 + 0x1p-52, 1 + 0x1p-51}), 0x1p-104);
  EXPECT_EQ(logit("dim=4", {1, 2, 3, 4}, {1, 1, 1, -1}), 1);
  // 1/sqrt(3) is the root of 1/3.
  EXPECT_EQ(nearest(by_integers::power(3, 1, 2).known()), logit("dim=3", {1, 0, 0}, {1, 1, 1}));
  EXPECT_EQ(nearest(by_integers::Known{7 * by_integers::power(2, 1, 2).cut, 7}),
            logit("dim=2", {3, 4}, {1, 1}));

  const std::array<Position, 2> queries = {0, 1};
  const std::array<Position, 1> keys = {5};
  const Tensor both =
      none("dim=1 scale=one").logits(Tensor({2, 1}, {2, 3}), Tensor({1, 1}, {5}), queries, keys);
  EXPECT_EQ(both.shape, (Shape{1, 2, 1}));
  EXPECT_EQ(both.data, (std::vector<double>{10, 15}));
}

// Of either operand, its tokens and its width.
TEST(OracleNone, refuses_contents_of_another_shape) {
  const std::array<Position, 2> queries = {0, 1};
  const std::array<Position, 3> keys = {5, 6, 7};
  const auto said = [&](const Shape& q, const Shape& k) {
    try {
      none("dim=2").logits(Tensor(q), Tensor(k), queries, keys);
      return std::string("nothing");
    } catch (const Refusal& refusal) {
      return std::string(refusal.what());
    }
  };
  EXPECT_EQ(said({2, 2}, {3, 2}), "nothing");
  const std::string asked = "none: q is [2, 2] and k is [3, 2], ";
  EXPECT_EQ(said({2, 3}, {3, 2}), asked + "[2, 3] and [3, 2] came");
  EXPECT_EQ(said({3, 2}, {3, 2}), asked + "[3, 2] and [3, 2] came");
  EXPECT_EQ(said({2, 2}, {3, 1}), asked + "[2, 2] and [3, 1] came");
  EXPECT_EQ(said({2, 2}, {2, 2}), asked + "[2, 2] and [2, 2] came");
}

// An honest float implementation stays within the bound, and comes near enough to it that the bound means
// something.
TEST(OracleNone, allows_what_rounding_does_and_not_much_more) {
  std::mt19937_64 random(1);
  double most = 0;
  for (int n = 0; n < 20000; ++n) {
    const std::size_t dim = static_cast<std::size_t>(1 + n % 8);
    const Contextual oracle = none("dim=" + std::to_string(dim));
    Tensor q({1, dim}), k({1, dim});
    float sum = 0;
    for (std::size_t c = 0; c < dim; ++c) {
      q.data[c] = static_cast<float>(random() >> 40), k.data[c] = static_cast<float>(random() >> 40);
      sum += static_cast<float>(q.data[c]) * static_cast<float>(k.data[c]);
    }
    const float root = std::sqrt(static_cast<float>(dim));
    const float there = sum * (1 / root);
    const std::array<Position, 1> here = {0};
    const double error = std::abs(there - oracle.logits(q, k, here, here).data[0]);
    const double allowed = oracle.error(q.data, k.data, origin, origin, all_f32);
    ASSERT_LE(error, allowed);
    most = std::max(most, error / allowed);
  }
  EXPECT_GT(most, 0.4);
  EXPECT_LT(most, 1);
}

TEST(OracleNone, counts_every_rounding_where_there_are_many) {
  const Contextual oracle = none("dim=128 scale=one");
  const std::vector<double> ones(128, 1.0);
  const double bf16 = oracle.error(ones, ones, origin, origin, Precision::parse("bf16"));
  EXPECT_GT(bf16, 128 * 131 * unit_bf16);  // more than to first order: 131 roundings of 2^-8 compound
  // The power is within 2 units of itself, there and here; 1 comes off, and 128 of them are added.
  const auto compounded = [](double unit) { return 128 * (std::pow(1 + unit, 131) - 1); };
  EXPECT_NEAR(bf16, compounded(unit_bf16), 128 * 2 * 2 * 1.7 * unit_f64 + 128 * unit_f64 * bf16);
  EXPECT_NEAR(oracle.error(ones, ones, origin, origin, all_f32), compounded(unit_f32),
              128 * 2 * 2 * 1.1 * unit_f64);
  // In f16 half of the smallest number for each of 131 roundings and for each of 128 scaled entries; of
  // nothing, nothing.
  const std::vector<double> small(128, 0x1p-24), none_at_all(128, 0.0);
  const Precision f16 = Precision::parse("f16");
  const double below = oracle.error(ones, small, origin, origin, f16), least = 0x1p-25 * (131 + 128);
  EXPECT_NEAR(below, least + 0x1p-24 * 128 * (std::pow(1 + unit_f16, 131) - 1), 1e3 * unit_f64 * least);
  EXPECT_EQ(oracle.error(small, ones, origin, origin, f16), below);
  EXPECT_EQ(oracle.error(ones, none_at_all, origin, origin, f16), 0);
}

// What is kept of an offset, or of a position, is of one precision.
TEST(OracleOfAnOffset, has_the_bound_of_the_precision_that_is_asked) {
  const std::vector<double> q = {1, -0.5, 0.25, 2}, k = {0.5, 1, -1, 0.75}, i = {300}, j = {7};
  const Precision bf16 = Precision::parse("bf16");
  for (const EncodingSpec* spec : {&encodings::transformer_xl, &encodings::pope}) {
    const auto bound = [&](const Contextual& of, const Precision& p) { return of.error(q, k, i, j, p); };
    const auto anew = [&](const Precision& p) {
      return bound(spec->oracle<Contextual>(Case::parse("dim=4")), p);
    };
    const auto kept = spec->oracle<Contextual>(Case::parse("dim=4"));
    EXPECT_GT(anew(bf16), 10 * anew(all_f32));
    for (int twice = 0; twice < 2; ++twice) {
      EXPECT_EQ(bound(kept, all_f32), anew(all_f32));
      EXPECT_EQ(bound(kept, bf16), anew(bf16));
    }
  }
}

}  // namespace
}  // namespace posproof::logits_test
