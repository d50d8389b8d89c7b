#pragma once

#include <span>
#include <vector>

#include "core/precision.h"

namespace posproof {

// What one query averages: n keys that it sees, with their logits, how far each logit may be off, and the
// values, `width` channels of each key. A value may be off by `values_error`.
struct Mean {
  std::span<const double> logits, errors;
  std::span<const std::span<const double>> values;
  double values_error = 0;
};

// How far each channel of o = sum_j w_j v_j may be off, where w = softmax(l): [width].
//
// 1. Logits off by delta_j, |delta_j| <= e_j, which is the logit's own error, one rounding of l_j - max l,
// and
//    4 units for an exponential within 2 ulp. With e the largest of all e_j:
//    - o' - o = sum_j w_j (exp(delta_j) - 1) (v_j - o) / sum_j w_j exp(delta_j), because sum_j w_j (v_j - o)
//      is 0; so at most exp(e) sum_j w_j (exp(e_j) - 1) |v_j - o|. To all orders.
//    - sum_j |w'_j - w_j| <= e (along the way from l to l + delta the weights move by the mean absolute
//      deviation of what lies in [-e, e]), and never more than 2. Both sum to 1, so the middle of the values
//      may be taken off: min(e, 2) * range(v) / 2. To all orders.
//    The smaller one counts.
// 2. Values off by dv: at most dv, because the weights are positive and sum to 1.
// 3. The normaliser and the answer are sums of n terms each in the work's format: n - 1 of its units each,
//    and 2 for the quotient and the product. The normaliser, the weight, each product and the answer may be
//    stored in the result's: 4. All of sum_j w'_j |v_j|, w'_j being at most exp(2 e) w_j, and so of max |v|
//    at most, to first order. Below the smallest normal number an exponential, a weight and a product are off
//    by half of the distance of f16's numbers there, or lost.
// A channel whose bound is no finite number is allowed nothing, so that a comparison with it refutes instead
// of ending the run.
std::vector<double> mean_errors(const Mean& of, const Precision& p);

}  // namespace posproof
