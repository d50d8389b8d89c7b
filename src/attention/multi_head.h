#pragma once

#include <cstdint>

#include "core/encoding.h"

namespace posproof::attention {

// The operator without position, in several heads: head h has the channels from h * dim / heads on. Throws
// std::invalid_argument where the heads do not divide the width.
Attention heads(std::size_t dim, std::size_t number);

// Four linear maps, applied to each token: x W. Vaswani et al. 2017, section 3.2.2, with the matrices of all
// heads side by side.
struct Projections {
  Tensor query, key, value, output;  // [dim, dim]
};

// Independent normal entries of variance 1/dim, so that projected tokens keep their size.
Projections random_projections(std::size_t dim, std::uint64_t seed);

// attend(x W_q, y W_k, y W_v) W_o: queries from x, keys and values from y; self-attention where they are the
// same. The operator in the middle is `heads(dim, number)`, or any encoding in it.
Tensor multi_head(const Projections& projections, const Attention& attention, const Tensor& x,
                  const Tensor& y, const Mask& mask);

}  // namespace posproof::attention
