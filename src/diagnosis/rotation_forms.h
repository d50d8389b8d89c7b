#pragma once

#include <string>
#include <vector>

#include "core/encoding.h"

namespace posproof {

// The declared rotation with something in it computed otherwise: an operand in too few digits, a channel that
// is overwritten too early.
struct RotationForm {
  std::string words;
  Rotary rotation;
};
std::vector<RotationForm> rotation_forms(const Rotary& truth);

}  // namespace posproof
