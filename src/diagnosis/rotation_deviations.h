#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/case.h"
#include "core/precision.h"
#include "diagnosis/measured_rotation.h"

namespace posproof {

// What differs from the declared rotation, in sentences: channels, signs, frequencies, offsets, amplitudes.
// `divisor` is what 2i is divided by in the exponent. Empty where nothing does; none where what was measured
// cannot be put into words.
std::optional<std::vector<std::string>> rotation_deviations(const std::vector<MeasuredChannel>& channels,
                                                            const Rotary& truth, const Parameters& parameters,
                                                            double divisor, const Precision& precision);

}  // namespace posproof
