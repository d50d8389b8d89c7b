#include <algorithm>

#include "catalogue/encodings/learned.h"
#include "catalogue/misreadings/learned.h"
#include "encodings/seeded.h"
#include "misreadings/right.h"

namespace posproof::misreadings_learned {
namespace {

using misread::Real;

// The number, in the declared table of `length` rows of `dim` numbers, of what stands in a row and a column.
using Number = std::size_t (*)(std::size_t row, std::size_t column, std::size_t length, std::size_t dim);

template <Number number>
Encoding reads(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::learned, given);
  const std::size_t length = p.width("length"), dim = p.width("dim");
  if (length == 1 || dim == 1) throw Refusal("the same for one row, or one column");
  if (p.whole("padding_row") >= 0) throw Refusal("said of tables without a row of zeros");
  const bool index = p.is("table", "index"), scaled = !p.is("scale", "none");
  const auto seed = static_cast<std::uint64_t>(p.whole("table_seed"));
  const double deviation = p.real("std");
  const std::int64_t offset = p.whole("offset");
  const Real by = scaled ? 1 / std::sqrt(static_cast<Real>(dim)) : 1;
  return misread::with_rows(
      misread::right<Table>(encodings::learned, given),
      [=](std::span<const Real> position, std::span<double> row) {
        const auto at = static_cast<std::size_t>(static_cast<std::int64_t>(position.front()) + offset);
        for (std::size_t c = 0; c < dim; ++c) {
          const std::size_t entry = number(at, c, length, dim);
          const Real value = index ? static_cast<Real>(entry) : Real{seeded(seed, entry, deviation)};
          row[c] = static_cast<double>(by * value);
        }
      });
}

std::size_t of_the_columns(std::size_t row, std::size_t column, std::size_t length, std::size_t) {
  return column * length + row;
}
std::size_t of_the_transpose(std::size_t row, std::size_t column, std::size_t length, std::size_t dim) {
  const std::size_t flat = row * dim + column;
  return flat % length * dim + flat / length;
}

}  // namespace

const MisreadingFamily entry{{
    {"the table's numbers are read as [dim, length], transposed: the row of a position is a column of that",
     &reads<&of_the_columns>, "dim=8 length=17"},
    {"the table is transposed, and its numbers are read as [length, dim] again", &reads<&of_the_transpose>,
     "dim=8 length=17"},
}};

}  // namespace posproof::misreadings_learned
