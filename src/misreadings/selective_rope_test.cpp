// The weights that a misread formula gives, beside the formula as the sentence says it.
#include "catalogue/misreadings/selective_rope.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <string>
#include <string_view>

#include "diagnosis/testing/misread.h"
#include "encodings/inside_attention.h"

namespace posproof::misreadings_selective_rope_test {
namespace {

constexpr std::size_t tokens = 3, dim = 4, half = 2;
using Angles = std::array<std::array<double, half>, tokens>;
using Rows = std::array<std::array<double, dim>, tokens>;

constexpr Rows q = {{{0.5, -1, 0.25, 2}, {1, 0.75, -0.5, 0.25}, {-0.25, 1.5, 1, -1}}},
               k = {{{1, 0.5, -0.75, 0.25}, {-0.5, 1, 0.5, 1.25}, {0.75, -0.25, 1, 0.5}}};

Tensor tensor(const Rows& rows) {
  Tensor out({tokens, dim});
  for (std::size_t t = 0; t < tokens; ++t) std::ranges::copy(rows[t], out.row(t).begin());
  return out;
}

// base = 100: the frequencies are 1 and 1/10.
constexpr std::array<double, half> frequencies = {1, 0.1};
const std::string setting = "dim=4 base=100 step=0.5";

double projected(const Rows& of, std::size_t t, std::size_t c) {
  static const Tensor p = inside::trained(half, dim, 1);
  return static_cast<double>(inside::dot(p.row(c), of[t]));
}
double gate(std::size_t t, const Rows& of = k) {
  static const Tensor w = inside::trained(1, dim, 2);
  return 1 / (1 + std::exp(-static_cast<double>(inside::dot(w.row(0), of[t]))));
}

template <class Increment>
Angles sums(const Increment& increment, bool of_itself = true) {
  Angles out{};
  for (std::size_t t = 0; t < tokens; ++t)
    for (std::size_t c = 0; c < half; ++c)
      for (std::size_t before = 0; before < t + (of_itself ? 1 : 0); ++before)
        out[t][c] += increment(before, c);
  return out;
}

double logit(const Angles& of_queries, const Angles& angles, std::size_t i, std::size_t j, double of_key) {
  double out = 0;
  for (std::size_t c = 0; c < half; ++c) {
    const std::complex<double> query(q[i][c], q[i][c + half]), key(k[j][c], k[j][c + half]);
    out += std::real(query * std::polar(1.0, of_queries[i][c]) *
                     std::conj(key * std::polar(1.0, of_key * angles[j][c])));
  }
  return out / 2;  // sqrt(dim)
}

double logit(const Angles& angles, std::size_t i, std::size_t j, double of_key) {
  return logit(angles, angles, i, j, of_key);
}

void expect_logits(std::string_view what, const std::string& words, const Angles& of_queries,
                   const Angles& angles, double of_key) {
  const auto& all = misreadings::selective_rope.misreadings;
  const auto one = std::ranges::find(all, what, &Misreading::what);
  ASSERT_NE(one, all.end()) << what;
  const auto made = as<Attention>(one->make(testing::parameters_of("selective_rope", words)));
  Tensor v({tokens, dim}), mask({tokens, tokens});
  for (std::size_t t = 0; t < tokens; ++t)
    for (std::size_t j = 0; j <= t; ++j) v.at(t, t) = mask.at(t, j) = 1;
  const Tensor weights = made.attend(tensor(q), tensor(k), v, mask);
  for (std::size_t i = 1; i < tokens; ++i)
    for (std::size_t j = 1; j <= i; ++j)
      EXPECT_NEAR(std::log(weights.at(i, j) / weights.at(i, 0)),
                  logit(of_queries, angles, i, j, of_key) - logit(of_queries, angles, i, 0, of_key), 1e-13)
          << what << " " << i << " " << j;
}
void expect_logits(std::string_view what, const std::string& words, const Angles& angles, double of_key = 1) {
  expect_logits(what, words, angles, angles, of_key);
}

TEST(MisreadSelectiveRope, rotates_by_what_the_sentence_says) {
  const auto increment = [](std::size_t t, std::size_t c) {
    return frequencies[c] * (projected(k, t, c) + 0.5);
  };
  expect_logits(
      "the increments are projected from the queries, not from the keys", setting,
      sums([](std::size_t t, std::size_t c) { return frequencies[c] * (projected(q, t, c) + 0.5); }));
  expect_logits(
      "the increments of queries are projected from the queries, those of keys from the keys", setting,
      sums([](std::size_t t, std::size_t c) { return frequencies[c] * (projected(q, t, c) + 0.5); }),
      sums(increment), 1);
  Angles own{};
  for (std::size_t t = 0; t < tokens; ++t)
    for (std::size_t c = 0; c < half; ++c) own[t][c] = increment(t, c);
  expect_logits("the increments are not added up: each token rotates by its own", setting, own);
  expect_logits("a token's own increment counts from the next token on", setting, sums(increment, false));
  expect_logits("the query's own increment is left out of its angle, and the key's is not", setting,
                sums(increment, false), sums(increment), 1);
  expect_logits("the key's own increment is left out of its angle, and the query's is not", setting,
                sums(increment), sums(increment, false), 1);
  expect_logits("the increments are not multiplied by the frequencies", setting,
                sums([](std::size_t t, std::size_t c) { return projected(k, t, c) + 0.5; }));
  const auto bent = [increment](double (*function)(double)) {
    return sums([=](std::size_t t, std::size_t c) {
      return frequencies[c] * function(increment(t, c) / frequencies[c]);
    });
  };
  expect_logits("the increments are limited: tanh(p.k + step)", setting,
                bent([](double x) { return std::tanh(x); }));
  expect_logits("the increments are positive: ln(1 + e^(p.k + step))", setting,
                bent([](double x) { return std::log(1 + std::exp(x)); }));
  expect_logits("the keys rotate the other way", setting, sums(increment), -1);
  expect_logits("the keys do not rotate", setting, sums(increment), 0);
}

// The third query does not see the second key, whose increment no angle of it has.
TEST(MisreadSelectiveRope, leaves_out_what_the_mask_hides) {
  const auto& all = misreadings::selective_rope.misreadings;
  const auto one = std::ranges::find(
      all, "the increments of keys that the mask hides are left out of the sum", &Misreading::what);
  ASSERT_NE(one, all.end());
  const auto made = as<Attention>(one->make(testing::parameters_of("selective_rope", setting)));
  Tensor v({tokens, dim});
  for (std::size_t t = 0; t < tokens; ++t) v.at(t, t) = 1;
  const Mask mask({tokens, tokens}, {1, 0, 0, 1, 1, 0, 1, 0, 1});
  const Tensor weights = made.attend(tensor(q), tensor(k), v, mask);
  const auto increment = [](std::size_t t, std::size_t c) {
    return frequencies[c] * (projected(k, t, c) + 0.5);
  };
  const Angles seen = sums([=](std::size_t t, std::size_t c) { return t == 1 ? 0 : increment(t, c); });
  EXPECT_NEAR(std::log(weights.at(2, 2) / weights.at(2, 0)), logit(seen, 2, 2, 1) - logit(seen, 2, 0, 1),
              1e-13);
  EXPECT_EQ(weights.at(2, 1), 0);
  const Angles both = sums(increment);
  EXPECT_NEAR(std::log(weights.at(1, 1) / weights.at(1, 0)), logit(both, 1, 1, 1) - logit(both, 1, 0, 1),
              1e-13);
}

TEST(MisreadSelectiveRope, is_gated_as_the_sentence_says) {
  const std::string gated = setting + " gate=sigmoid";
  Angles after =
      sums([](std::size_t t, std::size_t c) { return frequencies[c] * (projected(k, t, c) + 0.5); });
  for (std::size_t t = 0; t < tokens; ++t)
    for (double& angle : after[t]) angle *= gate(t);
  expect_logits("the gate multiplies the sum of the increments, not each of them", gated, after);
  expect_logits("the gate is that of the query at the same place, not of the key", gated,
                sums([](std::size_t t, std::size_t c) {
                  return frequencies[c] * gate(t, q) * (projected(k, t, c) + 0.5);
                }));
  expect_logits("the gate does not multiply the step", gated, sums([](std::size_t t, std::size_t c) {
                  return frequencies[c] * (gate(t) * projected(k, t, c) + 0.5);
                }));
  expect_logits("the increments are not multiplied by the frequencies", gated,
                sums([](std::size_t t, std::size_t c) { return gate(t) * (projected(k, t, c) + 0.5); }));
}

TEST(MisreadSelectiveRope, is_none_without_a_gate) {
  for (const Misreading& one : misreadings::selective_rope.misreadings)
    if (one.what.starts_with("the gate"))
      EXPECT_THROW(one.make(testing::parameters_of("selective_rope", "dim=4")), Refusal) << one.what;
    else
      EXPECT_NO_THROW(one.make(testing::parameters_of("selective_rope", "dim=4"))) << one.what;
}

}  // namespace
}  // namespace posproof::misreadings_selective_rope_test
