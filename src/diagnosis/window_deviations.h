#pragma once

#include <vector>

#include "core/case.h"
#include "core/encoding.h"
#include "diagnosis/deviation.h"

namespace posproof {

// Of a bias of offsets in a window of rows and columns (Swin): offsets without a sign; heads in another
// order; and where the declared one is a table (`relative_table`), its rows found by another index, or its
// numbers in another order. Guessed.
std::vector<Deviation> window_deviations(const Bias& truth, const Parameters& parameters);

}  // namespace posproof
