#include "matrices.h"

#include <fmt/format.h>

#include "catalogue/encodings/sinusoidal.h"
#include "tables.h"

namespace posproof::experiments {
namespace {

// Eigen cuts a product into blocks that fit the caches of the machine it runs on, and other blocks sum in
// another order. The blocks of one machine for all: what a page prints does not depend on where it was made.
const bool blocks_are_the_same_everywhere = [] {
  Eigen::setCpuCacheSizes(32 << 10, 256 << 10, 2 << 20);
  return true;
}();

}  // namespace

Matrix sinusoidal_rows(std::size_t dim, Index length) {
  const Tensor rows =
      experiments::rows(table(encodings::sinusoidal, fmt::format("dim={}", dim)), Position{length});
  return Eigen::Map<const Matrix>(rows.data.data(), length, static_cast<Index>(dim));
}

Matrix normal(attention::Generator& numbers, Index rows, Index columns) {
  Matrix out(rows, columns);
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < columns; ++c) out(r, c) = numbers.normal();
  return out;
}

}  // namespace posproof::experiments
