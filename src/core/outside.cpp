#include "core/outside.h"

#include <fmt/format.h>

namespace posproof {

void refuse_outside(Position t, Position lo, Position hi) {
  if (t < lo || t > hi)
    throw Refusal(fmt::format("position {} is outside the table, which holds positions {} to {}", t, lo, hi));
}

}  // namespace posproof
