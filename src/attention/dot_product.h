#pragma once

#include <cstddef>
#include <span>

#include "core/encoding.h"

// Scaled dot-product attention: Vaswani et al. 2017, section 3.2.1. Sums run in double in the order of the
// summed axis, exponentials in long double: the same bits from every compiler on every machine.
namespace posproof::attention {

// x w: [n, a] times [a, b] -> [n, b]. Throws std::invalid_argument where the shapes do not meet.
Tensor product(const Tensor& x, const Tensor& w);

// q k^T / sqrt(d): [nq, d], [nk, d] -> [nq, nk]. Throws std::invalid_argument where the widths differ.
Tensor scaled_logits(const Tensor& q, const Tensor& k);

// exp(l_ij) / sum over the seen j of exp(l_ij), 0 for a key that is not seen: [nq, nk]. The largest seen
// logit of a row is taken off first, so that no exponential overflows. Throws Refusal for a query that sees
// no key.
Tensor softmax(const Tensor& logits, const Mask& mask);

// sum_j w_j v_j for the channels of v from `first` on, as many as the answer has. One weight for each row of
// v.
void average(std::span<const double> weights, const Tensor& v, std::size_t first, std::span<double> answer);

// softmax(q k^T / sqrt(d)) v -> [nq, width of v].
Tensor scaled_dot_product(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask);

}  // namespace posproof::attention
