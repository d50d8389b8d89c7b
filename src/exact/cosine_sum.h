#pragma once

#include <vector>

#include "core/encoding.h"
#include "core/formats.h"
#include "core/kept.h"
#include "exact/real.h"

namespace posproof::exact {

// plus - sum over i of (1 - cos(distance base^(-2i/dim))), i = first .. first + dim/2 - 1, and fractions of
// it: correctly rounded (to nearest, ties to even) to any format. `base` and `plus` are exactly the doubles
// that they are.
class CosineSum {
 public:
  // A base above 0 and an even width from 2 are the caller's affair.
  CosineSum(double base, std::int64_t dim, std::int64_t first, double plus);

  std::vector<double> frequencies() const;  // of the cosines, each rounded once

  // Times numerator / denominator, both above 0.
  double at(Position distance, std::int64_t numerator, std::int64_t denominator, Format format) const;

 private:
  std::vector<Real> frequencies(mpfr_prec_t digits) const;
  Real sum(Position distance, mpfr_prec_t bits) const;  // within 2^-bits

  double base_;
  std::int64_t dim_, first_;
  double plus_;
  std::vector<Real> usual_;  // of `usual_digits`, which nearly always are enough
  // Sums of `first_bits`: many heads and formats ask for one distance, and a diagnosis again and again.
  Kept<Real> kept_;
};

}  // namespace posproof::exact
