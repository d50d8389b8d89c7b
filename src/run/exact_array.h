#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/encoding.h"
#include "core/formats.h"
#include "core/function.h"
#include "core/tensor.h"

namespace posproof {

// Which columns of a rotary encoding's table: all channels as they are rotated, or the cosines or sines
// alone, one column for each pair, as caches hold them.
enum class RotaryPart { both, cosines, sines };

// What an oracle's encoding is at neighbouring positions, as one array of a format.
struct ExactArray {
  std::string name;  // of the array: `rows`, `cos_sin`, `cos_cache`, `sin_cache`, `bias`
  Shape shape;
  Format format;
  std::string rounding;  // how an entry was rounded, in words
  Shape grid = {};       // where a row is a place, how many numbers each axis has

  // All of it, stretch by stretch, in any order: where the stretch begins, in bytes, and its row-major
  // values.
  using Piece = Function<void(std::size_t at, std::span<const std::byte> values)>;
  Function<void(const Piece& piece, unsigned threads)> give;
};

// Throws Refusal for an encoding whose answers depend on contents, which no array holds.
void refuse_what_reads_contents(const Encoding& oracle);

// For the positions first .. last:
//   Table:  [n, dim], its rows in a sequence of last + 1 tokens
//   Rotary: [n, dim], what becomes of (1, 0) in every pair of channels: cos in its first channel, sin in its
//           second, 0 in a channel of no pair; or [n, pairs], the cosines or the sines alone
//   Bias:   [heads, n, n], each position as a query against each as a key
// What has `exact` has every entry rounded once, straight to the format; of the others the double that the
// oracle gives is rounded. Throws Refusal where the encoding is not defined there or has no such array,
// and std::invalid_argument for first > last, |position| (+ offset) > 2^40, and an array too large to be
// read.
ExactArray exact_array(const Encoding& oracle, Format format, Position first, Position last,
                       RotaryPart part = RotaryPart::both);

// For all places of a grid, row by row of it: [places, columns] with the columns of above, cosines and sines
// of all pairs in the order of their channels. Throws Refusal for other kinds and where heads are rotated
// each by angles of its own.
ExactArray exact_array_of_grid(const Encoding& oracle, Format format, const Shape& grid,
                               RotaryPart part = RotaryPart::both);

}  // namespace posproof
