#pragma once

#include <vector>

#include "core/encoding.h"
#include "diagnosis/deviation.h"

namespace posproof {

// What differs in a whole operator, by the weights that it gives to one-hot values: logits as the declared
// ones, up to a constant on a query's row, with content and position each times a factor (0: it is missing),
// or with the position of the key before. And what it adds where all values are 0. `reference` is the
// declared operator in double; `heads` share its width. None where it does not answer, or no factors explain
// it.
std::vector<Deviation> operator_deviations(const Attention& subject, const Attention& reference,
                                           const Attention& truth, std::size_t heads);

}  // namespace posproof
