#pragma once

#include <functional>
#include <optional>
#include <span>

#include "core/encoding.h"

namespace posproof::attention {

// The logits that the softmax sees, content and position together, and how far rounding may put them.
//   table:      (q + p_i) . (k + p_j) / sqrt(d)
//   rotary:     turn(q, i) . turn(k, j) / sqrt(d)       in each head, d the width of one head
//   bias:       q . k / sqrt(d) + bias(i, j)            in each head, of content of width 4
//   contextual: its own logits
// The width is that of all heads together. A table that is normalised by the length is asked for that of the
// longer side, up to its last position.
struct Logits {
  using Positions = std::span<const Position>;
  std::size_t dim = 0;
  std::size_t heads = 1;
  Domain positions = {};
  bool positional = true;
  std::function<Tensor(const Tensor& q, const Tensor& k, Positions, Positions)> at = {};  // [heads, nq, nk]
  // Bound of |logit - exact| for an implementation of that precision: [heads, nq, nk].
  std::function<Tensor(const Tensor& q, const Tensor& k, Positions, Positions, const Precision&)> error = {};
};

// None for an attention operator: its logits cannot be seen.
std::optional<Logits> logits(const Encoding& encoding);

}  // namespace posproof::attention
