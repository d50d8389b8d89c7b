#include "nearest_token.h"

#include <boost/math/distributions/non_central_chi_squared.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace posproof::experiments {
namespace {

// In double throughout: twelve digits and more, three times as fast as by way of long double. The gamma
// functions of large widths overflow, which makes what they divide 0, as it nearly is.
using NoncentralChiSquared = boost::math::non_central_chi_squared_distribution<
    double, boost::math::policies::policy<
                boost::math::policies::promote_double<false>,
                boost::math::policies::overflow_error<boost::math::policies::ignore_error>>>;

}  // namespace

double chi_squared_below(double at, std::size_t dim, double noncentrality) {
  return boost::math::cdf(NoncentralChiSquared(static_cast<double>(dim), noncentrality), at);
}

double confusion(double ratio, std::size_t dim) {
  const double half = ratio * ratio / 2;
  return chi_squared_below(half, dim, half);
}

double confusion(double ratio, std::size_t dim, std::size_t tokens) {
  const double square = ratio * ratio, mean = static_cast<double>(dim) + square,
               deviation = std::sqrt(2 * (static_cast<double>(dim) + 2 * square));
  const NoncentralChiSquared sum(static_cast<double>(dim), square);
  const auto density_of_error = [&](double at) {
    const double one = chi_squared_below(square, dim, at);
    return boost::math::pdf(sum, at) * -std::expm1(static_cast<double>(tokens - 1) * std::log1p(-one));
  };
  return boost::math::quadrature::gauss_kronrod<double, 31>::integrate(
      density_of_error, std::max(0.0, mean - 12 * deviation), mean + 12 * deviation, 8, 1e-9);
}

double sinusoidal_ratio(double scale, std::size_t dim) {
  return std::sqrt(static_cast<double>(dim) / 2) / scale;
}

double scale_of_error(double error, std::size_t dim, std::size_t tokens) {
  const double root = std::sqrt(static_cast<double>(dim));
  double low = 0.5 / root, high = 100 / root;
  while (high / low > 1 + 1e-5) {
    const double middle = std::sqrt(low * high);
    (confusion(sinusoidal_ratio(middle, dim), dim, tokens) > error ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

double token_lost_below(const Matrix& z, Index own, const Vector& offset) {
  double out = 0;
  for (Index other = 0; other < z.rows(); ++other) {
    if (other == own) continue;
    const Vector d = (z.row(other) - z.row(own)).transpose();
    out = std::max(out, 2 * offset.dot(d) / d.squaredNorm());
  }
  return out;
}

double position_lost_above(const Matrix& p, Index own, const Vector& z) {
  const Vector along = p * z;
  double out = std::numeric_limits<double>::infinity();
  for (Index other = 0; other < p.rows(); ++other)
    if (along[other] > along[own])
      out = std::min(out, (p.row(other) - p.row(own)).squaredNorm() / (2 * (along[other] - along[own])));
  return out;
}

}  // namespace posproof::experiments
