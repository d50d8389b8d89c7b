#pragma once

#include <cstdint>
#include <span>

// Numbers that are not angles, each exact (or to 256 bits) and rounded once to double.
namespace posproof::exact {

// deviation * sqrt(3) * (u * 2^-52 - 1), u being 53 bits that the seed and the number of the entry give:
// uniform, with that standard deviation. The bits are the upper ones of Steele, Lea, Flood 2014, SplitMix64,
// at seed * 2^32 + entry.
double seeded(double deviation, std::int64_t seed, std::uint64_t entry);

// The dot product, with no rounding at all; then over sqrt(root), root = 1 for none; rounded once.
double dot(std::span<const double> a, std::span<const double> b, std::size_t root);

// The same by 4318 bits throughout: what `dot` falls back on, and what it is checked against.
double dot_in_full(std::span<const double> a, std::span<const double> b, std::size_t root);

}  // namespace posproof::exact
