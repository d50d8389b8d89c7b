#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnosis/ladder_deviations.h"

namespace posproof {

// Of a ladder whose slow pairs are divided by a factor (llama3, yarn, by_parts): what differs of the ramp
// between those and the ones that are kept, in sentences. None where it is the declared one, or no ramp.
std::optional<std::vector<std::string>> ramp_deviation(const std::vector<MeasuredFrequency>& pairs,
                                                       const Parameters& parameters, double divisor);

}  // namespace posproof
