#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "core/random.h"

namespace posproof {

// Entry `index` of a table filled from a seed: uniform with mean 0 and that standard deviation, so between
// -std sqrt(3) and std sqrt(3). Every language can make the same table without a library.
inline double seeded(std::uint64_t seed, std::uint64_t index, double std_deviation) {
  const std::uint64_t u = mixed((seed << 32) + index) >> 11;
  const long double unit = static_cast<long double>(u) * 0x1p-52L - 1;
  return static_cast<double>(static_cast<long double>(std_deviation) * std::sqrt(3.0L) * unit);
}

// Number `index` of as many as are needed, uniform in [0, 1).
inline double seeded_share(std::uint64_t seed, std::uint64_t index) {
  return static_cast<double>(mixed((seed << 32) + index) >> 11) * 0x1p-53;
}

// Number `index` of independent normal ones of that standard deviation, made of shares 2 index and 2 index +
// 1 (Box, Muller 1958).
inline double seeded_normal(std::uint64_t seed, std::uint64_t index, double std_deviation) {
  constexpr long double two_pi = 2 * std::numbers::pi_v<long double>;
  const long double above_0 = seeded_share(seed, 2 * index) + 0x1p-53L;
  const long double turns = seeded_share(seed, 2 * index + 1);
  return static_cast<double>(std_deviation * std::sqrt(-2 * std::log(above_0)) * std::cos(two_pi * turns));
}

}  // namespace posproof
