#pragma once

#include <vector>

#include "diagnosis/call_effects.h"

namespace posproof {

// Of a program that takes a mask of whole sequences behind padding (`takes_positions` of protocol.md), as the
// Python SDK puts it before them.
// One that is given no contents, as of a table, is asked for a position that stands twice in the same call.
std::vector<Effect> effects_of_padding(bool contents);

}  // namespace posproof
