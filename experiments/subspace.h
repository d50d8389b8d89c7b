#pragma once

#include <Eigen/Eigenvalues>

#include <cmath>
#include <cstdint>

#include "matrices.h"

// Which directions the rows of a matrix take, the strongest first (singular values and right
// singular vectors, not centred).
namespace posproof::experiments {

struct Directions {
  Vector strength;  // singular values, falling
  Matrix basis;     // columns: orthonormal directions, as many as strengths

  // The least number of directions that hold this share of the rows' energy, which is the sum of squares.
  Index holding(double share) const {
    const double all = strength.squaredNorm();
    double sum = 0;
    for (Index n = 0; n < strength.size(); ++n)
      if ((sum += strength[n] * strength[n]) >= share * all) return n + 1;
    return strength.size();
  }

  // How many strengths are above that part of the largest.
  Index above(double part) const { return (strength.array() > part * strength[0]).count(); }

  // The squared length of a row outside the first `removed` directions.
  double outside(const Vector& row, Index removed) const {
    return (row - basis.leftCols(removed) * (basis.leftCols(removed).transpose() * row)).squaredNorm();
  }
};

// From the eigenvectors of the rows' scatter matrix: strengths are good to 1e-8 of the largest.
inline Directions directions(const Matrix& rows) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> found(rows.transpose() * rows);
  return {found.eigenvalues().reverse().cwiseMax(0).cwiseSqrt(), found.eigenvectors().rowwise().reverse()};
}

// The strengths alone, from the smaller of the two scatter matrices; as many as its rows.
inline Directions strengths(const Matrix& rows) {
  const Eigen::MatrixXd scatter = rows.rows() < rows.cols() ? Eigen::MatrixXd(rows * rows.transpose())
                                                            : Eigen::MatrixXd(rows.transpose() * rows);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> found(scatter, Eigen::EigenvaluesOnly);
  return {found.eigenvalues().reverse().cwiseMax(0).cwiseSqrt(), {}};
}

// About how many directions hold 99.9 % of n sinusoidal rows, for n of more than a few wavelengths of the
// fastest pair. Neighbouring frequencies w and w (1 - c), c = 1 - base^(-2/d), are told apart within n
// positions where they are 2 pi / n apart, w > 2 pi / (n c): each such pair has two directions of its own.
// The slower ones lie in a band of width w, which has n w / pi = 2 / c directions (Slepian's time-bandwidth
// product).
inline double predicted_directions(std::size_t dim, double n, double base = 10000) {
  const auto d = static_cast<double>(dim);
  const double c = 1 - std::pow(base, -2 / d);
  return d * std::log(n * c / (2 * 3.14159265358979323846)) / std::log(base) + 2 / c;
}

}  // namespace posproof::experiments
