#pragma once

#include <string>
#include <string_view>

#include "subject/array_file.h"

namespace posproof {

// `cache.npy[:, 32:]`: the file, and the indices in their brackets, where there are some and no file has the
// whole name.
struct IndexedFile {
  std::string path, indices;
};
IndexedFile indexed_file(std::string_view words);

// A file may be indexed several times, the indices of a slice behind those that it is of: up to so often.
constexpr std::size_t most_slices = 8;

// The values of an array that indices name, as numpy's basic slicing has it: `[:, 32:]`, `[..., 0]`, `[1]`,
// `[:, 0::2]`; numbers and ends below 0 count from the end, steps are 1 and more. Nothing is copied: reading
// gathers. What the file says of its positions is said of the rows that are left, while they follow each
// other. Throws SubjectError for anything else and for a number past its axis.
Array sliced(Array array, std::string_view indices);

// The same numbers with axis `from` at place `to` among the others, which keep their order. Nothing is
// copied: reading gathers. What the file says of its positions is forgotten. Not of complex numbers.
Array with_axis_at(Array array, std::size_t from, std::size_t to);

}  // namespace posproof
