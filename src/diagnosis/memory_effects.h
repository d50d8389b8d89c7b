#pragma once

#include <vector>

#include "diagnosis/call_effects.h"

// What calls leave behind in the object that is asked: the positions of a call in the place of a later one's.
namespace posproof {

std::vector<Effect> effects_of_memory();

}  // namespace posproof
