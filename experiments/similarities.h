#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "catalogue/encodings/sinusoidal.h"
#include "exact/exact_table.h"
#include "exact/similarity.h"

namespace posproof::experiments {

// The sinusoidal encoding of these words (`dim=64 base=500000`): its exact table.
inline std::shared_ptr<const exact::ExactTable> sinusoidal(std::string_view words) {
  return exact::exact_table(encodings::sinusoidal.oracle(Case::parse(words)));
}

// g(0), ..., g(last), g(k) = sum over i of cos(k w_i), each the double nearest to the exact number: of two
// that differ the larger one is larger, and so the smallest and the largest are found, not estimated. Rotary
// encodings of that width and base have the same frequencies.
inline std::vector<double> similarities(std::string_view words, Position last) {
  std::vector<double> g(static_cast<std::size_t>(last) + 1);
  exact::Similarity(sinusoidal(words)->ladder()).fill(Format::f64, 0, g);
  return g;
}

}  // namespace posproof::experiments
