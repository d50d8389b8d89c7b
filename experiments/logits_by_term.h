#pragma once

#include "matrices.h"
#include "measure.h"

// Logits of one head, (x_t + p_t) W (x_s + p_s)^T: queries t and keys s, W = W_q W_k^T.
namespace posproof::experiments {

// The rotation of every pair with W p_s = p_(s+k), for rows seen as columns: p_t W p_s^T = p_t . p_(s+k).
inline Matrix shift(std::size_t dim, double k) {
  Matrix out = Matrix::Zero(static_cast<Index>(dim), static_cast<Index>(dim));
  Index at = 0;
  for (const long double w : ladder(dim)) {
    const auto c = static_cast<double>(std::cos(k * w)), s = static_cast<double>(std::sin(k * w));
    out(at, at) = c, out(at, at + 1) = s, out(at + 1, at) = -s, out(at + 1, at + 1) = c;
    at += 2;
  }
  return out;
}

struct Terms {  // [queries, keys], of tokens of scale 1
  Matrix content, content_position, position_content, position;

  Matrix logits(double scale) const {
    return scale * scale * content + scale * (content_position + position_content) + position;
  }
};

inline Terms terms(const Matrix& x, const Matrix& p, const Matrix& w) {
  const Matrix wx = w * x.transpose(), wp = w * p.transpose();
  return {x * wx, x * wp, p * wx, p * wp};
}

// For which share of the queries t >= k the largest logit is that of key t - k, among all keys.
inline double looking_back(const Matrix& logits, Index k) {
  Index right = 0;
  for (Index t = k; t < logits.rows(); ++t) {
    Index at = 0;
    logits.row(t).maxCoeff(&at);
    right += at == t - k;
  }
  return static_cast<double>(right) / static_cast<double>(logits.rows() - k);
}

}  // namespace posproof::experiments
