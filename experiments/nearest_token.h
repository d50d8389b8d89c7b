#pragma once

#include "matrices.h"

// Which token is nearest to x + p, by somebody who does not know p. Tokens have independent normal entries of
// standard deviation `scale`; what is added has length |p|, and only |p| / scale matters.
namespace posproof::experiments {

// P(X < at) for X noncentral chi-squared with `dim` degrees of freedom.
double chi_squared_below(double at, std::size_t dim, double noncentrality);

// The probability that a given other token y is nearer: |x + p - y| < |p|, where (x + p - y) / scale has
// entries of variance 2.
double confusion(double ratio, std::size_t dim);

// The probability that any of the others is nearer, of `tokens` in all. Given x they are independent, and
// each is nearer with a probability that depends on |x + p| alone, which is noncentral chi-squared itself.
double confusion(double ratio, std::size_t dim, std::size_t tokens);

// |p| / scale for a sinusoidal row: |p| = sqrt(dim / 2).
double sinusoidal_ratio(double scale, std::size_t dim);

// The scale at which nearest-token decoding errs with that probability, to four digits. It errs less often
// the larger the scale.
double scale_of_error(double error, std::size_t dim, std::size_t tokens);

// Row `own` of the unscaled tokens z, with an offset added, has another token nearer to it exactly at the
// scales below this: |s z_a + p - s z_b| < |p| where s |d|^2 < 2 p.d, d = z_b - z_a.
double token_lost_below(const Matrix& z, Index own, const Vector& offset);

// Position `own` of the rows p, with s z added, has another position nearer to it exactly at the scales s
// above this: |s z + p_t - p_u| < |s z| where |d|^2 < 2 s z.d, d = p_u - p_t.
double position_lost_above(const Matrix& p, Index own, const Vector& z);

}  // namespace posproof::experiments
