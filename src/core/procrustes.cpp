#include "core/procrustes.h"

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace posproof {
namespace {

using Matrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

// The rows as columns, [d, n].
Matrix columns(const Tensor& rows) {
  Matrix out(static_cast<Eigen::Index>(rows.width()), static_cast<Eigen::Index>(rows.rows()));
  for (std::size_t r = 0; r < rows.rows(); ++r)
    for (std::size_t c = 0; c < rows.width(); ++c)
      out(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(r)) = rows.at(r, c);
  return out;
}

// The upper factor of a QR decomposition, [min(d, n), n]: the same lengths and angles in fewer dimensions.
// The one with pivots is not blocked: without the kernels of matrix products this file compiles in half the
// time.
Matrix upper(const Matrix& x) {
  const Eigen::Index m = std::min(x.rows(), x.cols());
  const Eigen::ColPivHouseholderQR<Matrix> qr(x);
  Matrix pivoted = qr.matrixR().topRows(m).triangularView<Eigen::Upper>();
  return pivoted * qr.colsPermutation().transpose();
}

}  // namespace

// With A = QR of the columns of x and B of y, the best matrix carries range(A) to range(B) by the polar
// factor of R_A R_B^T, and what remains is ||R_B - W^T R_A||.
//
// Rounding, u the unit of long double, X = ||x||_F, Y = ||y||_F: the n reflections of a QR move its columns
// by at most 6 d n u (Higham 2002, theorem 19.4). The product and some ten sweeps of Jacobi rotations (each
// row is touched m times a sweep, 6 roundings each) move R_A R_B^T by at most D = 64 m u X Y, and W away from
// orthogonality by 128 m u. The polar factor of a matrix that is D off is worth at most 2 sqrt(m) D less than
// the best trace, which is twice that in the squared residual: residual^2 <= best^2 + 4 sqrt(m) D.
Carried procrustes(const Tensor& x, const Tensor& y) {
  if (x.shape != y.shape || x.shape.size() != 2)
    throw std::length_error("rows of shape " + text(x.shape) + " cannot be carried to " + text(y.shape));
  if (!std::all_of(x.data.begin(), x.data.end(), [](double v) { return std::isfinite(v); }) ||
      !std::all_of(y.data.begin(), y.data.end(), [](double v) { return std::isfinite(v); }))
    return {std::numeric_limits<double>::quiet_NaN(), 0};
  if (x.data.empty()) return {0, 0};

  const Matrix a = upper(columns(x));
  const Matrix b = upper(columns(y));
  const Eigen::JacobiSVD<Matrix, Eigen::NoQRPreconditioner> svd(a.lazyProduct(b.transpose()),
                                                                Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Matrix w = svd.matrixU().lazyProduct(svd.matrixV().transpose());
  const long double residual = (b - w.transpose().lazyProduct(a)).norm();

  const double u = static_cast<double>(std::numeric_limits<long double>::epsilon() / 2);
  const auto m = static_cast<double>(a.rows());
  const auto size = static_cast<double>(x.data.size());
  const auto size_x = static_cast<double>(a.norm()), size_y = static_cast<double>(b.norm());
  const double polar = std::sqrt(4 * std::sqrt(m) * 64 * m * u * size_x * size_y);
  return {static_cast<double>(residual), polar + (6 * size + 128 * m) * u * (size_x + size_y)};
}

}  // namespace posproof
