#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnosis/answered.h"

namespace posproof {

// What a subject's logits have in place of the declared ones, where one known rule explains every answer:
// a constant on each query's row, which a softmax takes away; a factor on all of them; attention weights.
// For biases and for logits that depend on content; none for the other kinds.
std::optional<std::string> logit_deviation(const Encoding& declared, const Precision& precision,
                                           const std::vector<Answered>& answered);

}  // namespace posproof
