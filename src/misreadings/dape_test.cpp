#include "catalogue/misreadings/dape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "misreadings/testing/formulas.h"

namespace posproof::misreadings_dape_test {
namespace {

using inside::Real;
using testing::LogitFormula;

// What stands in place of the leaky ReLU, and what multiplies what the network is given.
struct Network {
  Real (*function)(Real x) = [](Real x) { return x < 0 ? x / 100 : x; };
  Real first_biases = 1, last_biases = 1;
  Real logits = 1, biases = 1, biases_of_logits = 0;
  bool exchanged = false, in_turn = false, alone = false, undivided = false, by_channel = false,
       reversed = false;
  Real first_head = 1;
};

LogitFormula network(const Network& as) {
  return [=](const Arguments& p, std::span<const double> q, std::span<const double> k, Position i, Position j,
             std::size_t head) {
    const std::size_t heads = p.width("heads"), dim = p.width("dim"), hidden = p.width("hidden");
    const Tensor first = inside::trained(hidden, 2 * heads + 1, p.whole("table_seed")),
                 last = inside::trained(heads, hidden + 1, p.whole("table_seed") + 1);
    const Real root = inside::root(dim);
    std::vector<Real> logits, biases;
    for (std::size_t h = 0; h < heads; ++h) {
      Real product = 0;
      for (std::size_t c = 0; c < dim; ++c) {
        const std::size_t at = as.by_channel ? c * heads + h : h * dim + c;
        product += Real(q[at]) * k[at];
      }
      logits.push_back(product / root);
      const Real at = Real(as.reversed ? heads - 1 - h : h) + as.first_head;
      biases.push_back(-std::exp2(-8 * at / Real(heads)) * Real(i < j ? j - i : i - j));
    }
    std::vector<Real> given;
    for (std::size_t h = 0; h < heads; ++h)
      given.push_back(as.logits * (as.undivided ? root : 1) * logits[h] + as.biases_of_logits * biases[h]);
    for (std::size_t h = 0; h < heads; ++h) given.push_back(as.biases * biases[h]);
    if (as.exchanged) std::rotate(given.begin(), given.begin() + std::ptrdiff_t(heads), given.end());
    if (as.in_turn) {
      const std::vector<Real> before = given;
      for (std::size_t n = 0; n < 2 * heads; ++n) given[n] = before[n / 2 + (n % 2 == 0 ? 0 : heads)];
    }
    Real out = as.last_biases * last.at(head, hidden);
    for (std::size_t m = 0; m < hidden; ++m) {
      Real x = as.first_biases * first.at(m, 2 * heads);
      for (std::size_t n = 0; n < 2 * heads; ++n) x += first.at(m, n) * given[n];
      out += last.at(head, m) * as.function(x);
    }
    if (as.alone) return out;
    return logits[head] + (p.is("residual", "both") ? biases[head] : 0) + out;
  };
}

TEST(MisreadDape, is_what_the_sentence_says) {
  testing::expect_logits(
      "dape", misreadings::dape,
      {{"the perceptron's leaky ReLU is a ReLU: its slope below 0 is 0, not 0.01",
        network({.function = [](Real x) { return x < 0 ? 0 : x; }})},
       {"the slope of the perceptron's leaky ReLU below 0 is 0.2, not 0.01",
        network({.function = [](Real x) { return x < 0 ? x / 5 : x; }})},
       {"the slope of the perceptron's leaky ReLU below 0 is 0.1, not 0.01",
        network({.function = [](Real x) { return x < 0 ? x / 10 : x; }})},
       {"the perceptron has no leaky ReLU between its layers",
        network({.function = [](Real x) { return x; }})},
       {"the perceptron's hidden layer has no biases", network({.first_biases = 0})},
       {"the perceptron's output has no biases", network({.last_biases = 0})},
       {"the perceptron has no biases", network({.first_biases = 0, .last_biases = 0})},
       {"the perceptron is not given the biases of ALiBi", network({.biases = 0})},
       {"the perceptron is not given the logits", network({.logits = 0})},
       {"the perceptron is given the biases of ALiBi first, the logits after them",
        network({.exchanged = true})},
       {"the perceptron is given logit and bias of each head in turn, not all logits before all biases",
        network({.in_turn = true})},
       {"the perceptron's output is the logit: nothing is added to it", network({.alone = true})},
       {"the perceptron is given logits that are not divided by sqrt(dim)", network({.undivided = true})},
       {"the perceptron is given the logits with the biases of ALiBi added",
        network({.biases_of_logits = 1})},
       {"the slopes of ALiBi are 2^(-8 h/heads) with h from 0: the first is 1", network({.first_head = 0})},
       {"the slopes of ALiBi stand in reverse order: the last head has that of the first",
        network({.reversed = true})},
       {"q and k are read as [n, dim, heads], not as [n, heads, dim]", network({.by_channel = true})}},
      {"", "residual=logits table_seed=2"});
}

}  // namespace
}  // namespace posproof::misreadings_dape_test
