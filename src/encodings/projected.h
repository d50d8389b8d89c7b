#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/parameter.h"
#include "core/positions.h"
#include "encodings/seeded.h"

// Features of a position that is multiplied with a matrix of drawn numbers first: B v, a number for each
// feature.
namespace posproof::projected {

// `count` numbers from a list, the last of which goes on.
inline std::vector<double> repeated(const std::vector<double>& list, std::size_t count) {
  std::vector<double> out(list.begin(),
                          list.begin() + static_cast<std::ptrdiff_t>(std::min(list.size(), count)));
  out.resize(count, list.back());
  return out;
}

inline std::vector<double> normal_numbers(std::uint64_t seed, std::size_t count, double deviation) {
  std::vector<double> out;
  for (std::size_t n = 0; n < count; ++n) out.push_back(seeded_normal(seed, n, deviation));
  return out;
}

// B v of one feature, whose row of B this is.
inline long double product(std::span<const double> row, const Positions& positions, std::size_t token) {
  long double sum = 0;
  for (std::size_t axis = 0; axis < row.size(); ++axis)
    sum += static_cast<long double>(row[axis]) * static_cast<long double>(positions.at(token, axis));
  return sum;
}

// The sum of |B_a v_a|, which the roundings of a sum over axes are relative to.
inline double size(std::span<const double> row, std::span<const double> position) {
  double sum = 0;
  for (std::size_t axis = 0; axis < row.size(); ++axis) sum += std::abs(row[axis] * position[axis]);
  return sum;
}

}  // namespace posproof::projected
