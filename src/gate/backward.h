#pragma once

#include <string_view>

#include "core/encoding.h"
#include "core/property.h"

namespace posproof {

// The id under which a backward pass is listed beside the catalogued properties.
constexpr std::string_view backward_id = "backward_agrees_with_its_oracle";

// What a rotation's backward pass is: the transposed of each pair's matrix, with its amplitude, at the same
// positions. It is the rotation itself between two exchanges of the channels of each pair, since of
// R = a [[c, -s], [s, c]] and the exchange P it is P R P = R^T: exact, whatever makes the angles.
Rotary transposed(const Rotary& rotary);

// "The gradient is rotated back": agreement of a subject's backward pass (subject/subject.h) with the
// transposed truth. `truth` is a rotary encoding.
Property backward_agreement(const Encoding& truth);

}  // namespace posproof
