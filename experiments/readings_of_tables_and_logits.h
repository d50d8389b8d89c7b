#pragma once

#include "readings.h"

// The conventions of tables, biases and logits that are read in more than one way. Each function proves what
// its section of the page says, and throws where that is no longer so.
namespace posproof::experiments::contested {

Conflict divisors();
Conflict first_positions();
Conflict odd_widths();
Conflict slopes();
Conflict t5_signs();
Conflict deberta_directions();
Conflict grids();
Conflict counting();

}  // namespace posproof::experiments::contested
