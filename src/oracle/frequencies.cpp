#include "oracle/frequencies.h"

namespace posproof::oracle {
namespace {

// exp(-(ln base) numerator / denominator). Every operation of MPFR is correctly rounded, u = 2^-bits: the
// exponent carries three roundings (logarithm, product, quotient), 3 u of itself, which is 3 u |ln w| of w,
// and the exponential adds u. |ln w| < 710 for every double base and exponents up to 1: (1 + 3 * 710) u <
// 2^12 u.
std::vector<Real> frequencies_of(const Geometric& ladder, mpfr_prec_t bits) {
  Real log_base(bits, ladder.base);
  mpfr_log(log_base.x, log_base.x, MPFR_RNDN);
  std::vector<Real> out;
  out.reserve(ladder.exponents.size());
  for (const auto& [numerator, denominator] : ladder.exponents) {
    Real w(bits);
    mpfr_mul_si(w.x, log_base.x, -numerator, MPFR_RNDN);
    mpfr_div_si(w.x, w.x, denominator, MPFR_RNDN);
    mpfr_exp(w.x, w.x, MPFR_RNDN);
    out.push_back(std::move(w));
  }
  return out;
}

std::vector<Real> frequencies_of(const Given& given, mpfr_prec_t bits) {
  std::vector<Real> out;
  out.reserve(given.frequencies.size());
  for (const double w : given.frequencies) out.emplace_back(bits, w);
  return out;
}

}  // namespace

std::size_t Frequencies::size() const {
  if (const auto* geometric = std::get_if<Geometric>(&ladder)) return geometric->exponents.size();
  return std::get<Given>(ladder).frequencies.size();
}

std::vector<Real> exact(const Frequencies& frequencies, mpfr_prec_t bits) {
  auto out =
      std::visit([bits](const auto& ladder) { return frequencies_of(ladder, bits); }, frequencies.ladder);
  if (frequencies.backward)
    for (Real& w : out) mpfr_neg(w.x, w.x, MPFR_RNDN);
  return out;
}

Real exact(const Amplitude& amplitude, mpfr_prec_t bits) {
  return {bits, std::get<double>(amplitude)};
}

bool exactly_held(const Amplitude& amplitude) {
  return std::holds_alternative<double>(amplitude);
}

}  // namespace posproof::oracle
