#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "exact/real.h"

namespace posproof::exact {

// The exponent of a frequency base^(-numerator/denominator).
struct Exponent {
  std::int64_t numerator;
  std::int64_t denominator;
};

// What becomes of the frequencies w_i of a ladder that was trained on `original_length` positions and is to
// serve `factor` times as many. d is the denominator of the exponents, i half their numerator.

struct Unscaled {};

// w_i / factor. Chen et al. 2023, Position Interpolation, eq. 4.
struct Interpolated {
  double factor;
};

// w_i / divisors[i]. Ding et al. 2024, LongRoPE, eq. 4: one divisor for each frequency.
struct Divided {
  std::vector<double> divisors;
};

// The frequencies of the base b factor^(d/(d-2)): the first stays, the last (i = d/2 - 1) is divided by
// factor. bloc97 2023; Peng et al. 2023, YaRN, definition 1.
struct NtkAware {
  double factor;
};

// NtkAware with the factor s n / L0 - (s - 1), for sequences of n tokens, which is 1 for those of L0. Hugging
// Face transformers, rope type `dynamic`; emozilla 2023.
struct DynamicNtk {
  double factor, original_length, length;
};

// w_i kept where it makes `most` rotations or more in the original length, divided by factor where it makes
// `least` or fewer, and between them (1 - g) w_i / factor + g w_i with g linear in the rotations. Peng et al.
// 2023, YaRN, definition 2 (alpha, beta); with 1 and 4 that of Llama 3.1. Equal bounds are a step, as those
// of Llama 4 Scout: no frequency makes just so many rotations, for pi would be algebraic.
struct ByParts {
  double factor, original_length;
  double least, most;
};

// The same with g linear in i, as the row of YaRN has it: 1 up to index `first`, 0 from `last` on, where
// `fast` and `slow` rotations are made, i = d ln(original_length / (2 pi rotations)) / (2 ln b), rounded down
// and up if `truncate`. Then the first is at least 0 and the last at most d - 1; where that makes them equal,
// the last is 0.001 more.
struct ByIndex {
  double factor, original_length;
  double fast, slow;
  bool truncate = true;
};

using Scaling = std::variant<Unscaled, Interpolated, Divided, NtkAware, DynamicNtk, ByParts, ByIndex>;

// Every frequency is a power of the base, scaled. Bases above 1 and factors of 1 or more, where there is a
// scaling.
struct Geometric {
  double base;
  std::vector<Exponent> exponents;
  Scaling scaling = Unscaled{};
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
  double multiple = 1;    // every frequency times it: of positions that are scaled; above 0

  std::size_t size() const;
};

// The frequencies, radians per position, each within 2^(12 - bits) of itself; bits >= 64. Throws Refusal
// where that cannot be decided: parameters so close that 2^14 bits do not tell them apart.
std::vector<Real> exact(const Frequencies& frequencies, mpfr_prec_t bits);

// The ends of a ramp over the index, each rounded once. Throws as `exact` does.
struct Ends {
  double first, last;
};
Ends ends(const ByIndex& scaling, double base, std::int64_t d);

// (mscale ln(factor) / 10 + 1) / (mscale_all_dim ln(factor) / 10 + 1), both not negative. Peng et al. 2023,
// YaRN, definition 3, where mscale is 1 and mscale_all_dim 0; the quotient is that of DeepSeek-V2.
struct YarnAmplitude {
  double factor;
  double mscale = 1, mscale_all_dim = 0;
};

// sqrt(1 + ln(factor) / ln(original_length)). Ding et al. 2024, LongRoPE, section 3.
struct LongRopeAmplitude {
  double factor, original_length;
};

// What every sine and cosine is multiplied with.
using Amplitude = std::variant<double, YarnAmplitude, LongRopeAmplitude>;

// Within 2^(12 - bits) of itself; bits >= 64.
Real exact(const Amplitude& amplitude, mpfr_prec_t bits);
// It is a double: no error at all. (Not every double is known to be one: sqrt(1 + ln 8 / ln 2) is 2.)
bool exactly_held(const Amplitude& amplitude);

}  // namespace posproof::exact
