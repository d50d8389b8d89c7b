#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "core/formats.h"
#include "core/tensor.h"
#include "subject/mapped_file.h"

namespace posproof {

// No array of more values is read: 2 GiB in f64.
constexpr std::size_t most_values = std::size_t{1} << 28;

// An array as it stands in a file, in the file's own format: `bytes` are its values, row-major, aligned as
// the format is. They lie in the mapped file itself, so that an array of any size is opened at once; only
// where the file has them in Fortran order, or at an offset that is no multiple of the format's size, are
// they a copy.
struct Array {
  std::string path;
  Format format;
  Shape shape;
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> kept;          // what `bytes` lie in
  std::shared_ptr<const MappedFile> mapped;  // the file, where it is that; see there for one that changes

  std::size_t width() const { return shape.empty() ? 1 : shape.back(); }
  bool empty() const { return bytes.empty(); }

  // Value c of row r of the array seen as a matrix whose rows are the innermost axis, exactly.
  double at(std::size_t r, std::size_t c) const;
  // All values of that row, to `out`, which has the array's width.
  void row(std::size_t r, std::span<double> out) const;
};

// FILE.npy (versions 1 to 3, little-endian f8, f4, f2, either order), FILE.safetensors, which must hold one
// tensor, or FILE.safetensors:NAME. Throws SubjectError with the rule that the file breaks; no memory is
// taken for values before the file was found to have exactly as many as its header promises.
Array read_array(const std::string& path);

}  // namespace posproof
