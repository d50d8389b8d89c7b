#pragma once

#include <vector>

#include "core/tensor.h"
#include "identify/identified.h"

namespace posproof {

// Settings of `sincos_2d` that a file of that shape may have: of [rows, columns, dim] on that grid, of
// [places, dim] on every grid of so many places, behind one row of a class token or none. The base is one of
// those in use: 10000, and 20 (DAB-DETR).
std::vector<Candidate> grid_candidates(Shape shape);

// Settings of `sincos_2d` that a table of places from (0, 0) on may have, by its rows at one step along each
// axis: the base of its sines, and what positions are divided by, as on a grid that is not of the trained
// size.
std::vector<Candidate> measured_grid_candidates(const Table& table, const Precision& precision);

}  // namespace posproof
