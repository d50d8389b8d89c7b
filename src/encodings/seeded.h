#pragma once

#include <cmath>
#include <cstdint>

#include "core/random.h"

namespace posproof {

// Entry `index` of a table filled from a seed: uniform with mean 0 and that standard deviation, so between
// -std sqrt(3) and std sqrt(3). Every language can make the same table without a library.
inline double seeded(std::uint64_t seed, std::uint64_t index, double std_deviation) {
  const std::uint64_t u = mixed((seed << 32) + index) >> 11;
  const long double unit = static_cast<long double>(u) * 0x1p-52L - 1;
  return static_cast<double>(static_cast<long double>(std_deviation) * std::sqrt(3.0L) * unit);
}

}  // namespace posproof
