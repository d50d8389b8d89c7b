#include "run/long_calls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "attention/reference_attention.h"
#include "attention/to_logits.h"
#include "catalogue/encodings/alibi.h"
#include "catalogue/encodings/forgetting_transformer.h"
#include "catalogue/encodings/none.h"
#include "catalogue/encodings/rope.h"
#include "catalogue/encodings/shaw.h"
#include "catalogue/encodings/shaw_values.h"
#include "core/call.h"
#include "core/formats.h"
#include "core/spec.h"
#include "run/long_cases.h"
#include "run/testing/long_calls.h"

namespace posproof::long_calls_of_operators_test {
namespace {

using long_calls_testing::asked;
using long_calls_testing::operator_of_rope;
using long_calls_testing::truth_of;

TEST(LongCalls, of_the_whole_operator_are_of_two_tokens_and_of_65_to_577) {
  const auto calls = asked(operator_of_rope());
  ASSERT_EQ(calls.size(), 14u);
  EXPECT_EQ(calls[0].contents.at(0).shape, (Shape{2, 4}));
  EXPECT_EQ(calls[0].mask.at(0, 1), 0);
  EXPECT_EQ(calls[1].contents.at(0).shape, (Shape{257, 4}));
  double logit = 0;
  for (std::size_t c = 0; c < 4; ++c)
    logit += calls[1].contents.at(0).at(0, c) * calls[1].contents.at(1).at(0, c) / std::sqrt(4);
  EXPECT_GE(logit, 1);
  EXPECT_LT(logit, 2);
  EXPECT_EQ(calls[1].contents.at(1).at(0, 0), to_f32(4.0 / 3));
  EXPECT_EQ(calls[1].mask.at(0, 256), 0);
  EXPECT_EQ(calls[1].mask.at(256, 0), 1);
  EXPECT_LT(calls[1].contents.at(2).at(127, 0), 0) << "values of the first half are negative";
  EXPECT_GT(calls[1].contents.at(2).at(128, 0), 0);
  const auto largest = [](const Tensor& x) { return std::ranges::max(x.data); };
  for (std::size_t call = 1; call < calls.size(); ++call) {
    const double logit =
        2 * largest(calls[call].contents[0]) * largest(calls[call].contents[1]);  // 4 / sqrt(4)
    EXPECT_EQ(logit <= 2, call == 5 || call >= 12 || (call >= 6 && call <= 8)) << logit;
    EXPECT_EQ(logit <= 8, call > 1) << logit;
  }
  std::vector<std::size_t> tokens;
  for (std::size_t call = 2; call < calls.size(); ++call) tokens.push_back(calls[call].contents[0].rows());
  EXPECT_EQ(tokens, (std::vector<std::size_t>{65, 129, 193, 257, 5, 5, 5, 33, 33, 33, 577, 577}));
  // Two sequences in one row, 2 and 3 tokens, 16 and 17; a window of as many as the first; a prefix of as
  // many.
  for (const std::size_t call : {6, 9}) {
    const std::size_t second = call == 6 ? 2 : 16, n = call == 6 ? 5 : 33;
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t c = 0; c < n; ++c) {
        EXPECT_EQ(calls[call].mask.at(r, c), c <= r && (r < second) == (c < second)) << r << ' ' << c;
        EXPECT_EQ(calls[call + 1].mask.at(r, c), c <= r && r - c < second) << r << ' ' << c;
        EXPECT_EQ(calls[call + 2].mask.at(r, c), c <= r || c < second) << r << ' ' << c;
      }
  }
}

// The last of a tile of keys where there are other queries than keys; and an operator that takes as many of
// both alone.
TEST(LongCalls, of_what_ignores_positions_have_other_keys_than_queries) {
  const Encoding truth = attention::in_every_kind(truth_of(encodings::none, "dim=8")).back();
  const auto calls = asked(truth);
  ASSERT_EQ(calls.size(), 16u);
  EXPECT_EQ(calls[12].mask.shape, (Shape{1, 131}));
  EXPECT_EQ(calls[13].contents[0].rows(), 67u);
  EXPECT_EQ(calls[13].contents[2].rows(), 301u);
  EXPECT_EQ(calls[14].mask.shape, (Shape{131, 67}));
  EXPECT_EQ(calls[15].mask.shape, (Shape{5, 577}));
  const auto cut = answered_by(truth, [&](Call call) {
    const std::size_t queries = call.mask.rows(), keys = call.mask.width();
    if (queries != keys && keys > 64)
      for (std::size_t r = 0; r < queries; ++r) call.mask.at(r, keys - 1) = 0;
    return answer(truth, call);
  });
  const auto verdict = agreement_in_long_calls(truth, cut, all_f32, {});
  EXPECT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict));
  const auto itself = answered_by(truth, [&](const Call& call) {
    if (call.mask.rows() != call.mask.width()) throw Inapplicable{"as many queries as keys"};
    return answer(truth, call);
  });
  const auto held = agreement_in_long_calls(truth, itself, all_f32, {});
  ASSERT_TRUE(held && std::holds_alternative<Holds>(*held));
  EXPECT_EQ(std::get<Holds>(*held).cases, 12u);
  for (const Call& call : asked(truth_of(encodings::shaw_values, "dim=4")))
    EXPECT_EQ(call.mask.rows(), call.mask.width());
}

