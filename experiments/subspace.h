#pragma once

#include "matrices.h"

// Which directions the rows of a matrix take, the strongest first (singular values and right
// singular vectors, not centred).
namespace posproof::experiments {

struct Directions {
  Vector strength;  // singular values, falling
  Matrix basis;     // columns: orthonormal directions, as many as strengths

  // The least number of directions that hold this share of the rows' energy, which is the sum of squares.
  Index holding(double share) const;

  // How many strengths are above that part of the largest.
  Index above(double part) const;

  // The squared length of a row outside the first `removed` directions.
  double outside(const Vector& row, Index removed) const;
};

// From the eigenvectors of the rows' scatter matrix: strengths are good to 1e-8 of the largest.
Directions directions(const Matrix& rows);

// The strengths alone, from the smaller of the two scatter matrices; as many as its rows.
Directions strengths(const Matrix& rows);

// About how many directions hold 99.9 % of n sinusoidal rows, for n of more than a few wavelengths of the
// fastest pair. Neighbouring frequencies w and w (1 - c), c = 1 - base^(-2/d), are told apart within n
// positions where they are 2 pi / n apart, w > 2 pi / (n c): each such pair has two directions of its own.
// The slower ones lie in a band of width w, which has n w / pi = 2 / c directions (Slepian's time-bandwidth
// product).
double predicted_directions(std::size_t dim, double n, double base = 10000);

}  // namespace posproof::experiments
