#include "core/mean_error.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/term.h"

namespace posproof {
namespace {

// Up to here exp(e) is worth being multiplied with: the bound by the range is the smaller one soon after.
constexpr double near = 0.25;

// What an exponential and a weight lose together where they are below the smallest normal number, and a
// product as well: in f16, whose numbers lie 2^-24 apart there, half of that each, in the other formats up to
// the number itself.
double lost(const Precision& p) {
  return 2 * term(Term::underflow, p.result == unit_f16   ? 0x1p-25
                                   : p.result == unit_f64 ? 0x1p-1022
                                                          : 0x1p-126);
}

// Of one channel.
struct Channel {
  double mean = 0, size = 0, apart = 0;  // of v, of |v|, of (exp(e_j) - 1) |v_j - mean|
  double least = std::numeric_limits<double>::infinity(), most = -least;

  double largest() const { return std::max(std::abs(least), std::abs(most)); }
};

}  // namespace

std::vector<double> mean_errors(const Mean& of, const Precision& p) {
  const std::size_t n = of.logits.size(), width = of.values.empty() ? 0 : of.values.front().size();
  std::vector<double> out(width);
  const double most = *std::ranges::max_element(of.logits);
  std::vector<double> weights(n), moved(n);
  double e = 0, whole = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const double less = most - of.logits[j];
    const double own = of.errors[j] + term(Term::softmax, p.result * less + 4 * p.result);
    if (own > e || std::isnan(own)) e = own;  // NaN stays: no later comparison with it is true
    whole += weights[j] = std::exp(-less);
    moved[j] = own <= near ? std::expm1(own) : 0;
  }
  if (std::isnan(e)) return out;
  std::vector<Channel> channels(width);
  for (std::size_t j = 0; j < n; ++j) {
    weights[j] /= whole;
    for (std::size_t c = 0; c < width; ++c) {
      const double v = of.values[j][c];
      Channel& one = channels[c];
      one.mean += weights[j] * v;
      one.size += weights[j] * std::abs(v);
      one.least = std::min(one.least, v);
      one.most = std::max(one.most, v);
    }
  }
  if (e <= near)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t c = 0; c < width; ++c)
        channels[c].apart += weights[j] * moved[j] * std::abs(of.values[j][c] - channels[c].mean);
  const auto keys = static_cast<double>(n);
  const double roundings = term(Term::mean, 2 * keys * p.work()) + term(Term::result, 4 * p.result);
  for (std::size_t c = 0; c < width; ++c) {
    const Channel& one = channels[c];
    double by_logits = std::min(e, 2.0) * (one.most - one.least) / 2, by_rounding = roundings * one.largest();
    if (e <= near) {
      by_logits = std::min(by_logits, std::exp(e) * one.apart);
      by_rounding = std::min(by_rounding,
                             roundings * std::exp(2 * e) * one.size + keys * lost(p) * (1 + one.largest()));
    }
    const double bound = by_logits + of.values_error + by_rounding;
    if (std::isfinite(bound) && std::isfinite(one.mean)) out[c] = bound;
  }
  return out;
}

}  // namespace posproof
