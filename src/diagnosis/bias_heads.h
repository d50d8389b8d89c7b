#pragma once

#include <optional>

#include "diagnosis/bias_entries.h"
#include "diagnosis/deviation.h"

namespace posproof {

// Heads that hold others, or multiples of them; where each is a slope, the rule that all slopes follow.
std::optional<Deviation> measured_heads(const AskedBias& measured);

}  // namespace posproof
