#pragma once

#include <cmath>
#include <cstdint>

#include "core/tensor.h"

namespace posproof::attention {

// Random numbers that are the same bits everywhere, which those of <random>'s distributions are not:
// splitmix64 (Steele, Lea, Flood 2014), and normal numbers by Box and Muller in long double.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }  // [0, 1)

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
  std::uint64_t state_;
};

}  // namespace posproof::attention
