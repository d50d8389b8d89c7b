#pragma once

#include <algorithm>
#include <cstddef>

#include "core/function.h"
#include "encodings/inside_attention.h"

namespace posproof::inside {

// The logit less what the tokens after the key, up to the query, forget: added up one by one. Past the last
// key nothing is forgotten.
inline Attention forgetting(std::size_t dim, Real scale,
                            Function<Real(std::span<const double> key)> forgets) {
  Attention out = attention(dim, [scale, forgets = std::move(forgets)](const Tensor& q, const Tensor& k,
                                                                       const Tensor& v, const Mask&) {
    std::vector<Real> each;
    for (std::size_t j = 0; j < k.rows(); ++j) each.push_back(forgets(k.row(j)));
    return Pairwise{[&q, &k, scale, each](std::size_t i, std::size_t j) {
                      const std::size_t last = std::min(i, k.rows() - 1);
                      Real between = 0;
                      for (std::size_t l = j + 1; l <= last; ++l) between += each[l];
                      return dot(q.row(i), k.row(j)) * scale + between;
                    },
                    [&v](std::size_t, std::size_t j, std::size_t c) { return Real{v.at(j, c)}; }};
  });
  out.only_logits = true;
  out.causal = true;
  return out;
}

}  // namespace posproof::inside
