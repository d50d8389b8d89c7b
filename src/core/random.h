#pragma once

#include <cstdint>
#include <string_view>

namespace posproof {

// The finisher of splitmix64 (Steele, Lea, Flood 2014): a bijection of 64 bits in which each bit depends on
// all.
constexpr std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// The generator SplitMix64 (Steele, Lea and Flood 2014, Fast splittable pseudorandom number generators), the
// same numbers everywhere, which those of <random>'s distributions are not.
class SplitMix64 {
 public:
  explicit constexpr SplitMix64(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t next() {
    const std::uint64_t number = mixed(state_);
    state_ += 0x9e3779b97f4a7c15;
    return number;
  }
  constexpr double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }  // [0, 1)

 private:
  std::uint64_t state_;
};

// What a case is drawn from. FNV-1a over the id, mixed with both numbers; written out because std::hash
// differs between standard libraries, and a case must not.
constexpr std::uint64_t hash(std::uint64_t seed, std::string_view id, std::uint64_t n) {
  std::uint64_t h = 0xcbf29ce484222325;
  for (const char c : id) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return mixed(mixed(mixed(seed) ^ h) ^ n);
}

}  // namespace posproof
