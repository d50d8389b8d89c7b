#pragma once

#include "matrices.h"

// Logits of one head, (x_t + p_t) W (x_s + p_s)^T: queries t and keys s, W = W_q W_k^T.
namespace posproof::experiments {

// The rotation of every pair with W p_s = p_(s+k), for rows seen as columns: p_t W p_s^T = p_t . p_(s+k).
Matrix shift(std::size_t dim, double k);

struct Terms {  // [queries, keys], of tokens of scale 1
  Matrix content, content_position, position_content, position;

  Matrix logits(double scale) const;
};

Terms terms(const Matrix& x, const Matrix& p, const Matrix& w);

// For which share of the queries t >= k the largest logit is that of key t - k, among all keys.
double looking_back(const Matrix& logits, Index k);

}  // namespace posproof::experiments
