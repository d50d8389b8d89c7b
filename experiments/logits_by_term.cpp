#include "logits_by_term.h"

#include <cmath>

#include "measure.h"

namespace posproof::experiments {

Matrix shift(std::size_t dim, double k) {
  Matrix out = Matrix::Zero(static_cast<Index>(dim), static_cast<Index>(dim));
  Index at = 0;
  for (const long double w : ladder(dim)) {
    const auto c = static_cast<double>(std::cos(k * w)), s = static_cast<double>(std::sin(k * w));
    out(at, at) = c, out(at, at + 1) = s, out(at + 1, at) = -s, out(at + 1, at + 1) = c;
    at += 2;
  }
  return out;
}

Terms terms(const Matrix& x, const Matrix& p, const Matrix& w) {
  const Matrix wx = w * x.transpose(), wp = w * p.transpose();
  return {x * wx, x * wp, p * wx, p * wp};
}

double looking_back(const Matrix& logits, Index k) {
  Index right = 0;
  for (Index t = k; t < logits.rows(); ++t) {
    Index at = 0;
    logits.row(t).maxCoeff(&at);
    right += at == t - k;
  }
  return static_cast<double>(right) / static_cast<double>(logits.rows() - k);
}

Matrix Terms::logits(double scale) const {
  return scale * scale * content + scale * (content_position + position_content) + position;
}

}  // namespace posproof::experiments
