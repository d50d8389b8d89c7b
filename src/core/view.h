#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/encoding.h"
#include "core/precision.h"

namespace posproof {

// The logit of content q at position i against content k at position j, for every kind that has one: what the
// softmax sees, but for the operator's own factor 1/sqrt(dim).
//   table:      (q + p_i) . (k + p_j)
//   rotary:     rotate(q, i) . rotate(k, j)        (the first head)
//   bias:       q . k + bias(i, j)             (the first head; content of width 4)
//   contextual: logits(q, k, i, j)             (the first head)
struct Score {
  std::size_t dim = 0;
  Domain positions = {};
  bool causal = false;  // only keys at or before the query mean anything
  std::function<double(std::span<const double> q, std::span<const double> k, Position i, Position j)> at = {};
  // Bound of |at - the exact logit| for a subject of that precision, from core/error.h.
  std::function<double(std::span<const double> q, std::span<const double> k, Position i, Position j,
                       const Precision&)>
      error = {};
  // How far two logits of these contents may lie apart, wherever they are. Empty: there is no bound.
  std::function<double(std::span<const double> q, std::span<const double> k)> range = {};
};

// None for an attention operator: its logits cannot be seen.
std::optional<Score> score(const Encoding& encoding);

}  // namespace posproof
