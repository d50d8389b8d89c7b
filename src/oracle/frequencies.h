#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "oracle/real.h"

namespace posproof::oracle {

// The exponent of a frequency base^(-numerator/denominator).
struct Exponent {
  std::int64_t numerator;
  std::int64_t denominator;
};

// Every frequency is a power of the base.
struct Geometric {
  double base;
  std::vector<Exponent> exponents;
};

// Every frequency is exactly the number that is given: the question that is asked of an implementation which
// rounded its frequencies first.
struct Given {
  std::vector<double> frequencies;
};

// What the frequencies of a ladder are: a recipe, exact, from which they are computed to any precision.
struct Frequencies {
  std::variant<Geometric, Given> ladder;
  bool backward = false;  // every frequency negated

  std::size_t size() const;
};

// The frequencies, radians per position, each within 2^(12 - bits) of itself.
std::vector<Real> exact(const Frequencies& frequencies, mpfr_prec_t bits);

// What every sine and cosine is multiplied with.
using Amplitude = std::variant<double>;

// Within 2^(12 - bits) of itself; bits >= 64.
Real exact(const Amplitude& amplitude, mpfr_prec_t bits);
bool exactly_held(const Amplitude& amplitude);  // it is a double: no error at all

}  // namespace posproof::oracle
