#pragma once

#include "readings.h"

// The conventions of rotations that are read in more than one way. Each function proves what its section of
// the page says, and throws where that is no longer so.
namespace posproof::experiments::contested {

Conflict layouts();
Conflict ramps();
Conflict magnitudes();
Conflict lengths();
Conflict centres();
Conflict sections();
Conflict partial_exponents();
Conflict factors();
Conflict formats();
Conflict crops();

}  // namespace posproof::experiments::contested
