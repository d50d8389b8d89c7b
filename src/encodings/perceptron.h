#pragma once

#include <algorithm>
#include <span>

#include "oracle/bias_bounds.h"

namespace posproof {

// One output of a perceptron of one hidden layer with max(., 0), in long double.
inline long double perceptron(const bias_bounds::Perceptron& of, std::size_t head,
                              std::span<const long double> x) {
  long double out = of.last_bias(head);
  for (std::size_t k = 0; k < of.width; ++k) {
    long double hidden = of.bias(k);
    for (std::size_t i = 0; i < of.inputs; ++i) hidden += of.weight(k, i) * x[i];
    out += of.last_weight(head, k) * std::max(hidden, 0.0L);
  }
  return out;
}

}  // namespace posproof
