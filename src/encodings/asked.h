#pragma once

#include <array>
#include <cmath>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/call.h"
#include "core/spec.h"

// For the tests of what acts inside attention: one call of a spec's reference and of its oracle.
namespace posproof::asked {

using Numbers = std::vector<double>;
using Places = std::vector<std::pair<Position, Position>>;

inline const Numbers q4 = {1, -0.5, 2, 0.25}, k4 = {0.5, 1.5, -1, 2};

// The logit of one query at i and one key at j.
inline double logit(const Encoding& encoding, const Numbers& q, const Numbers& k, Position i, Position j,
                    std::size_t head = 0) {
  const std::array<Position, 1> query = {i}, key = {j};
  return as<Contextual>(encoding)
      .logits(Tensor({1, q.size()}, q), Tensor({1, k.size()}, k), query, key)
      .data.at(head);
}
inline double logit(const EncodingSpec& spec, std::string_view words, const Numbers& q, const Numbers& k,
                    Position i, Position j, std::size_t head = 0) {
  return logit(spec.make(Case::parse(words)), q, k, i, j, head);
}

// Both have these logits for q4 and k4.
inline void expect_logits(const EncodingSpec& spec, std::string_view words, const Places& places,
                          const Numbers& golden, std::size_t head = 0) {
  const Encoding reference = spec.make(Case::parse(words)), oracle = spec.oracle(Case::parse(words));
  for (std::size_t n = 0; n < places.size(); ++n) {
    const auto [i, j] = places[n];
    EXPECT_NEAR(logit(reference, q4, k4, i, j, head), golden.at(n), 3e-15) << words << " " << i << " " << j;
    EXPECT_NEAR(logit(oracle, q4, k4, i, j, head), golden.at(n), 3e-15) << words << " " << i << " " << j;
  }
}

inline Mask causal(std::size_t n) {
  Mask mask({n, n});
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) mask.at(i, j) = 1;
  return mask;
}

// Three tokens of width 2.
inline const Tensor q3({3, 2}, {1, 0, 0.5, -1, 2, 1}), k3({3, 2}, {0.5, 1, -1, 0.25, 1, 1}),
    v3({3, 2}, {1, 0, 0, 1, -1, 2});

inline Numbers answers(const Encoding& encoding, const Tensor& q = q3, const Tensor& k = k3,
                       const Tensor& v = v3) {
  return as<Attention>(encoding).attend(q, k, v, causal(q.rows())).data;
}
inline Numbers answers(const EncodingSpec& spec, std::string_view words, const Tensor& q = q3,
                       const Tensor& k = k3, const Tensor& v = v3) {
  return answers(spec.make(Case::parse(words)), q, k, v);
}

inline void expect_near(const Numbers& there, const Numbers& here, double most, std::string_view what) {
  ASSERT_EQ(there.size(), here.size()) << what;
  for (std::size_t n = 0; n < here.size(); ++n) EXPECT_NEAR(there[n], here[n], most) << what << " " << n;
}

// Both give these answers under the causal mask.
inline void expect_answers(const EncodingSpec& spec, std::string_view words, const Numbers& golden) {
  expect_near(answers(spec.make(Case::parse(words))), golden, 3e-15, words);
  expect_near(answers(spec.oracle(Case::parse(words))), golden, 3e-15, words);
}

// Where a step costs more than a weight can show, a query of zeros finds the last key that its mask shows.
inline void expect_nearest_alone(const EncodingSpec& spec, std::string_view words, const Tensor& k) {
  const Mask hidden({3, 3}, {1, 0, 0, 1, 0, 0, 1, 1, 0});
  const Tensor q({3, 2});
  for (const Encoding& encoding : {spec.make(Case::parse(words)), spec.oracle(Case::parse(words))}) {
    const auto& made = as<Attention>(encoding);
    EXPECT_EQ(made.attend(q, k, v3, hidden).data, (Numbers{1, 0, 1, 0, 0, 1})) << words << " " << k.data[0];
    EXPECT_TRUE(std::isfinite(largest_error(made, q, k, v3, hidden, all_f32))) << words;
  }
}

// What both say to a call of other shapes, and a word of the refusal.
template <class Call>
std::string message(Call call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace posproof::asked
