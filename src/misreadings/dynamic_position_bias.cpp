#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "catalogue/encodings/dynamic_position_bias.h"
#include "catalogue/misreadings/dynamic_position_bias.h"
#include "encodings/dynamic_bias_numbers.h"
#include "misreadings/right.h"

namespace posproof::misreadings_dynamic_position_bias {
namespace {

using misread::Real;
using oracle::DynamicBias;

Real with_sign(Real offset, Real size) {
  return offset < 0 ? -size : size;
}

// What another reading exchanges: what goes in, the function of the hidden layers, what is added in each
// layer.
struct Reading {
  Real (*input)(Real offset, Real size) = &with_sign;
  Real (*function)(Real x) = nullptr;
  bool hidden_biases = true, last_biases = true, last_is_linear = false;
  bool fewer = false;  // without the last hidden layer
  bool skips = false;  // a hidden layer past the first is added to what goes into it
};

// Of the head: `of` as `as` reads it.
Real entry_of(const DynamicBias& of, const Reading& as, std::size_t head, Real offset) {
  const Real t = of.distance ? std::abs(offset) : offset;
  const Real size = of.log ? std::log1p(std::abs(t)) : std::abs(t);
  std::vector<Real> x = {as.input(t, size)};
  std::size_t at = 0;
  const auto layer = [&](std::size_t outputs, bool biases) {
    std::vector<Real> out(outputs);
    for (std::size_t o = 0; o < outputs; ++o) {
      if (biases) out[o] = of.numbers[at + outputs * x.size() + o];
      for (std::size_t i = 0; i < x.size(); ++i) out[o] += of.numbers[at + o * x.size() + i] * x[i];
    }
    at += outputs * (x.size() + 1);
    x = std::move(out);
  };
  for (std::size_t n = 0; n < of.depth; ++n) {
    const std::vector<Real> before = x;
    if (as.fewer && n + 1 == of.depth) {
      at += of.width * (of.width + 1);
      continue;
    }
    layer(of.width, as.hidden_biases);
    if (as.last_is_linear && n + 1 == of.depth) continue;
    for (Real& one : x)
      one = as.function != nullptr ? as.function(one) : of.silu ? misread::silu(one) : std::max<Real>(one, 0);
    for (std::size_t o = 0; as.skips && n > 0 && o < of.width; ++o) x[o] += before[o];
  }
  layer(of.heads, as.last_biases);
  return x.at(head);
}

Misreading reads(std::string_view what, Reading as, std::string_view more = "") {
  return {what,
          [as](const Parameters& given) {
            const DynamicBias of =
                dynamic_bias_of(misread::arguments(encodings::dynamic_position_bias, given));
            if (as.fewer && of.depth == 1) throw Refusal("no hidden layer is left");
            return misread::with_entry(encodings::dynamic_position_bias, given,
                                       [of, as](std::size_t head, Position i, Position j) {
                                         return entry_of(of, as, head, static_cast<Real>(i - j));
                                       });
          },
          more.empty() ? "width=8 heads=2" : more};
}

// Where it depends on the call.
Encoding over_the_keys(const Parameters& given) {
  const DynamicBias of = dynamic_bias_of(misread::arguments(encodings::dynamic_position_bias, given));
  Bias out = misread::right<Bias>(encodings::dynamic_position_bias, given);
  out.bias = [of, heads = out.heads](const Positions& queries, const Positions& keys) {
    Tensor all({heads, queries.size(), keys.size()});
    for (std::size_t r = 0; r < all.rows(); ++r)
      for (std::size_t j = 0; j < keys.size(); ++j) {
        const auto offset = static_cast<Real>(queries[r % queries.size()] - keys[j]);
        all.at(r, j) = static_cast<double>(
            entry_of(of, {}, r / queries.size(), offset / static_cast<Real>(keys.size())));
      }
    return all;
  };
  return out;
}

Real in_bits(Real offset, Real size) {
  return (offset < 0 ? -size : size) / std::numbers::ln2_v<Real>;
}

Real gelu_by_tanh(Real x) {
  return x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi_v<Real>) * (x + 0.044715L * x * x * x)));
}
Real tanh_of(Real x) {
  return std::tanh(x);
}
Real leaky(Real x) {
  return x < 0 ? 0.01L * x : x;
}

}  // namespace

const MisreadingFamily entry{{
    reads("the hidden layers have no biases", {.hidden_biases = false}),
    reads("the last layer has no biases", {.last_biases = false}),
    reads("no layer has biases", {.hidden_biases = false, .last_biases = false}),
    reads("the last hidden layer has no activation", {.last_is_linear = true}),
    reads("the last hidden layer is left out", {.fewer = true}),
    reads("no layer has an activation", {.function = &misread::itself}),
    reads("the activation is GELU", {.function = &misread::gelu}),
    reads("the activation is GELU as tanh approximates it", {.function = &gelu_by_tanh}),
    reads("the activation is tanh", {.function = &tanh_of}),
    reads("the activation is the sigmoid alone", {.function = &misread::sigmoid}),
    reads("the activation is max(x, 0.01 x)", {.function = &leaky}),
    reads("each hidden layer past the first is added to what goes into it", {.skips = true}),
    {"offsets are divided by the number of keys of the call", &over_the_keys, "width=8 heads=2"},
    reads("the logarithm is that of base 2", {.input = &in_bits}, "width=8 heads=2 scale=log"),
}};

}  // namespace posproof::misreadings_dynamic_position_bias
