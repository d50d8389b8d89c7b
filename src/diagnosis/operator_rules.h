#pragma once

#include <vector>

#include "core/encoding.h"
#include "diagnosis/deviation.h"

namespace posproof {

// Whole operators in which something else is done with the declared logits: another function than a softmax
// over the keys, a mask that hides by a number, positions that are others inside the operator, values or
// answers that are rotated. `encoding` is what the operator was declared with. Guessed, none is confirmed.
//
// Weights that are no softmax may be off by more than the declared error: each is allowed up to `more` times
// it, so that a subject that is off by less from the declared operator is explained by none.
struct OperatorRules {
  double more;
  std::vector<Deviation> all;
};
OperatorRules operator_rules(const Attention& subject, const Attention& reference, const Attention& truth,
                             const Encoding& encoding);

}  // namespace posproof
