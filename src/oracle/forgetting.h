#pragma once

#include "oracle/formula.h"

namespace posproof::oracle {

// q_i . k_j, over sqrt(dim) or not, and the sum of what the tokens j + 1 .. i forget, as a difference of two
// sums from the first token on. Past the last key nothing is forgotten.
template <class Forgets>
Attention forgetting(std::string_view name, std::size_t dim, bool scaled, Forgets forgets) {
  Attention out = attention(
      name, dim, [=](const auto& in, const Tensor& q, const Tensor& k, const Tensor& v, const Mask&) {
        using In = std::decay_t<decltype(in)>;
        Operands<In> of;
        NumbersOf<In> sums;
        std::vector<NumbersOf<In>> keys;
        for (std::size_t j = 0; j < k.rows(); ++j) {
          keys.push_back(given(in, k.row(j)));
          const auto one = forgets(in, keys.back());
          sums.push_back(sums.empty() ? one : in.next(sums.back(), one));
        }
        for (std::size_t i = 0; i < q.rows(); ++i) {
          const auto query = given(in, q.row(i));
          for (std::size_t j = 0; j < k.rows(); ++j) {
            const auto content = in.dot(query, keys[j]);
            const auto between =
                in.sum(in.stored(sums[std::min(i, k.rows() - 1)]), in.minus(in.stored(sums[j])));
            of.logits.push_back(in.sum(scaled ? in.over_root(content, dim) : content, between));
          }
        }
        for (const double x : v.data) of.values.push_back(in.given(x));
        return of;
      });
  out.only_logits = true;
  out.causal = true;
  return out;
}

}  // namespace posproof::oracle
