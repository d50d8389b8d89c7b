#pragma once

#include <cmath>
#include <numeric>
#include <string>
#include <variant>
#include <vector>

#include "core/spec.h"

// Reference tables and their rows, for the experiments that look at them.
namespace posproof::experiments {

inline Table table(const EncodingSpec& spec, const std::string& parameters) {
  return spec.make<Table>(with(spec, Case::parse(parameters)));
}

// The rows of positions 0, 1, ..., of a sequence of that length.
inline Tensor rows(const Table& table, Position length) {
  std::vector<Position> all(static_cast<std::size_t>(length));
  std::iota(all.begin(), all.end(), Position{0});
  return table.rows(all, length);
}

// 2-norm.
template <class Numbers>
long double norm(const Numbers& v) {
  long double sum = 0;
  for (const auto x : v) sum += static_cast<long double>(x) * static_cast<long double>(x);
  return std::sqrt(sum);
}

// max |a - b|.
template <class Numbers>
auto largest_difference(const Numbers& a, const Numbers& b) {
  auto worst = std::abs(a[0] - a[0]);
  for (std::size_t c = 0; c < a.size(); ++c) worst = std::max(worst, std::abs(a[c] - b[c]));
  return worst;
}

}  // namespace posproof::experiments
