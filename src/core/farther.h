#pragma once

#include <span>

namespace posproof {

// Whether |there - here| of some entry is more than `most` has for it; of NaN none is.
bool any_farther(std::span<const double> there, std::span<const double> here, std::span<const double> most);

}  // namespace posproof
