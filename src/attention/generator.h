#pragma once

#include <cmath>
#include <cstdint>

#include "core/random.h"
#include "core/tensor.h"

namespace posproof::attention {

// Random numbers that are the same bits everywhere: SplitMix64, and normal numbers by Box and Muller in long
// double.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : numbers_(seed) {}

  std::uint64_t next() { return numbers_.next(); }
  double uniform() { return numbers_.uniform(); }  // [0, 1)

  double normal() {  // mean 0, variance 1
    constexpr long double two_pi = 6.283185307179586476925286766559L;
    const long double radius = std::sqrt(-2 * std::log(1 - static_cast<long double>(uniform())));
    return static_cast<double>(radius * std::cos(two_pi * uniform()));
  }

  // Independent normal entries of that standard deviation.
  Tensor normal(Shape shape, double deviation) {
    Tensor out(std::move(shape));
    for (double& value : out.data) value = deviation * normal();
    return out;
  }

 private:
  SplitMix64 numbers_;
};

}  // namespace posproof::attention
