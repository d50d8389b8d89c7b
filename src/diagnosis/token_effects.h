#pragma once

#include <vector>

#include "diagnosis/call_effects.h"

namespace posproof {

// Of calls with contents [batch, head, token, channel]: tokens that are answered with the content of others,
// or with the answer to others; axes read in each other's place.
std::vector<Effect> effects_on_tokens();

// Of calls whose x is not contiguous (subject/arrays.h): its memory is read as if it were.
std::vector<Effect> effects_of_strides(const Encoding& declared);

}  // namespace posproof