// A tile of 64 keys, and what is left of one key.
TEST(LongCalls, refute_an_operator_whose_last_key_alone_is_one_position_off) {
  const Encoding logits = *attention::to_logits(truth_of(encodings::rope, "dim=16"));
  const Encoding truth = attention::in_every_kind(logits).back();
  for (const std::size_t keys : {65, 129, 193}) {
    const Encoding wrong = answered_by(logits, [&](Call call) {
      if (call.keys.whole.size() == keys) --call.keys.whole.back();
      return answer(logits, call);
    });
    const auto verdict = agreement_in_long_calls(truth, attention::in_every_kind(wrong).back(), all_f32, {});
    ASSERT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict)) << keys;
    EXPECT_EQ(std::get<Refuted>(*verdict).counterexample.integer("tokens"), keys);
  }
}

// Keys from the 128th on are one position farther, at the slope of one head: 1/256.
TEST(LongCalls, refute_an_operator_whose_far_keys_are_one_position_off) {
  const Encoding bias = truth_of(encodings::alibi, "heads=1"), truth = attention::in_every_kind(bias).back();
  const Encoding farther = answered_by(bias, [&](Call call) {
    for (Position& key : call.keys.whole) key -= key >= 128 ? 1 : 0;
    return answer(bias, call);
  });
  const auto verdict = agreement_in_long_calls(truth, attention::in_every_kind(farther).back(), all_f32, {});
  ASSERT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict));
  EXPECT_GT(std::get<Refuted>(*verdict).counterexample.integer("tokens"), 128);
}

// One of query, key and value alone, where f16 has 11 digits and contents that are drawn have 8.
TEST(LongCalls, see_that_an_operator_rounds_one_of_its_inputs) {
  for (const std::string_view dim : {"dim=2", "dim=64"})
    for (const std::size_t rounded : {0, 1, 2}) {
      const Encoding truth = attention::in_every_kind(truth_of(encodings::rope, dim)).back();
      const Encoding subject = answered_by(truth, [&](Call call) {
        for (double& x : call.contents.at(rounded).data) x = to_f16(x);
        return answer(truth, call);
      });
      const auto verdict = agreement_in_long_calls(truth, subject, all_f32, {});
      EXPECT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict)) << dim << rounded;
    }
}

// The last entry of an operator's answer, wrong by 16 bounds where there are more than 129 tokens.
TEST(LongCalls, look_at_the_last_token_of_an_operator) {
  const Encoding truth = operator_of_rope();
  const Encoding wrong = answered_by(truth, [truth](const Call& call) {
    Tensor out = answer(truth, call);
    if (out.rows() > 129) out.data.back() += 16 * bound(truth, call, out, all_f32).error.data.back();
    return out;
  });
  const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
  ASSERT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict));
  EXPECT_EQ(std::get<Refuted>(*verdict).counterexample.integer("tokens"), 199);
}

