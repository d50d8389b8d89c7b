#pragma once

#include <optional>
#include <span>
#include <variant>

#include "core/encoding.h"
#include "core/formats.h"

// What biases on the logit are made of: functions of the distance alone, correctly rounded (to nearest, ties
// to even) to any format. Every parameter is taken for exactly the double that it is.
namespace posproof::exact {

// -factor * 2^(-max_bias * numerator / denominator - halvings) / sqrt(divisor) * distance: Press et al. 2022,
// section 3, where factor and divisor are 1 and nothing is halved. Denominator and divisor are not below 1; a
// negative distance gives the positive bias of rows that count their keys.
struct Linear {
  double max_bias;
  std::int64_t numerator, denominator;
  std::int64_t halvings = 0, divisor = 1;
  double factor = 1;
};

// -r1 * ln(1 + r2 * |distance|^exponent), r1 and r2 not negative, exponent above 0: the logarithmic variant
// of KERPLE (Chi et al. 2022), whose exponent is 1, and NeMo's, which has three parameters.
struct Logarithmic {
  double r1, r2, exponent = 1;
};

// -r1 * |distance|^r2, r1 not negative, r2 above 0: the power variant of KERPLE. That it is conditionally
// positive definite for r2 up to 2 only is not enforced: a wrong one has values too.
struct PowerLaw {
  double r1, r2;
};

using BiasKernel = std::variant<Linear, Logarithmic, PowerLaw>;

// The kernel at a distance. A bias of exactly 0 is +0; one too small for the format has its sign. Throws
// Refusal for parameters out of range, infinite ones included.
double value(const BiasKernel& kernel, Position distance, Format format);

// The kernel at `first`, first + 1, ...: as `value`, with the work that is the same for all of them done
// once.
void fill(const BiasKernel& kernel, Position first, Format format, std::span<double> out);

// What Linear multiplies the distance with: -value at distance 1.
double slope(const Linear& kernel, Format format);

// A linear kernel whose slope is at hand as the sum of two doubles: its `at` is `value`, for most distances
// at the cost of a product that is certain to round as the exact one does, for the others with MPFR.
class LinearBias {
 public:
  explicit LinearBias(const Linear& kernel);  // throws Refusal as `value` does

  double at(Position distance, Format format) const;
  double slope() const { return high_; }  // in f64

 private:
  std::optional<double> certain(Position distance, Format format) const;

  Linear kernel_;
  double high_, low_;
  bool exact_;  // the slope is high_
};

}  // namespace posproof::exact
