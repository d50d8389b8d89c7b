#include <algorithm>
#include <cmath>
#include <string>

#include "catalogue/encodings/alibi.h"
#include "catalogue/encodings/dape.h"
#include "catalogue/misreadings/dape.h"
#include "misreadings/right.h"

namespace posproof::misreadings_dape {
namespace {

using namespace inside;

struct Perceptron {
  Real negative = 0.01L;  // the slope below 0
  bool bent = true;
  bool first_biases = true, last_biases = true;
  bool sees_logits = true, sees_biases = true;
  bool biases_first = false;
  bool in_turn = false;     // logit and bias of each head side by side
  bool alone = false;       // its output in place of the sum
  bool rescaled = false;    // it sees logits that are not divided by sqrt(dim)
  bool of_sum = false;      // it sees logit + bias in place of the logit
  std::size_t from = 1;     // the number of the first head, of which slopes are powers
  bool reversed = false;    // the last head has the slope of the first
  bool by_channel = false;  // q and k hold channel 0 of all heads first
};

Encoding reads(const Parameters& given, const Perceptron& of) {
  const Arguments p = misread::arguments(encodings::dape, given);
  const std::size_t heads = p.width("heads"), width = p.width("dim"), hidden = p.width("hidden");
  if ((of.in_turn || of.by_channel || of.reversed) && heads == 1) throw Refusal("the same with one head");
  if (of.by_channel && width == 1) throw Refusal("the same with one channel");
  const bool residual = p.is("residual", "both");
  const Tensor first = trained(hidden, 2 * heads + 1, p.whole("table_seed")),
               second = trained(heads, hidden + 1, p.whole("table_seed") + 1);
  const auto alibi =
      encodings::alibi.make<Bias>(Case::parse("form=symmetric heads=" + std::to_string(heads)));
  std::vector<Real> slopes;
  for (std::size_t h = 0; h < heads; ++h)
    slopes.push_back(of.from == 1
                         ? Real{alibi.slopes[h]}
                         : std::exp2(-8 * static_cast<Real>(h + of.from) / static_cast<Real>(heads)));
  if (of.reversed) std::ranges::reverse(slopes);
  const auto product = [=](std::span<const double> q, std::span<const double> k, std::size_t h) {
    if (!of.by_channel) return dot(q.subspan(h * width, width), k.subspan(h * width, width));
    Real sum = 0;
    for (std::size_t c = 0; c < width; ++c) sum += Real{q[c * heads + h]} * k[c * heads + h];
    return sum;
  };
  const auto logit = [=](std::span<const double> q, std::span<const double> k, Position i, Position j,
                         std::size_t head) {
    std::vector<Real> logits, biases;
    for (std::size_t h = 0; h < heads; ++h) {
      logits.push_back(product(q, k, h) / root(width));
      biases.push_back(-slopes[h] * static_cast<Real>(std::abs(i - j)));
    }
    Real f = of.last_biases ? second.at(head, hidden) : 0;
    for (std::size_t m = 0; m < hidden; ++m) {
      Real x = of.first_biases ? first.at(m, 2 * heads) : 0;
      for (std::size_t h = 0; h < heads; ++h) {
        const Real seen =
            (of.sees_logits ? logits[h] * (of.rescaled ? root(width) : 1) : 0) + (of.of_sum ? biases[h] : 0);
        const std::size_t of_logit = of.in_turn        ? 2 * h
                                     : of.biases_first ? heads + h
                                                       : h,
                          of_bias = of.in_turn        ? 2 * h + 1
                                    : of.biases_first ? h
                                                      : heads + h;
        x += first.at(m, of_logit) * seen;
        if (of.sees_biases) x += first.at(m, of_bias) * biases[h];
      }
      f += second.at(head, m) * (of.bent && x < 0 ? x * of.negative : x);
    }
    return of.alone ? f : logits[head] + (residual ? biases[head] : 0) + f;
  };
  return misread::with_logit(encodings::dape, given, logit);
}

misread::Make with(const Perceptron& of) {
  return [of](const Parameters& given) { return reads(given, of); };
}

}  // namespace

const MisreadingFamily entry{{
    {"the perceptron's leaky ReLU is a ReLU: its slope below 0 is 0, not 0.01", with({.negative = 0}),
     "dim=2 heads=2 hidden=4"},
    {"the slope of the perceptron's leaky ReLU below 0 is 0.2, not 0.01", with({.negative = 0.2L}),
     "dim=2 heads=2 hidden=4"},
    {"the slope of the perceptron's leaky ReLU below 0 is 0.1, not 0.01", with({.negative = 0.1L}),
     "dim=2 heads=2 hidden=4"},
    {"the perceptron has no leaky ReLU between its layers", with({.bent = false}), "dim=2 heads=2 hidden=4"},
    {"the perceptron's hidden layer has no biases", with({.first_biases = false}), "dim=2 heads=2 hidden=4"},
    {"the perceptron's output has no biases", with({.last_biases = false}), "dim=2 heads=2 hidden=4"},
    {"the perceptron has no biases", with({.first_biases = false, .last_biases = false}),
     "dim=2 heads=2 hidden=4"},
    {"the perceptron is not given the biases of ALiBi", with({.sees_biases = false}),
     "dim=2 heads=2 hidden=4"},
    {"the perceptron is not given the logits", with({.sees_logits = false}), "dim=2 heads=2 hidden=4"},
    {"the perceptron is given the biases of ALiBi first, the logits after them", with({.biases_first = true}),
     "dim=2 heads=2 hidden=4"},
    {"the perceptron is given logit and bias of each head in turn, not all logits before all biases",
     with({.in_turn = true}), "dim=2 heads=2 hidden=4"},
    {"the perceptron's output is the logit: nothing is added to it", with({.alone = true}),
     "dim=2 heads=2 hidden=4"},
    {"the perceptron is given logits that are not divided by sqrt(dim)", with({.rescaled = true}),
     "dim=2 heads=2 hidden=4"},
    {"the perceptron is given the logits with the biases of ALiBi added", with({.of_sum = true}),
     "dim=2 heads=2 hidden=4"},
    {"the slopes of ALiBi are 2^(-8 h/heads) with h from 0: the first is 1", with({.from = 0}),
     "dim=2 heads=2 hidden=4"},
    {"the slopes of ALiBi stand in reverse order: the last head has that of the first",
     with({.reversed = true}), "dim=2 heads=2 hidden=4"},
    {"q and k are read as [n, dim, heads], not as [n, heads, dim]", with({.by_channel = true}),
     "dim=2 heads=2 hidden=4"},
}};

}  // namespace posproof::misreadings_dape
