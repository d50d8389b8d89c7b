#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/encoding.h"
#include "subject/array_file.h"
#include "subject/subject.h"

namespace posproof {

// Which row of a file holds which place: row by row of the grid, from row `before` on.
struct GridOfAFile {
  std::vector<std::size_t> extents;
  std::size_t before = 0;

  std::size_t places() const { return count(extents); }
  std::string text() const;  // `3 x 4`
  // Throws Refusal, with the path, for a place outside.
  std::size_t row(const std::string& path, std::span<const Position> place) const;
  // From 0 to the last number of each axis, with those of the hard ones that lie within.
  Domain domain(std::vector<Position> hard) const;
};

// What stands in the rows before the grid: nothing may, or those of class tokens, which are zeros.
enum class BeforeTheGrid { nothing, class_tokens };

// [rows, columns, dim] says its grid itself; [places, dim] that of the parameter `grid`. A leading extent of
// 1 does not count where the rest is a table of the grid. Throws SubjectError for another shape,
// std::invalid_argument where the parameters name no grid of so many places.
GridOfAFile grid_of(const Array& array, std::size_t axes, BeforeTheGrid before, const Expected& expected);

}  // namespace posproof
