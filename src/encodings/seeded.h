#pragma once

#include <cmath>
#include <cstdint>

namespace posproof {

// The output of the generator SplitMix64 (Steele, Lea and Flood 2014, Fast splittable pseudorandom number
// generators) that is in state x: the state moves on by the golden ratio, and the new state is mixed.
inline std::uint64_t splitmix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Entry `index` of a table filled from a seed: uniform with mean 0 and that standard deviation, so between
// -std sqrt(3) and std sqrt(3). Every language can make the same table without a library.
inline double seeded(std::uint64_t seed, std::uint64_t index, double std_deviation) {
  const std::uint64_t u = splitmix64((seed << 32) + index) >> 11;
  const long double unit = static_cast<long double>(u) * 0x1p-52L - 1;
  return static_cast<double>(static_cast<long double>(std_deviation) * std::sqrt(3.0L) * unit);
}

}  // namespace posproof
