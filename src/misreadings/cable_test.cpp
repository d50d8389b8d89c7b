#include "catalogue/misreadings/cable.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "misreadings/testing/formulas.h"

namespace posproof::misreadings_cable_test {
namespace {

using inside::dot, inside::Pairwise, inside::Real;
using testing::PairFormula;

// The sum of the penalties of the tokens first .. last, which is taken from the logit.
PairFormula penalised(Real (*penalty)(Real x), bool of_queries = false, int sign = -1,
                      std::pair<int, int> range = {1, 0}, bool mean = false, bool seen = false) {
  return [=](const Arguments& p, const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Tensor w = inside::trained(1, p.width("dim"), p.whole("table_seed"), p.real("gate_std"));
    const Real bias = p.real("gate_bias"), scale = p.is("scale", "one") ? 1 : 1 / inside::root(q.width());
    return Pairwise{[=, &q, &k, &mask](std::size_t i, std::size_t j) {
                      Real sum = 0;
                      int count = 0;
                      for (int l = int(j) + range.first; l <= int(i) + range.second; ++l, ++count)
                        if (!seen || mask.at(i, std::size_t(l)) != 0)
                          sum += penalty(dot(w.row(0), (of_queries ? q : k).row(std::size_t(l))) + bias);
                      if (mean && count > 0) sum /= count;
                      return dot(q.row(i), k.row(j)) * scale + sign * sum;
                    },
                    [&v](std::size_t, std::size_t j, std::size_t c) -> Real { return v.at(j, c); }};
  };
}

TEST(MisreadCable, is_what_the_sentence_says) {
  const auto penalty = [](Real x) { return std::log(1 + std::exp(x)); };
  testing::expect_attention(
      "cable", misreadings::cable,
      {{"the penalties are computed from the queries, not from the keys", penalised(penalty, true)},
       {"the sum of the penalties has the wrong sign: it is added to the logit",
        penalised(penalty, false, 1)},
       {"the key's own penalty counts as well: the sum is over j <= l <= i",
        penalised(penalty, false, -1, {0, 0})},
       {"the query's own penalty is left out: the sum is over j < l < i",
        penalised(penalty, false, -1, {1, -1})},
       {"the penalties of keys that the mask hides are left out of the sum",
        penalised(penalty, false, -1, {1, 0}, false, true)},
       {"the mean of the penalties is taken, not their sum", penalised(penalty, false, -1, {1, 0}, true)},
       {"a penalty is max(w.k + b, 0), not ln(1 + e^(w.k + b))",
        penalised([](Real x) { return x > 0 ? x : Real{0}; })},
       {"a penalty is ln(1 + e^-(w.k + b)): its argument has the wrong sign",
        penalised([](Real x) { return std::log(1 + std::exp(-x)); })},
       {"a penalty is w.k + b itself, not ln(1 + e^(w.k + b))", penalised([](Real x) { return x; })},
       {"a penalty is sigmoid(w.k + b), not ln(1 + e^(w.k + b))",
        penalised([](Real x) { return std::exp(x) / (1 + std::exp(x)); })},
       {"a penalty is e^(w.k + b), not ln(1 + e^(w.k + b))", penalised([](Real x) { return std::exp(x); })}},
      {"", "scale=rsqrt gate_bias=2", "gate_std=0.5 table_seed=2"});
}

}  // namespace
}  // namespace posproof::misreadings_cable_test
