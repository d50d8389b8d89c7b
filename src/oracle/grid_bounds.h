#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "oracle/bias_bounds.h"

// How far rounding may put the entries of slopes times a distance on a grid: for the reference and the
// oracle.
namespace posproof::bias_bounds {

// Of slopes times the distance of two places of a grid. An offset along an axis is off by 1 unit where the
// format does not hold it; of n axes the sum of the offsets' sizes by n - 1 more. The sum of their squares is
// off by 2 units of the offsets, by a product and n - 1 sums, its root by half as much and 1 unit of its own;
// a library's hypotenuse of two is within 2 units of its own. A slope's entry counts 1 unit for the distance.
inline Error of_slopes_on_a_grid(const std::vector<double>& slopes, std::size_t axes, bool manhattan) {
  const double n = static_cast<double>(axes), of_distance = manhattan ? n : (n + 2) / 2 + 1;
  return [declared = Bias{.heads = slopes.size(), .slopes = slopes}, of_distance](
             std::size_t head, std::span<const double>, std::span<const double>, double entry,
             const Precision& p) {
    return bias_error(p, entry, declared, head) + (of_distance - 1) * Units(p).work * std::abs(entry);
  };
}

}  // namespace posproof::bias_bounds
