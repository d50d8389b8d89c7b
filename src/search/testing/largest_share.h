#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "search/generate.h"
#include "search/trial.h"

namespace posproof::testing {

// The largest share of its bound that a right encoding uses in the 300 cases of the usual search; the first
// case that does not hold is a failure of the test.
inline double largest_share(const Property& property, std::string_view id, const Encoding& right,
                            const Precision& precision) {
  const Trial one = *trial(property, right, precision);
  double largest = 0;
  for (std::uint64_t n = 0; n < 300; ++n) {
    RandomDraw draw(1, id, n);
    try {
      const Residual residual = one(draw);
      if (!residual.holds()) {
        ADD_FAILURE() << draw.drawn().text() << " off by " << residual.error << ", allowed "
                      << residual.bound;
        return largest;
      }
      largest = std::max(largest, residual.error_over_bound());
    } catch (const Discard&) {
    }
  }
  return largest;
}

}  // namespace posproof::testing
