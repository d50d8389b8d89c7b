#pragma once

#include <vector>

#include "core/tensor.h"
#include "run/identified.h"

namespace posproof {

// Settings of `sincos_2d` that a file of that shape may have: of [rows, columns, dim] on that grid, of
// [places, dim] on every grid of so many places, behind one row of a class token or none. The base is one of
// those in use: 10000, and 20 (DAB-DETR).
std::vector<Candidate> grid_candidates(Shape shape);

}  // namespace posproof
