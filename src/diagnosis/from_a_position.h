#pragma once

#include "core/encoding.h"
#include "diagnosis/call_deviations.h"

namespace posproof {

// A table or a rotation that is the declared one up to a position, and another from that on.
Encoding from_a_position(const Encoding& declared, const Encoding& other, Position first);

// Whether a token at this position tells the two apart.
bool differs_at(Position t, const Model& declared, const Encoding& other);

}  // namespace posproof
