#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "catalogue/encodings/sinusoidal.h"
#include "core/formats.h"
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

// 2-norm of p_s - p_t, k apart. g is within 2^-53 of itself, so a distance d is off by less than 2^-53 width
// / d: no printed digit hangs on it.
inline double distance(const std::vector<double>& g, Position k) {
  return std::sqrt(2 * (g[0] - g[static_cast<std::size_t>(k)]));
}

// The distance of the nearest pair of rows among all positions that g's offsets lie between.
inline double nearest_distance(const std::vector<double>& g) {
  return distance(g, std::max_element(g.begin() + 1, g.end()) - g.begin());
}

// What rounding both of two rows to the format can add up to, at any positions: rows that are farther apart
// stay apart.
inline double lost_by_rounding(Format format, std::size_t dim) {
  const FormatShape of = shape(format);
  const auto width = static_cast<double>(dim);
  return 2 * (std::ldexp(std::sqrt(width / 2), -of.digits) +
              std::ldexp(std::sqrt(width), of.smallest - of.digits));
}

}  // namespace posproof::experiments
