#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/encoding.h"
#include "core/function.h"
#include "subject/array_file.h"
#include "subject/subject.h"

namespace posproof {

// Which row of a file holds which place: row by row of the grid, behind those of class tokens or before them.
struct GridOfAFile {
  std::vector<std::size_t> extents;
  std::size_t before = 0, behind = 0;  // rows of class tokens

  std::size_t places() const { return count(extents); }
  std::string text() const;  // `3 x 4`
  // Throws Refusal, with the path, for a place outside.
  std::size_t row(const std::string& path, std::span<const Position> place) const;
  // From 0 to the last number of each axis, with those of the hard ones that lie within.
  Domain domain(std::vector<Position> hard) const;
};

// [rows, columns, dim] says its grid itself; [places, dim] that of the parameter `grid`, and may have more
// rows, which are taken for those of class tokens before it. A leading extent of 1 does not count where the
// rest is a table of the grid. Throws SubjectError for another shape, std::invalid_argument where the
// parameters name no grid of so many places.
GridOfAFile grid_of(const Array& array, std::size_t axes, const Expected& expected);

// Finds out on which side of the grid the rows of class tokens stand, looking at `first` before the other
// one. Throws std::invalid_argument, with the path and what they would do (`hold zeros`), where they are on
// neither.
enum class Side { before, behind };
void place_class_tokens(GridOfAFile& grid, const std::string& path,
                        const Function<bool(std::size_t row)>& is_one, std::string_view what_they_do,
                        Side first);

// ` behind a row of zeros`; empty where there are none.
std::string class_tokens_in_words(const GridOfAFile& grid, std::string_view of);

}  // namespace posproof
