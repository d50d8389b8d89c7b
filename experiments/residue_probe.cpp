#include "residue_probe.h"

namespace posproof::experiments {
namespace {

// Outputs that are equal in exact arithmetic differ by less in f64, and rounding must not choose between
// them.
constexpr double tie = 1e-9;

}  // namespace

Matrix binary_rows(Index bits, Index length) {
  Matrix out(length, bits);
  for (Index t = 0; t < length; ++t)
    for (Index bit = 0; bit < bits; ++bit) out(t, bit) = static_cast<double>((t >> bit) & 1);
  return out;
}

Matrix with_constant(const Matrix& rows) {
  Matrix out(rows.rows(), rows.cols() + 1);
  out << rows, Vector::Ones(rows.rows());
  return out;
}

Matrix coordinates(const Matrix& rows, Index seen, double weakest) {
  const Directions of = directions(rows.topRows(seen));
  const Index kept = of.above(weakest);
  return rows * of.basis.leftCols(kept) * of.strength.head(kept).cwiseInverse().asDiagonal();
}

double affine_residual(const Matrix& rows, const Matrix& targets) {
  const Matrix z = coordinates(with_constant(rows), rows.rows());
  return (z * (z.transpose() * targets) - targets).cwiseAbs().maxCoeff();
}

Read Probe::read(Index period) const {
  Matrix residues = Matrix::Zero(seen_, period);
  for (Index t = 0; t < seen_; ++t) residues(t, t % period) = 1;
  const Matrix outputs = coordinates_ * (coordinates_.topRows(seen_).transpose() * residues);
  return {right(outputs, 0), right(outputs, seen_)};
}

double Probe::right(const Matrix& outputs, Index from) const {
  Index count = 0;
  for (Index t = from; t < from + seen_; ++t) {
    Index at = 0;  // the first of those that are largest up to rounding
    for (const double largest = outputs.row(t).maxCoeff(); outputs(t, at) < largest - tie;) ++at;
    count += at == t % outputs.cols();
  }
  return static_cast<double>(count) / static_cast<double>(seen_);
}

}  // namespace posproof::experiments
