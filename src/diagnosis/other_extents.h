#pragma once

#include <cstddef>
#include <string>

#include "core/case.h"
#include "core/encoding.h"
#include "core/function.h"

namespace posproof {

// Where angles are divided by the extent of each axis of a grid: what they are divided by instead, by the
// factor that positions then have, as `7, the extent less 1, not by 8`. Empty where they are not divided, or
// where no extent in use has a factor that `is` the measured one.
std::string another_extent(const Parameters& parameters, const Domain& domain, std::size_t axis,
                           const Function<bool(double factor)>& is);

}  // namespace posproof
