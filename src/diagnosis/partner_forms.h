#pragma once

#include <vector>

#include "diagnosis/rotation_forms.h"

namespace posproof {

// Of a rotation by several numbers of a position: cosines and sines stand where they are declared, channel by
// channel, but the channels that rotate together are those of another layout. Then a channel and its partner
// may have different angles, and nothing is a rotation by one of them.
std::vector<RotationForm> partner_forms(const Rotary& truth);

}  // namespace posproof
