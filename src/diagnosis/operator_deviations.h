#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/encoding.h"
#include "core/precision.h"
#include "diagnosis/answered.h"
#include "diagnosis/deviation.h"

namespace posproof {

// What differs in a whole operator, by the weights that it gives to one-hot values: logits as the declared
// ones, up to a constant on a query's row, with content and position each times a factor (0: it is missing),
// or with the position of the key before. And what it adds where all values are 0. `reference` is the
// declared operator in double; `heads` share its width. None where it does not answer, or no factors explain
// it.
std::vector<Deviation> operator_deviations(const Attention& subject, const Attention& reference,
                                           const Attention& truth, std::size_t heads);

// Where none of these explains it: whether the weights of keys are others or what stands for the values,
// asked of the subject with masks that show each query one key, and without values. None where both are as
// declared then, or neither, or where masks say where tokens stand.
std::optional<std::string> wrong_half(const Attention& subject, const Attention& truth,
                                      const Precision& precision, const std::vector<Answered>& answered);

}  // namespace posproof
