#pragma once

#include <algorithm>

#include "core/encoding.h"

namespace posproof::testing {

// Errors of an operator that allow each entry of an answer the same: `allowed(q, k, v, mask, precision)`.
template <class Allowed>
auto each_entry(Allowed allowed) {
  return [allowed](const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                   const Precision& precision) {
    Tensor out({q.rows(), v.width()});
    std::ranges::fill(out.data, allowed(q, k, v, mask, precision));
    return out;
  };
}

}  // namespace posproof::testing
