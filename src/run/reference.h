#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/encoding.h"
#include "core/formats.h"
#include "core/function.h"
#include "core/precision.h"
#include "exact/exact_table.h"
#include "run/places.h"

namespace posproof {

// What the entries of a subject are compared with, row by row, and how far rounding alone may put them. A row
// is that of a position in a table; of a rotary, what becomes of (1, 0) in every pair; of a bias, what one
// query gives: [heads, keys].
struct Reference {
  std::size_t dim = 0;                  // entries of a row
  double ceiling = 0;                   // no entry can be further off, however wrong
  double amplitude = 0;                 // of sines and cosines; 0: the rows are none
  std::vector<std::size_t> empty = {};  // columns that are exactly 0, whatever the position

  // What rounding allows in each column at a position, what the reference itself was rounded by included.
  Function<std::vector<double>(Position)> bound = {};
  // The same before an entry is kept in a narrower format, which puts it off by `rounding` times itself, and
  // by `underflow`. None where it is not.
  Function<std::vector<double>(Position)> bound_before = {};
  double rounding = 0, underflow = 0;
  // Where bounds only grow with the distance from a position, that position; else every one has its own,
  // and rows are compared one by one.
  std::optional<Position> origin = {};

  using Each = Function<void(const exact::Compared&)>;
  Function<exact::Compared(Format, Position first, std::size_t rows, const std::byte* values,
                           const Each& each, unsigned threads)>
      compare = {};

  // How far from 0 a position is; of places, whose positions are numbers, the largest of their numbers. Else
  // it is the position.
  Function<Position(Position)> distance = {};

  // How many entries of a row are compared, where a mask hides others: keys after the query of a causal bias.
  Function<std::size_t(Position)> seen = {};

  // Rows of the exact table in double, each entry rounded once; none of other references.
  Function<void(Position first, std::size_t rows, std::span<double> values)> doubles = {};

  // The other question: what an implementation holds that first rounded its frequencies to a format.
  struct Rounded {
    Format frequencies;
    std::shared_ptr<const exact::ExactTable> table;
  };
  std::vector<Rounded> rounded = {};
};

// For positions within the domain; the keys of a bias are all of them. None for logits and whole operators:
// they have no entries of their own.
std::optional<Reference> reference(const Encoding& truth, const Precision& precision, const Domain& domain);

// The same on a grid: positions are the numbers of places, of a rotary all heads are one row, and the keys of
// a bias are all places.
std::optional<Reference> reference(const Encoding& truth, const Precision& precision, const Places& places);

}  // namespace posproof