// What a diagnosis asks as well: the shorter ones first.
// Contents that are drawn have eight digits at most, which bf16 holds.
TEST(LongCalls, see_contents_that_are_rounded_before_anything_is_done_to_them) {
  const auto refuted = [](const Encoding& truth, double (*rounded)(double), const Precision& precision) {
    const Encoding subject = answered_by(truth, [=](Call call) {
      for (Tensor& content : call.contents)
        for (double& x : content.data) x = rounded(x);
      return answer(truth, call);
    });
    const auto verdict = agreement_in_long_calls(truth, subject, precision, {});
    return verdict && std::holds_alternative<Refuted>(*verdict);
  };
  const auto in_bf16 = [](double x) { return to_bf16(x); };
  const auto in_f16 = [](double x) { return to_f16(x); };
  const auto in_f32 = [](double x) { return to_f32(x); };
  for (const Encoding& truth : {truth_of(encodings::rope, "dim=4"), truth_of(encodings::shaw, "dim=4")}) {
    EXPECT_TRUE(refuted(truth, in_bf16, all_f32)) << kind(truth);
    EXPECT_TRUE(refuted(truth, in_f16, all_f32)) << kind(truth);
    EXPECT_FALSE(refuted(truth, in_f32, all_f32)) << kind(truth);
    EXPECT_FALSE(refuted(truth, in_bf16, Precision::parse("f32+input=bf16"))) << kind(truth);
    EXPECT_TRUE(refuted(truth, in_bf16, Precision::parse("f32+input=f16"))) << kind(truth);
  }
}

// What rounding does to a query, a key or a value shows in none where all of them are the same.
TEST(LongCalls, of_two_opposite_tokens_have_opposite_keys_and_values) {
  const Encoding truth = operator_of_rope();
  const Case two = long_cases(truth, truth, all_f32).at(0);
  for (const std::string name : {"k", "v"}) {
    const auto values = std::get<std::vector<double>>(*two.find(name));
    ASSERT_EQ(values.size(), 8u);
    for (std::size_t c = 0; c < 4; ++c) EXPECT_EQ(values[4 + c], -values[c]) << name;
  }
  const auto queries = std::get<std::vector<double>>(*two.find("q"));
  for (std::size_t c = 0; c < 4; ++c) EXPECT_EQ(queries[4 + c], queries[c]);
}

// The first query's with its key, over the root of their width, are between 1 and 2 of 2^-5, of many keys of
// 2^-7, of most of 2^-9: smaller ones would hide each in the sum of all. Of few keys they are of 2^-4.
TEST(LongCalls, of_all_keys_of_an_operator_have_logits_that_count) {
  const Encoding truth = operator_of_rope();
  const auto wide = wide_cases(truth, truth, all_f32);
  ASSERT_EQ(wide.size(), 12u);
  for (const Case& one : wide) {
    const auto q = std::get<std::vector<double>>(*one.find("q")),
               k = std::get<std::vector<double>>(*one.find("k"));
    if (q == std::vector<double>(4, 0) && k == q) continue;  // zeros
    double logit = 0;
    for (std::size_t c = 0; c < 4; ++c) logit += q.at(c) * k.at(c) / std::sqrt(4);
    const auto tokens = one.integer("tokens");
    const double scaled = std::ldexp(logit, tokens == 577 ? 9 : tokens == 257 ? 7 : 5);
    EXPECT_GE(scaled, 1) << one.text();
    EXPECT_LT(scaled, 2) << one.text();
  }
}

