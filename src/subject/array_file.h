#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/formats.h"
#include "core/function.h"
#include "core/positions.h"
#include "core/tensor.h"

namespace posproof {

// No array of more values is read: 2 GiB in f64.
constexpr std::size_t most_values = std::size_t{1} << 28;

// How many axes have more than one element.
std::size_t longer_axes(std::span<const std::size_t> shape);

// Without axes of one element in front, as those of a batch are, as long as there are more than `most`.
Shape without_first_axes(Shape shape, std::size_t most);

// An array as it stands in a file, in the file's own format. Its values stay there until they are looked at,
// so that an array of any size is opened at once; only those in Fortran order are turned first, in memory.
struct Array {
  std::string path;
  Format format;
  Shape shape;
  // Bytes of whole values, row-major, from byte `at` on, as many as `to` has. Throws SubjectError where the
  // file has become shorter than it was when it was opened.
  Function<void(std::size_t at, std::span<std::byte> to)> read;
  // Its values are the real and the imaginary part of complex numbers in turn: twice as many columns as
  // these.
  bool complex = false;
  // First and last position, where a file that posproof wrote says so under `__metadata__`.
  std::optional<std::pair<Position, Position>> positions = {};

  // Of the first of `count` rows: `otherwise`, where the file says nothing. Throws SubjectError where it says
  // another number of positions.
  Position first(std::size_t count, Position otherwise) const;

  std::size_t width() const { return shape.empty() ? 1 : shape.back(); }
  bool empty() const { return count(shape) == 0; }

  // Of the array seen as a matrix whose rows are the innermost axis: values of row r from column c on, as
  // many as `out` has, exactly.
  void row(std::size_t r, std::span<double> out, std::size_t c = 0) const;
};

// FILE.npy (versions 1 to 3, f8, f4, f2, c16, c8, either order of bytes and of axes), FILE.safetensors or
// FILE.npz (compressed or not), which must hold one array, or FILE.safetensors:NAME or FILE.npz:NAME; indices
// in brackets may follow, see subject/array_slice.h. Throws SubjectError with the rule that the file breaks;
// no memory is taken for values before the file was found to have exactly as many as its header promises.
Array read_array(const std::string& path);

}  // namespace posproof
