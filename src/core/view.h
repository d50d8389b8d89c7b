#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/encoding.h"
#include "core/function.h"
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
  Function<double(std::span<const double> q, std::span<const double> k, Position i, Position j)> at = {};
  // Bound of |at - the exact logit| for a subject of that precision, from core/error.h.
  Function<double(std::span<const double> q, std::span<const double> k, Position i, Position j,
                  const Precision&)>
      error = {};
  // The same for contents of ones within three positions of i, found without a call to the subject. Empty
  // where it does not grow with the position, or is not known.
  Function<double(Position i, const Precision&)> error_of_ones = {};
  // The same logit, and how far rounding alone may have put it from that of the subject's own frequencies or
  // slopes, whatever these are: for statements that compare a subject with itself. To first order in the
  // angles' errors along what was answered, with the second order on top.
  struct Measured {
    double value, rounding;
  };
  Function<Measured(std::span<const double> q, std::span<const double> k, Position i, Position j,
                    const Precision&)>
      measured = {};
  // How far two logits of these contents may lie apart, wherever they are. Empty: there is no bound.
  Function<double(std::span<const double> q, std::span<const double> k)> range = {};
};

// An encoding of positions of several numbers, on the line through the origin along one of them: an encoding
// of positions of one number, the others being 0. Of a table the pairs of other axes have frequency 0 there;
// of a rotation they are channels in no pair.
Encoding on_axis(const Encoding& encoding, std::size_t axis);

// None for an attention operator: its logits cannot be seen.
std::optional<Score> score(const Encoding& encoding);

}  // namespace posproof
