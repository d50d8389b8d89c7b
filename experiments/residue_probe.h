#pragma once

#include "subspace.h"

// What a linear probe reads off rows: one output for each residue of t, fitted by least squares.
namespace posproof::experiments {

// The lowest bits of 0, 1, ..., one a column.
Matrix binary_rows(Index bits, Index length);

Matrix with_constant(const Matrix& rows);

// Coordinates along the directions of the first `seen` rows; those below `weakest` of the strongest are left
// out. How many are kept decides what a probe reads of rows that it was not fitted to.
Matrix coordinates(const Matrix& rows, Index seen, double weakest = 1e-4);

// The largest entry that the affine map from rows to targets misses which is best in the mean square.
double affine_residual(const Matrix& rows, const Matrix& targets);

struct Read {
  double inside, after;  // share of positions whose residue has the largest output, the first of equal ones
};

// Fitted to the first half of the rows, read in both.
class Probe {
 public:
  explicit Probe(const Matrix& rows, double weakest = 1e-4)
      : seen_(rows.rows() / 2), coordinates_(coordinates(with_constant(rows), seen_, weakest)) {}

  Read read(Index period) const;

 private:
  double right(const Matrix& outputs, Index from) const;

  Index seen_;
  Matrix coordinates_;
};

}  // namespace posproof::experiments
