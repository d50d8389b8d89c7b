#include "exact/cosine_sum.h"

#include <cmath>

namespace posproof::exact {
namespace {

constexpr mpfr_prec_t usual_digits = 320, bits_at_first = 96;

}  // namespace

CosineSum::CosineSum(double base, std::int64_t dim, std::int64_t first, double plus)
    : base_(base), dim_(dim), first_(first), plus_(plus), usual_(frequencies(usual_digits)) {}

// Each within two units in the last of so many digits of itself: a quotient and a power.
std::vector<Real> CosineSum::frequencies(mpfr_prec_t digits) const {
  std::vector<Real> all;
  const Real base(53, base_);
  // 32 more, as an error of the exponent counts as often as the logarithm of the base, which is below 2^10.
  Real exponent(digits + 32);
  for (std::int64_t i = first_; i < first_ + dim_ / 2; ++i) {
    mpfr_set_si(exponent.x, -2 * i, MPFR_RNDN);
    mpfr_div_si(exponent.x, exponent.x, dim_, MPFR_RNDN);
    all.emplace_back(digits);
    mpfr_pow(all.back().x, base.x, exponent.x, MPFR_RNDN);
  }
  return all;
}

std::vector<double> CosineSum::frequencies() const {
  std::vector<double> out;
  for (const Real& frequency : usual_) out.push_back(frequency.nearest());
  return out;
}

// 1 - cos x = 2 sin^2(x/2), which loses nothing where x is small. With p digits an angle below 2^k is off by
// less than 2^(k + 3 - p), the square of its sine by twice that and 2^(2 - p), and each of the sums, at most
// 2^21 of them of at most 2^22, by 2^(22 - p): together less than 2^(21 + 25 + k - p).
Real CosineSum::sum(Position distance, mpfr_prec_t bits) const {
  const double fastest = std::max(std::abs(usual_.front().nearest()), std::abs(usual_.back().nearest()));
  const auto k =
      static_cast<mpfr_prec_t>(std::log2(1 + std::abs(static_cast<double>(distance)) * fastest)) + 1;
  const mpfr_prec_t digits = bits + 48 + k;
  const std::vector<Real> more = digits > usual_digits ? frequencies(digits) : std::vector<Real>{};
  Real total(digits, plus_), term(digits);
  for (const Real& frequency : more.empty() ? usual_ : more) {
    mpfr_mul_si(term.x, frequency.x, distance, MPFR_RNDN);
    mpfr_div_2ui(term.x, term.x, 1, MPFR_RNDN);
    mpfr_sin(term.x, term.x, MPFR_RNDN);
    mpfr_sqr(term.x, term.x, MPFR_RNDN);
    mpfr_mul_2ui(term.x, term.x, 1, MPFR_RNDN);
    mpfr_sub(total.x, total.x, term.x, MPFR_RNDN);
  }
  return total;
}

// Ziv 1991. At distance 0 the sum is `plus`, and a fraction of it that has no end in binary is no tie.
// Elsewhere it is transcendental: the frequencies are algebraic numbers of different size, so that by the
// theorem of Lindemann and Weierstrass no sum of their cosines is algebraic.
double CosineSum::at(Position distance, std::int64_t numerator, std::int64_t denominator,
                     Format format) const {
  for (mpfr_prec_t bits = bits_at_first;; bits *= 2) {
    Real value = bits == bits_at_first ? kept_(distance, [&](Position at) { return sum(at, bits_at_first); })
                                       : sum(distance, bits);
    const auto place =
        value.is_zero() ? 0 : mpfr_get_exp(value.x);  // its first digit may be below any double's
    mpfr_mul_si(value.x, value.x, numerator, MPFR_RNDN);
    const bool exact = mpfr_div_si(value.x, value.x, denominator, MPFR_RNDN) == 0 && distance == 0;
    if (exact || value.is_zero()) {
      if (exact) return *rounded(format, value, 0);
      continue;
    }
    const double own = distance == 0 ? 0 : std::ldexp(1.0, static_cast<int>(1 - place - bits));
    const double relative = own + std::ldexp(1.0, 2 - static_cast<int>(bits));
    if (relative < 0.5)
      if (const auto found = rounded(format, value, relative)) return *found;
  }
}

}  // namespace posproof::exact
