#include "diagnosis/logit_deviations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "attention/reference_attention.h"
#include "diagnosis/call_deviations.h"
#include "run/catalogued.h"

namespace posproof::logit_deviations_test {
namespace {

// Logits of three queries far from the first token, where an angle and not the result decides what rounding
// may do.
struct Logits {
  Encoding declared;
  Call call;
  Tensor exact, error;
};

Logits logits(std::string_view family, std::string_view words, Position first) {
  for (const Encoding& kind : attention::in_every_kind(encoding_named(family).oracle(Case::parse(words)))) {
    if (!std::holds_alternative<Contextual>(kind) && !std::holds_alternative<Bias>(kind)) continue;
    Logits out{kind, sequence(kind, {first, first + 1, first + 2, first + 3}), {}, {}};
    for (Tensor& content : out.call.contents)
      for (std::size_t n = 0; n < content.data.size(); ++n)
        content.data[n] = 1 + 0.25 * static_cast<double>(n * n % 7);
    out.exact = answer(kind, out.call);
    out.error = model_of(kind, all_f32).error(out.call, out.exact, farthest(out.call));
    return out;
  }
  throw std::logic_error("no logits");
}

std::string said(const Logits& of, const Tensor& given) {
  return logit_deviation(of.declared, all_f32, {{{}, of.call, given}}).value_or("nothing");
}

// Of each query that sees three keys the logit of the third is off by so many times what the first, itself
// and two roundings allow.
Tensor with_a_constant(const Logits& of, double off) {
  Tensor given = of.exact;
  for (std::size_t r = 0; r < given.rows(); ++r) {
    for (double& logit : given.row(r)) logit += 0.5;
    const double roundings = std::abs(given.at(r, 2)) + std::abs(given.at(r, 0));
    given.at(r, 2) += off * (of.error.at(r, 2) + of.error.at(r, 0) + all_f32.result * roundings);
  }
  return given;
}

TEST(LogitDeviations, a_constant_is_one_up_to_the_rounding_of_two_logits) {
  const Logits far = logits("rope", "dim=8", 100000);
  for (std::size_t r = 0; r < far.exact.rows(); ++r) {  // each of the two counts
    EXPECT_GT(far.error.at(r, 2), 0.5 * far.error.at(r, 0));
    EXPECT_GT(far.error.at(r, 0), 0.5 * far.error.at(r, 2));
  }
  for (const Logits& one : {far, logits("alibi", "heads=4", 0)}) {
    for (const double off : {-0.99, 0.0, 0.99})
      EXPECT_EQ(said(one, with_a_constant(one, off)),
                "each query's logits have a constant more or less: equal after a softmax")
          << off;
    for (const double off : {-1.01, 1.01}) EXPECT_EQ(said(one, with_a_constant(one, off)), "nothing") << off;
  }
}

// In few digits a row may be off by several numbers that rounding would allow around one of them.
TEST(LogitDeviations, a_constant_is_more_than_the_rounding_about_it) {
  const Logits one = logits("alibi", "heads=4", 0);
  const auto off_by = [&](const std::vector<double>& bounds) {
    Tensor given = one.exact;
    for (std::size_t r = 0; r < given.rows(); ++r)
      for (std::size_t j = 0; j < given.width(); ++j)
        given.at(r, j) += bounds[j % bounds.size()] * one.error.at(r, j);
    return said(one, given);
  };
  EXPECT_EQ(off_by({0.9, 1.2, 1.1}),
            "each query's logits have a constant more or less: equal after a softmax");
  EXPECT_EQ(off_by({0.9, -1.1, 1.2}), "nothing");
}

TEST(LogitDeviations, are_one_factor_of_all) {
  const Logits rope = logits("rope", "dim=8", 100);
  const auto times = [&](double factor) {
    Tensor given = rope.exact;
    for (double& logit : given.data) logit *= factor;
    return said(rope, given);
  };
  EXPECT_EQ(times(-1), "every logit is the declared one with the other sign");
  EXPECT_EQ(times(1.4426950408889634),
            "every logit is log2(e) times the declared one, as a softmax of powers of 2 takes it");
  EXPECT_EQ(times(std::sqrt(8)), "every logit is sqrt(8) times the declared one: not divided by sqrt(8)");
  EXPECT_EQ(times(1 / std::sqrt(8)), "every logit is the declared one divided by sqrt(8) again");
  EXPECT_EQ(times(0.125), "every logit is the declared one divided by 8");
  EXPECT_EQ(times(3), "every logit is 3 times the declared one");
}

TEST(LogitDeviations, are_limits_of_all) {
  const Logits rope = logits("rope", "dim=8", 100);
  const auto limited = [&](const auto& other) {
    Tensor given = rope.exact;
    for (double& logit : given.data) logit = other(logit);
    return said(rope, given);
  };
  double most = 0;
  for (const double logit : rope.exact.data) most = std::max(most, std::abs(logit));
  ASSERT_GT(most, 3);
  EXPECT_EQ(limited([](double x) { return 5 * std::tanh(x / 5); }), "logits are capped: 5 tanh(x/5)");
  EXPECT_EQ(limited([](double x) { return 2.5 * std::tanh(x / 2.5); }), "logits are capped: 2.5 tanh(x/2.5)");
  EXPECT_EQ(limited([](double x) { return std::clamp(x, -1.5, 1.5); }),
            "logits past 1.5 and -1.5 count as these");
  EXPECT_EQ(limited([](double x) { return 5 * std::atan(x / 5); }), "nothing");
}

// The query's own key is the last that it sees.
TEST(LogitDeviations, of_a_causal_bias_are_those_of_the_keys_up_to_the_query) {
  const Logits alibi = logits("alibi", "heads=4", 0);
  const auto with = [&](bool own, bool later) {
    Tensor given = with_a_constant(alibi, 0);
    for (std::size_t r = 0; r < given.rows(); ++r)
      for (std::size_t j = r % 4; j < 4; ++j)
        if (j == r % 4 ? own : later) given.at(r, j) = 99;
    return said(alibi, given);
  };
  EXPECT_NE(with(false, true), "nothing");
  EXPECT_EQ(with(true, false), "nothing");
}

}  // namespace
}  // namespace posproof::logit_deviations_test
