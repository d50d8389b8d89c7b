#pragma once

#include <cstdint>

// How far sines and cosines in double are from the exact ones of the same angle.
namespace posproof {

class UlpErrors {
 public:
  // What was given for the sine and the cosine of this angle, in radians: a finite double, exact as it
  // stands.
  void add(double angle, double sine, double cosine);

  // In units in the last place of a double at the size of the exact value; infinite for what is not finite, 0
  // without any.
  double largest() const { return largest_; }
  double mean() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }

 private:
  void add_one(double error);

  double largest_ = 0, sum_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace posproof
