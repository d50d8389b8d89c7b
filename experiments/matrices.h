#pragma once

#include <fmt/format.h>
#include <Eigen/Core>

#include "attention/generator.h"
#include "catalogue/encodings/sinusoidal.h"
#include "tables.h"

// Tables and random tokens as Eigen sees them, one position or token a row.
namespace posproof::experiments {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;
using Eigen::Index;

// The rows of positions 0, ..., length - 1 of the reference encoding, base 10000.
inline Matrix sinusoidal_rows(std::size_t dim, Index length) {
  const Tensor rows =
      experiments::rows(table(encodings::sinusoidal, fmt::format("dim={}", dim)), Position{length});
  return Eigen::Map<const Matrix>(rows.data.data(), length, static_cast<Index>(dim));
}

// Independent normal entries of variance 1, drawn row by row.
inline Matrix normal(attention::Generator& numbers, Index rows, Index columns) {
  Matrix out(rows, columns);
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < columns; ++c) out(r, c) = numbers.normal();
  return out;
}

}  // namespace posproof::experiments
