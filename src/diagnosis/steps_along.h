#pragma once

#include <cstddef>
#include <vector>

#include "core/encoding.h"

namespace posproof {

// Rows of a table at the first position and at steps from it along each of its numbers, which double: 1, 2,
// 4,
// .. of whole numbers, from 2^-10 on (of the extent, where that is below 1) of real ones.
struct StepsAlong {
  struct Axis {
    double origin;      // the number of the first position: 0 where the domain has it
    std::size_t first;  // row of the first step
    std::vector<double> steps;
  };
  std::vector<Axis> axes;
  Tensor rows;  // row 0 is that of the first position
};

// Throws std::runtime_error where the answer has another shape.
StepsAlong steps_along(const Table& subject, const Domain& domain, std::size_t dim);

}  // namespace posproof