// Sums of gates by chunks of keys: each begins from 0 again, or goes on from the chunk before alone.
TEST(LongCalls, refute_an_operator_that_loses_what_a_sum_carries) {
  const Encoding truth = truth_of(encodings::forgetting_transformer, "dim=8");
  const double gate = std::log(
      1 / (1 + std::exp(-Arguments(encodings::forgetting_transformer.parameters, {}).real("gate_bias"))));
  const auto refuted = [&](const std::function<double(std::size_t chunk)>& lost) {
    const Encoding wrong = answered_by(truth, [&](const Call& call) {
      Tensor out = answer(truth, call);
      const std::size_t n = call.mask.rows();
      if (n <= 256 || std::ranges::any_of(call.contents[1].data, [](double x) { return x != 0; })) return out;
      for (std::size_t i = 0; i < n; ++i) {  // without logits, by hand
        double sum = 0;
        std::vector<double> mean(out.width());
        for (std::size_t j = 0; j <= i; ++j) {
          const double at_i = static_cast<double>(i) - lost(i / 256),
                       at_j = static_cast<double>(j) - lost(j / 256);
          const double weight = std::exp(gate * (at_i - at_j));
          sum += weight;
          for (std::size_t c = 0; c < mean.size(); ++c) mean[c] += weight * call.contents[2].at(j, c);
        }
        for (std::size_t c = 0; c < mean.size(); ++c) out.at(i, c) = mean[c] / sum;
      }
      return out;
    });
    const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
    return verdict && std::holds_alternative<Refuted>(*verdict);
  };
  EXPECT_FALSE(refuted([](std::size_t) { return 0; }));
  EXPECT_TRUE(refuted([](std::size_t chunk) { return 256.0 * static_cast<double>(chunk); }));
  EXPECT_TRUE(refuted([](std::size_t chunk) { return chunk == 2 ? 256 : 0; }));
}

// A softmax by blocks of keys, in which what was summed is not scaled where a later block has a larger logit.
TEST(LongCalls, refute_a_softmax_that_does_not_scale_what_it_summed) {
  const Encoding truth = attention::in_every_kind(truth_of(encodings::none, "dim=8")).back();
  for (const std::size_t block : {64, 128, 256})
    for (const bool scales : {true, false}) {
      const Encoding by_blocks = answered_by(truth, [&](const Call& call) {
        const std::size_t queries = call.mask.rows(), keys = call.mask.width(),
                          width = call.contents[2].width();
        Tensor out({queries, width});
        for (std::size_t i = 0; i < queries; ++i) {
          double largest = -std::numeric_limits<double>::infinity(), sum = 0;
          std::vector<double> mean(width);
          for (std::size_t first = 0; first < keys; first += block) {
            std::vector<std::pair<std::size_t, double>> logits;
            for (std::size_t j = first; j < std::min(keys, first + block); ++j) {
              double logit = 0;
              for (std::size_t c = 0; c < 8; ++c)
                logit += call.contents[0].at(i, c) * call.contents[1].at(j, c);
              if (call.mask.at(i, j) != 0) logits.emplace_back(j, logit / std::sqrt(8));
            }
            double now = largest;
            for (const auto& [j, logit] : logits) now = std::max(now, logit);
            const double scale = scales && sum > 0 ? std::exp(largest - now) : 1;
            largest = now, sum *= scale;
            for (double& x : mean) x *= scale;
            for (const auto& [j, logit] : logits) {
              sum += std::exp(logit - largest);
              for (std::size_t c = 0; c < width; ++c)
                mean[c] += std::exp(logit - largest) * call.contents[2].at(j, c);
            }
          }
          for (std::size_t c = 0; c < width; ++c) out.at(i, c) = mean[c] / sum;
        }
        return out;
      });
      const auto verdict = agreement_in_long_calls(truth, by_blocks, all_f32, {});
      ASSERT_TRUE(verdict) << block;
      EXPECT_EQ(std::holds_alternative<Holds>(*verdict), scales) << block;
    }
}

// Two documents in a row: the mask is taken for a causal one.
TEST(LongCalls, refute_an_operator_that_takes_every_mask_for_a_causal_one) {
  const Encoding truth = truth_of(encodings::shaw_values, "dim=4");
  const Encoding wrong = answered_by(truth, [&](Call call) {
    const std::size_t n = call.mask.rows();
    if (call.mask.at(n - 1, 0) == 0)
      for (std::size_t r = 0; r < n; ++r)
        for (std::size_t c = 0; c <= r; ++c) call.mask.at(r, c) = 1;
    return answer(truth, call);
  });
  const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
  ASSERT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict));
  EXPECT_EQ(std::get<std::string>(*std::get<Refuted>(*verdict).counterexample.find("mask")), "documents");
}

}  // namespace
}  // namespace posproof::long_calls_of_operators_test
