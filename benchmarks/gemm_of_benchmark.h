// The body of gemm_*_benchmark.cpp, which define GEMM, the function's name. Each calls Eigen's namespace by
// another name: templates that are instantiated for a newer instruction set must not be linked into code for
// an older one.
#include <Eigen/Core>

#include "benchmarks/gemm_benchmark.h"

namespace posproof::attention {

void GEMM(const double* a, const double* b, double* c, std::size_t n, std::size_t d, std::size_t m) {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto rows = static_cast<Eigen::Index>(n), inner = static_cast<Eigen::Index>(d),
             columns = static_cast<Eigen::Index>(m);
  Eigen::Map<Matrix>(c, rows, columns).noalias() =
      Eigen::Map<const Matrix>(a, rows, inner) * Eigen::Map<const Matrix>(b, inner, columns);
}

}  // namespace posproof::attention
