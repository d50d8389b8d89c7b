#pragma once

#include "core/encoding.h"

namespace posproof {

// Where a table ends: a Refusal, not a crash and not a row of another position.
void refuse_outside(Position t, Position lo, Position hi);

}  // namespace posproof
