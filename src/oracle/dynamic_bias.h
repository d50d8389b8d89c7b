#pragma once

#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/rounded.h"
#include "oracle/bias_bounds.h"

namespace posproof::oracle {

// A perceptron of the offset alone: `depth` hidden layers of `width` units each, and a number for each head.
// Its formula is written once, for exact numbers and for numbers that know how far they may be off.
struct DynamicBias {
  std::size_t width, depth, heads;
  bool distance, log, silu;     // |i - j| for i - j; sign(t) ln(1 + |t|) for t; x / (1 + e^-x) for max(x, 0)
  std::vector<double> numbers;  // of each layer in turn: weights [outputs, inputs], then biases [outputs]

  std::size_t count() const { return 2 * width + (depth - 1) * width * (width + 1) + heads * (width + 1); }

  template <class In>
  typename In::Number input(const In& in, double offset) const {
    const auto size = log ? in.log_of_1_and(std::abs(offset)) : in.whole(std::abs(offset));
    return offset < 0 && !distance ? in.minus(size) : size;
  }

  template <class In>
  std::vector<typename In::Number> outputs(const In& in, double offset) const {
    std::vector<typename In::Number> values = {input(in, offset)};
    std::size_t at = 0;
    const auto layer = [&](std::size_t outputs) {
      const std::size_t inputs = values.size(), biases = at + outputs * inputs;
      std::vector<typename In::Number> out;
      for (std::size_t o = 0; o < outputs; ++o)
        out.push_back(in.sum(in.weighted(std::span(numbers).subspan(at + o * inputs, inputs), values),
                             in.trained(numbers[biases + o])));
      at = biases + outputs;
      values = std::move(out);
    };
    for (std::size_t n = 0; n < depth; ++n) {
      layer(width);
      for (auto& x : values) x = silu ? in.silu(x) : in.rectified(x);
    }
    layer(heads);
    return values;
  }
};

// Of an offset all heads are computed together, and kept while the precision stays.
inline bias_bounds::Error bound_of(const DynamicBias& bias) {
  struct Known {
    std::mutex lock = {};
    Precision of = {0, 0};
    std::map<double, std::vector<double>> bounds = {};
  };
  return [bias, known = std::make_shared<Known>()](std::size_t head, std::span<const double> query,
                                                   std::span<const double> key, double, const Precision& p) {
    constexpr std::size_t most = 1 << 14;
    const std::lock_guard held(known->lock);
    if (known->of != p || known->bounds.size() > most) known->bounds.clear();
    known->of = p;
    std::vector<double>& bounds = known->bounds[query[0] - key[0]];
    if (bounds.empty())
      for (const Rounded& x : bias.outputs(InPrecision(p), query[0] - key[0])) bounds.push_back(x.error);
    return bounds.at(head);
  };
}

}  // namespace posproof::oracle
