#include "depth_probe.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace posproof::experiments {

Layer random_layer(attention::Generator& numbers, Index dim) {
  const auto matrix = [&]() -> Matrix {
    return normal(numbers, dim, dim) / std::sqrt(static_cast<double>(dim));
  };
  Matrix query = matrix(), key = matrix(), value = matrix(), output = matrix();
  return {std::move(query), std::move(key), std::move(value), std::move(output)};
}

Matrix layer_normalised(Matrix x) {
  x.colwise() -= Vector(x.rowwise().mean());
  const Vector deviation = (x.rowwise().squaredNorm().array() / static_cast<double>(x.cols()) + 1e-5).sqrt();
  return x.array().colwise() / deviation.array();
}

Matrix layer_output(const Layer& layer, const Matrix& x, bool residual, bool causal) {
  Matrix weights = (x * layer.query) * (x * layer.key).transpose() / std::sqrt(static_cast<double>(x.cols()));
  if (causal)
    weights.triangularView<Eigen::StrictlyUpper>().setConstant(-std::numeric_limits<double>::infinity());
  weights.colwise() -= Vector(weights.rowwise().maxCoeff());
  weights = weights.array().exp();
  const Vector sums = weights.rowwise().sum();
  weights.array().colwise() /= sums.array();
  Matrix out = weights * (x * layer.value) * layer.output;
  if (residual) out += x;
  return layer_normalised(out);
}

std::vector<Matrix> less_their_means(std::vector<Matrix> sequences) {
  for (Matrix& x : sequences) x.rowwise() -= x.colwise().mean().eval();
  return sequences;
}

double position_read(const std::vector<Matrix>& sequences, std::size_t fitted, std::size_t held_out,
                     bool constant) {
  const Index length = sequences[0].rows(), seen = static_cast<Index>(fitted) * length;
  std::vector<const Matrix*> used;
  for (std::size_t s = 0; s < sequences.size(); ++s)
    if (s < fitted || s >= held_out) used.push_back(&sequences[s]);
  Matrix rows(static_cast<Index>(used.size()) * length, sequences[0].cols());
  Vector position(rows.rows());
  for (std::size_t s = 0; s < used.size(); ++s) {
    rows.middleRows(static_cast<Index>(s) * length, length) = *used[s];
    for (Index t = 0; t < length; ++t)
      position[static_cast<Index>(s) * length + t] =
          static_cast<double>(t) - static_cast<double>(length - 1) / 2;
  }
  const Matrix z = coordinates(constant ? with_constant(rows) : rows, seen);
  const Vector read = z * (z.topRows(seen).transpose() * position.head(seen));
  const Index rest = rows.rows() - seen;
  return std::max(0.0, 1 - (read - position).tail(rest).squaredNorm() / position.tail(rest).squaredNorm());
}

}  // namespace posproof::experiments
