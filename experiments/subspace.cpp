#include "subspace.h"

#include <Eigen/Eigenvalues>

#include <cmath>
#include <numbers>

namespace posproof::experiments {

Directions directions(const Matrix& rows) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> found(rows.transpose() * rows);
  return {found.eigenvalues().reverse().cwiseMax(0).cwiseSqrt(), found.eigenvectors().rowwise().reverse()};
}

Directions strengths(const Matrix& rows) {
  const Eigen::MatrixXd scatter = rows.rows() < rows.cols() ? Eigen::MatrixXd(rows * rows.transpose())
                                                            : Eigen::MatrixXd(rows.transpose() * rows);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> found(scatter, Eigen::EigenvaluesOnly);
  return {found.eigenvalues().reverse().cwiseMax(0).cwiseSqrt(), {}};
}

double predicted_directions(std::size_t dim, double n, double base) {
  const auto d = static_cast<double>(dim);
  const double c = 1 - std::pow(base, -2 / d);
  return d * std::log(n * c / (2 * std::numbers::pi)) / std::log(base) + 2 / c;
}

Index Directions::holding(double share) const {
  const double all = strength.squaredNorm();
  double sum = 0;
  for (Index n = 0; n < strength.size(); ++n)
    if ((sum += strength[n] * strength[n]) >= share * all) return n + 1;
  return strength.size();
}

Index Directions::above(double part) const {
  return (strength.array() > part * strength[0]).count();
}

double Directions::outside(const Vector& row, Index removed) const {
  return (row - basis.leftCols(removed) * (basis.leftCols(removed).transpose() * row)).squaredNorm();
}

}  // namespace posproof::experiments
