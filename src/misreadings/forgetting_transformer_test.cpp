#include "catalogue/misreadings/forgetting_transformer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "misreadings/testing/formulas.h"

namespace posproof::misreadings_forgetting_transformer_test {
namespace {

using inside::dot, inside::Pairwise, inside::Real;
using testing::PairFormula;

// The sum of what the tokens first .. last add to the logit.
PairFormula gated(Real (*gate)(Real x), bool of_queries = false, int sign = 1,
                  std::pair<int, int> range = {1, 0}, bool mean = false, bool seen = false) {
  return [=](const Arguments& p, const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Tensor w = inside::trained(1, p.width("dim"), p.whole("table_seed"), p.real("gate_std"));
    const Real bias = p.real("gate_bias");
    return Pairwise{[=, &q, &k, &mask](std::size_t i, std::size_t j) {
                      Real sum = 0;
                      int count = 0;
                      for (int l = int(j) + range.first; l <= int(i) + range.second; ++l, ++count)
                        if (!seen || mask.at(i, std::size_t(l)) != 0)
                          sum += gate(dot(w.row(0), (of_queries ? q : k).row(std::size_t(l))) + bias);
                      if (mean && count > 0) sum /= count;
                      return dot(q.row(i), k.row(j)) / inside::root(q.width()) + sign * sum;
                    },
                    [&v](std::size_t, std::size_t j, std::size_t c) -> Real { return v.at(j, c); }};
  };
}

// The sum of the tokens from the query's block on, less that from the key's block on.
PairFormula begun_again(std::size_t block) {
  return [=](const Arguments& p, const Tensor& q, const Tensor& k, const Tensor& v, const Mask&) {
    const Tensor w = inside::trained(1, p.width("dim"), p.whole("table_seed"), p.real("gate_std"));
    const auto up_to = [=, &k, bias = Real{p.real("gate_bias")}](std::size_t last) {
      Real sum = 0;
      for (std::size_t l = last - last % block; l <= last; ++l)
        sum -= std::log(1 + std::exp(-(dot(w.row(0), k.row(l)) + bias)));
      return sum;
    };
    return Pairwise{[=, &q, &k](std::size_t i, std::size_t j) {
                      return dot(q.row(i), k.row(j)) / inside::root(q.width()) + up_to(i) - up_to(j);
                    },
                    [&v](std::size_t, std::size_t j, std::size_t c) -> Real { return v.at(j, c); }};
  };
}

// Each token adds its logarithm to a sum of so many bits.
PairFormula added_up_in(int bits) {
  return [=](const Arguments& p, const Tensor& q, const Tensor& k, const Tensor& v, const Mask&) {
    const Tensor w = inside::trained(1, p.width("dim"), p.whole("table_seed"), p.real("gate_std"));
    const auto up_to = [=, &k, bias = Real{p.real("gate_bias")}](std::size_t last) {
      Real sum = 0;
      for (std::size_t l = 0; l <= last; ++l) {
        int exponent = 0;
        const Real fraction =
            std::frexp(sum - std::log(1 + std::exp(-(dot(w.row(0), k.row(l)) + bias))), &exponent);
        sum = std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
      }
      return sum;
    };
    return Pairwise{[=, &q, &k](std::size_t i, std::size_t j) {
                      return dot(q.row(i), k.row(j)) / inside::root(q.width()) + up_to(i) - up_to(j);
                    },
                    [&v](std::size_t, std::size_t j, std::size_t c) -> Real { return v.at(j, c); }};
  };
}

TEST(MisreadForgettingTransformer, is_what_the_sentence_says) {
  const auto gate = [](Real x) { return -std::log(1 + std::exp(-x)); };
  const auto begin_again = [](const char* block) {
    return std::string(
               "the running sums of the gates' logarithms, whose difference counts, begin again at 0 every ") +
           block + " tokens";
  };
  const std::string of_16 = begin_again("16"), of_32 = begin_again("32"), of_64 = begin_again("64"),
                    of_128 = begin_again("128");
  testing::expect_attention(
      "forgetting_transformer", misreadings::forgetting_transformer,
      {{"the gates are computed from the queries, not from the keys", gated(gate, true)},
       {"the sum of the gates' logarithms has the wrong sign: it is taken from the logit",
        gated(gate, false, -1)},
       {"the key's own gate is forgotten by as well: the sum is over j <= l <= i",
        gated(gate, false, 1, {0, 0})},
       {"the query's own gate is left out: the sum is over j < l < i", gated(gate, false, 1, {1, -1})},
       {"the gates of keys that the mask hides are left out of the sum",
        gated(gate, false, 1, {1, 0}, false, true)},
       {"the mean of the gates' logarithms is added, not their sum", gated(gate, false, 1, {1, 0}, true)},
       {"the gates are added up, not their logarithms",
        gated([](Real x) { return std::exp(x) / (1 + std::exp(x)); })},
       {"the gates are 1 - sigmoid: what is kept is forgotten",
        gated([](Real x) { return -std::log(1 + std::exp(x)); })},
       {"the gates have no sigmoid: w.k + b is added up", gated([](Real x) { return x; })},
       {"gate - 1 is added up, not the gate's logarithm",
        gated([](Real x) { return -1 / (1 + std::exp(x)); })},
       {of_16, begun_again(16)},
       {of_32, begun_again(32)},
       {of_64, begun_again(64)},
       {of_128, begun_again(128)},
       {"the running sums of the gates' logarithms, whose difference counts, are rounded to bf16",
        added_up_in(8)},
       {"the running sums of the gates' logarithms, whose difference counts, are rounded to f16",
        added_up_in(11)}},
      {"", "gate_bias=2", "gate_std=0.5 table_seed=2"});
}

}  // namespace
}  // namespace posproof::misreadings_forgetting_transformer_test
