#include "catalogue/misreadings/dynamic_position_bias.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numbers>
#include <vector>

#include "encodings/seeded.h"
#include "misreadings/testing/formulas.h"

namespace posproof::misreadings_dynamic_position_bias_test {
namespace {

using testing::EntryFormula, testing::Real;

// The declared activation where there is no function; what multiplies the biases of a layer; and what goes
// in.
struct Network {
  Real (*function)(Real x) = nullptr;
  Real hidden_biases = 1, last_biases = 1;
  bool last_bends = true, in_bits = false;
  bool skips = false, fewer = false;
  Real parts = 1;  // what offsets are divided by
};

Real declared(const Arguments& p, Real x) {
  if (p.is("activation", "silu")) return x / (1 + std::exp(-x));
  return x > 0 ? x : 0;
}

EntryFormula network(const Network& as) {
  return [=](const Arguments& p, std::size_t head, Position i, Position j) {
    std::uint64_t next = 0;
    const auto number = [&]() -> Real {
      return seeded(std::uint64_t(p.whole("mlp_seed")), next++, p.real("std"));
    };
    const Real offset = Real(p.is("offset", "distance") ? std::abs(i - j) : i - j) / as.parts;
    Real size = std::abs(offset);
    if (p.is("scale", "log")) size = as.in_bits ? std::log2(1 + size) : std::log(1 + size);
    std::vector<Real> x = {offset < 0 ? -size : size};
    const auto layer = [&](std::size_t outputs, Real biases) {
      std::vector<Real> sums(outputs);
      for (Real& sum : sums)
        for (const Real input : x) sum += number() * input;
      for (Real& sum : sums) sum += biases * number();
      x = sums;
    };
    for (std::size_t n = 1; n <= p.width("depth"); ++n) {
      const std::vector<Real> before = x;
      if (as.fewer && n == p.width("depth")) {
        next += p.width("width") * p.width("width") + p.width("width");
        break;
      }
      layer(p.width("width"), as.hidden_biases);
      if (n < p.width("depth") || as.last_bends)
        for (Real& one : x) one = as.function != nullptr ? as.function(one) : declared(p, one);
      if (as.skips && n > 1)
        for (std::size_t o = 0; o < x.size(); ++o) x[o] = before[o] + x[o];
    }
    layer(p.width("heads"), as.last_biases);
    return x[head];
  };
}

Real gelu_by_tanh(Real x) {
  const Real cube = x * x * x, root = std::sqrt(2 / std::numbers::pi_v<Real>);
  return x * (1 + std::tanh(root * (x + 0.044715L * cube))) / 2;
}

TEST(MisreadDynamicPositionBias, is_what_the_sentence_says) {
  testing::expect_biases(
      "dynamic_position_bias", misreadings::dynamic_position_bias,
      {{"the hidden layers have no biases", network({.hidden_biases = 0})},
       {"the last layer has no biases", network({.last_biases = 0})},
       {"no layer has biases", network({.hidden_biases = 0, .last_biases = 0})},
       {"the last hidden layer has no activation", network({.last_bends = false})},
       {"the last hidden layer is left out", network({.fewer = true})},
       {"no layer has an activation", network({.function = [](Real x) { return x; }})},
       {"the activation is GELU",
        network({.function = [](Real x) { return x * (1 + std::erf(x / std::sqrt(Real{2}))) / 2; }})},
       {"the activation is GELU as tanh approximates it", network({.function = &gelu_by_tanh})},
       {"the activation is tanh", network({.function = [](Real x) { return std::tanh(x); }})},
       {"the activation is the sigmoid alone",
        network({.function = [](Real x) { return 1 / (1 + std::exp(-x)); }})},
       {"the activation is max(x, 0.01 x)",
        network({.function = [](Real x) { return x < 0 ? x / 100 : x; }})},
       {"each hidden layer past the first is added to what goes into it", network({.skips = true})},
       // The formulas are compared in calls of ten keys.
       {"offsets are divided by the number of keys of the call", network({.parts = 10})},
       {"the logarithm is that of base 2", network({.in_bits = true})}},
      {"", "depth=3 activation=relu", "offset=distance std=0.5 mlp_seed=2"});
}

}  // namespace
}  // namespace posproof::misreadings_dynamic_position_bias_test
