#pragma once

#include <cstddef>
#include <span>

#include "core/formats.h"

namespace posproof {

// Numbers of bf16 or f16, as they lie in memory, as doubles: what value_of gives, many at a time.
void unpack_short(Format format, const std::byte* numbers, std::span<double> values);

}  // namespace posproof
