#pragma once

#include <optional>
#include <span>

#include "core/encoding.h"
#include "core/function.h"

namespace posproof::attention {

// The logits that the softmax sees, content and position together, and how far rounding may put them.
//   table:      (q + p_i) . (k + p_j) / sqrt(d)
//   rotary:     rotate(q, i) . rotate(k, j) / sqrt(d)       in each head, d the width of one head
//   bias:       q . k / sqrt(d) + bias(i, j)            in each head, of content of width 4
//   contextual: its own logits
// The width is that of all heads together. A table that is normalised by the length is asked for that of the
// longer side, up to its last position.
struct Logits {
  std::size_t dim = 0;
  std::size_t heads = 1;
  Domain positions = {};
  bool positional = true;
  bool causal = false;       // only keys at or before the query mean anything
  bool modulo_rows = false;  // what all keys of a query have in common does not matter
  Function<Tensor(const Tensor& q, const Tensor& k, const Positions&, const Positions&)> at =
      {};  // [heads, nq, nk]
  // The same, and bounds of |logit - exact| for an implementation of that precision.
  struct Bounded {
    Tensor logits, error;  // both [heads, nq, nk]
  };
  Function<Bounded(const Tensor& q, const Tensor& k, const Positions&, const Positions&, const Precision&)>
      bounded = {};
};

// Content and code added, [n, dim], and how far each entry may be off: the code's own error, and one rounding
// of the sum. Of both, further rows are not looked at.
Tensor sum(const Tensor& content, const Tensor& rows);
Tensor sum_error(const Tensor& sum, const Tensor& row_errors, const Precision& p);
// row_error of every row.
Tensor row_errors(const Table& table, const Tensor& rows, Positions at, const Precision& p);

// Error of a . b / sqrt(d) for rows of [nq, d] and [nk, d] that are off by at most da and db: [nq, nk].
Tensor scaled_error(const Tensor& a, const Tensor& da, const Tensor& b, const Tensor& db, const Precision& p);

// None for an attention operator: its logits cannot be seen.
std::optional<Logits> logits(const Encoding& encoding);

}  // namespace posproof::attention
