#pragma once

#include "subspace.h"

// What a linear probe reads off rows: one output for each residue of t, fitted by least squares.
namespace posproof::experiments {

// The lowest bits of 0, 1, ..., one a column.
Matrix binary_rows(Index bits, Index length);

Matrix with_constant(const Matrix& rows);

// Coordinates along the directions of the first `seen` rows; those below 1e-4 of the strongest are rounding
// for a probe, and left out.
Matrix coordinates(const Matrix& rows, Index seen);

// The largest entry that the affine map from rows to targets misses which is best in the mean square.
double affine_residual(const Matrix& rows, const Matrix& targets);

struct Read {
  double inside, after;  // share of positions whose residue has the largest output, the first of equal ones
};

// Fitted to the first half of the rows, read in both.
class Probe {
 public:
  explicit Probe(const Matrix& rows)
      : seen_(rows.rows() / 2), coordinates_(coordinates(with_constant(rows), seen_)) {}

  Read read(Index period) const;

 private:
  double right(const Matrix& outputs, Index from) const;

  Index seen_;
  Matrix coordinates_;
};

}  // namespace posproof::experiments
