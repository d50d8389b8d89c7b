#pragma once

#include <optional>

#include "core/encoding.h"
#include "core/precision.h"
#include "diagnosis/deviation.h"

namespace posproof {

// Of a bias whose distances share entries (T5): each distance has one of the declared entries of its
// direction, but not its own. What is said is where the buckets begin. Measured, not confirmed; none where a
// distance has no declared entry, or where buckets do not rise with the distance.
std::optional<Deviation> measured_buckets(const Bias& subject, const Bias& truth, const Precision& precision);

}  // namespace posproof
