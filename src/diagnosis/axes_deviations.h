#pragma once

#include <cstddef>
#include <optional>

#include "core/case.h"
#include "core/encoding.h"
#include "core/precision.h"
#include "diagnosis/deviation.h"

namespace posproof {

// The same rotation of tokens with one number, that of this axis in the domain: the others are the first
// position.
Rotary along_axis(const Rotary& rotary, std::size_t axis, const Domain& domain);

// What differs from a rotation whose pairs each rotate by one number of the position: measured along each of
// these numbers with the others at the first position, by head and by role. By which number a pair rotates,
// at which frequency, in either of its channels. None where what was measured is no such rotation, where
// nothing differs, or where the subject does not answer.
std::optional<Deviation> axes_deviation(const Rotary& subject, const Rotary& truth,
                                        const Parameters& parameters, const Precision& precision);

}  // namespace posproof
