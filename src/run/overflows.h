#pragma once

#include "core/call.h"

namespace posproof {

// Whether a call has positions beyond those of a rotation whose sizes grow with the position without end, as
// xPos' keys do: what no format holds there is an infinity, and no number.
inline bool overflows(const Encoding& truth, const Call& call) {
  const auto last = last_of(call.positions);
  return is_stretched(truth) && last && *last > positions_of(truth).hi;
}

}  // namespace posproof
