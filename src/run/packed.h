#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/formats.h"
#include "core/precision.h"

namespace posproof {

// The format whose unit roundoff this is: one of unit_fp64, unit_fp32, unit_bf16, unit_fp16. Throws
// std::invalid_argument for any other.
Format format_of(double unit);

// Writes the values to `bytes`, which grows to hold them. False, and `bytes` is unspecified, where one of
// them is no value of the format. -0 is written as 0, which is the same number; NaN is a value of every
// format.
bool pack(Format format, std::span<const double> values, std::vector<std::byte>& bytes);

}  // namespace posproof
