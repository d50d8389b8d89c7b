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
  bool alone = false;     // its output in place of the sum
  bool rescaled = false;  // it sees logits that are not divided by sqrt(dim)
  bool of_sum = false;    // it sees logit + bias in place of the logit
};

Encoding reads(const Parameters& given, const Perceptron& of) {
  const Arguments p = misread::arguments(encodings::dape, given);
  const std::size_t heads = p.width("heads"), width = p.width("dim"), hidden = p.width("hidden");
  const bool residual = p.is("residual", "both");
  const Tensor first = trained(hidden, 2 * heads + 1, p.whole("table_seed")),
               second = trained(heads, hidden + 1, p.whole("table_seed") + 1);
  const auto alibi =
      std::get<Bias>(encodings::alibi.make(Case::parse("form=symmetric heads=" + std::to_string(heads))));
  std::vector<Real> slopes;
  for (const double slope : alibi.slopes) slopes.push_back(slope);
  const auto logit = [=](std::span<const double> q, std::span<const double> k, Position i, Position j,
                         std::size_t head) {
    std::vector<Real> logits, biases;
    for (std::size_t h = 0; h < heads; ++h) {
      logits.push_back(dot(q.subspan(h * width, width), k.subspan(h * width, width)) / root(width));
      biases.push_back(-slopes[h] * static_cast<Real>(std::abs(i - j)));
    }
    Real f = of.last_biases ? second.at(head, hidden) : 0;
    for (std::size_t m = 0; m < hidden; ++m) {
      Real x = of.first_biases ? first.at(m, 2 * heads) : 0;
      for (std::size_t h = 0; h < heads; ++h) {
        const Real seen =
            (of.sees_logits ? logits[h] * (of.rescaled ? root(width) : 1) : 0) + (of.of_sum ? biases[h] : 0);
        x += first.at(m, of.biases_first ? heads + h : h) * seen;
        if (of.sees_biases) x += first.at(m, of.biases_first ? h : heads + h) * biases[h];
      }
      f += second.at(head, m) * (of.bent && x < 0 ? x * of.negative : x);
    }
    return of.alone ? f : logits[head] + (residual ? biases[head] : 0) + f;
  };
  return misread::with_logit(encodings::dape, given, logit);
}

Encoding relu(const Parameters& p) {
  return reads(p, {.negative = 0});
}
Encoding slope_of_a_fifth(const Parameters& p) {
  return reads(p, {.negative = 0.2L});
}
Encoding slope_of_a_tenth(const Parameters& p) {
  return reads(p, {.negative = 0.1L});
}
Encoding straight(const Parameters& p) {
  return reads(p, {.bent = false});
}
Encoding no_first_biases(const Parameters& p) {
  return reads(p, {.first_biases = false});
}
Encoding no_last_biases(const Parameters& p) {
  return reads(p, {.last_biases = false});
}
Encoding no_biases(const Parameters& p) {
  return reads(p, {.first_biases = false, .last_biases = false});
}
Encoding blind_to_biases(const Parameters& p) {
  return reads(p, {.sees_biases = false});
}
Encoding blind_to_logits(const Parameters& p) {
  return reads(p, {.sees_logits = false});
}
Encoding biases_first(const Parameters& p) {
  return reads(p, {.biases_first = true});
}
Encoding output_alone(const Parameters& p) {
  return reads(p, {.alone = true});
}
Encoding undivided_logits(const Parameters& p) {
  return reads(p, {.rescaled = true});
}
Encoding of_the_sum(const Parameters& p) {
  return reads(p, {.of_sum = true});
}

}  // namespace

const MisreadingFamily entry{{
    {"the perceptron's leaky ReLU is a ReLU: its slope below 0 is 0, not 0.01", &relu,
     "dim=2 heads=2 hidden=4"},
    {"the slope of the perceptron's leaky ReLU below 0 is 0.2, not 0.01", &slope_of_a_fifth,
     "dim=2 heads=2 hidden=4"},
    {"the slope of the perceptron's leaky ReLU below 0 is 0.1, not 0.01", &slope_of_a_tenth,
     "dim=2 heads=2 hidden=4"},
    {"the perceptron has no leaky ReLU between its layers", &straight, "dim=2 heads=2 hidden=4"},
    {"the perceptron's hidden layer has no biases", &no_first_biases, "dim=2 heads=2 hidden=4"},
    {"the perceptron's output has no biases", &no_last_biases, "dim=2 heads=2 hidden=4"},
    {"the perceptron has no biases", &no_biases, "dim=2 heads=2 hidden=4"},
    {"the perceptron is not given the biases of ALiBi", &blind_to_biases, "dim=2 heads=2 hidden=4"},
    {"the perceptron is not given the logits", &blind_to_logits, "dim=2 heads=2 hidden=4"},
    {"the perceptron is given the biases of ALiBi first, the logits after them", &biases_first,
     "dim=2 heads=2 hidden=4"},
    {"the perceptron's output is the logit: nothing is added to it", &output_alone, "dim=2 heads=2 hidden=4"},
    {"the perceptron is given logits that are not divided by sqrt(dim)", &undivided_logits,
     "dim=2 heads=2 hidden=4"},
    {"the perceptron is given the logits with the biases of ALiBi added", &of_the_sum,
     "dim=2 heads=2 hidden=4"},
}};

}  // namespace posproof::misreadings_dape
