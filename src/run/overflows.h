#pragma once

#include "core/call.h"

namespace posproof {

// Whether a call has positions beyond those of a rotation whose sizes grow with the position without end, as
// xPos' keys do: what no format holds there is an infinity, and no number.
inline bool overflows(const Encoding& truth, const Call& call) {
  const auto* rotary = std::get_if<Rotary>(&truth);
  const auto last = last_of(call.positions);
  return rotary != nullptr && rotary->stretch && last && *last > rotary->positions.hi;
}

}  // namespace posproof
