#pragma once

#include <cstddef>

#include "core/tensor.h"

namespace posproof {

// How well one orthogonal matrix can carry the rows of x to those of y (both [n, d]).
struct Carried {
  double residual;  // min over orthogonal M of ||y - x M^T||_F; NaN where an entry is not finite
  double rounding;  // by how much the residual may be too large because of our own arithmetic
};

// Orthogonal Procrustes problem (Schoenemann 1966), by QR and SVD in long double. Only the span of the rows
// matters, so that a width of thousands costs no more than n does.
Carried procrustes(const Tensor& x, const Tensor& y);

}  // namespace posproof
