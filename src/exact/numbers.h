#pragma once

#include <cstdint>
#include <span>

// Numbers that are not angles, each exact (or to 256 bits) and rounded once to double.
namespace posproof::exact {

// deviation * sqrt(3) * (u * 2^-52 - 1), u being 53 bits that the seed and the number of the entry give:
// uniform, with that standard deviation. The bits are the upper ones of Steele, Lea, Flood 2014, SplitMix64,
// at seed * 2^32 + entry.
double seeded(double deviation, std::int64_t seed, std::uint64_t entry);

// While one lives, seeded() and seeded_normal() give their numbers as a format has them: what is made then in
// this thread has its trained or drawn numbers rounded, as of a checkpoint that was saved in it.
class SeededNumbersIn {
 public:
  explicit SeededNumbersIn(double (*format)(double));
  ~SeededNumbersIn();
  SeededNumbersIn(const SeededNumbersIn&) = delete;
  SeededNumbersIn& operator=(const SeededNumbersIn&) = delete;

 private:
  double (*before_)(double);
};

// The 53 bits of that number as a share u 2^-53 of 1.
double seeded_share(std::int64_t seed, std::uint64_t number);

// deviation * sqrt(-2 ln(u + 2^-53)) cos(2 pi v) of the shares u and v of numbers 2 entry and 2 entry + 1:
// normal, with that standard deviation. Box, Muller 1958, A note on the generation of random normal deviates.
double seeded_normal(double deviation, std::int64_t seed, std::uint64_t entry);

// The dot product, with no rounding at all; then over sqrt(root), root = 1 for none; rounded once.
double dot(std::span<const double> a, std::span<const double> b, std::size_t root);

// The same by 4318 bits throughout: what `dot` falls back on, and what it is checked against.
double dot_in_full(std::span<const double> a, std::span<const double> b, std::size_t root);

}  // namespace posproof::exact
