#pragma once

#include <vector>

#include "diagnosis/call_effects.h"

namespace posproof {

// Of a program that takes a mask of whole sequences behind padding (`takes_positions` of protocol.md), as the
// Python SDK puts it before them.
std::vector<Effect> effects_of_padding();

}  // namespace posproof
