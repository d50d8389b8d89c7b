#pragma once

#include <span>

#include "core/precision.h"
#include "core/tensor.h"

namespace posproof {

// How far sum_j w_j v_j may be off in any channel, where w = softmax(l), l is off by at most `errors`, and
// the values [n, width] by `values_error`. For n keys that a query sees.
//
// 1. Logits off by delta_j, |delta_j| <= e: sum_j |w'_j - w_j| <= e (the mean absolute deviation of what lies
//    in [-e, e]), and never more than 2. Both sum to 1, so the middle of the values may be taken off:
//    min(e, 2) * range(v) / 2. e is a logit's own error, one rounding of l_j - max l, and 4 units for an
//    exponential within 2 ulp.
// 2. Values off by dv: at most dv, because the weights are positive and sum to 1.
// 3. The normaliser and the answer are sums of n terms each in the work's format: n - 1 of its units each,
//    and 2 for the quotient and the product. The normaliser, the weight, each product and the answer may be
//    stored in the result's: 4. All of max |v|.
double mean_error(std::span<const double> logits, std::span<const double> errors, const Tensor& values,
                  double values_error, const Precision& p);

}  // namespace posproof
