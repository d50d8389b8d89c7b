#include "catalogue/encodings.h"
#include "catalogue/properties.h"
#include "oracle/oracle.h"

#include <cmath>

namespace posproof {
namespace {

Encoding make(const Parameters& parameters) {
  const auto dim = static_cast<std::size_t>(parameters.integer("dim"));
  Table table{.dim = dim};
  for (std::size_t i = 0; 2 * i + 1 < dim; ++i)
    table.pairs.push_back({2 * i, 2 * i + 1,
                           double(std::pow((long double)10000.0, -2.0L * (long double)(i) / (long double)(dim))), i});
  table.rows = [pairs = table.pairs, dim](std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r)
      for (const Pair& pair : pairs) {
        const long double angle = static_cast<long double>(positions[r]) * pair.frequency;
        rows.at(r, pair.first) = static_cast<double>(std::sin(angle));
        rows.at(r, pair.second) = static_cast<double>(std::cos(angle));
      }
    return rows;
  };
  return table;
}

}  // namespace

const EncodingSpec encodings::sinusoidal{
    .summary = "sine and cosine of the position at a geometric ladder of frequencies",
    .formula = "p_t[2i] = sin(t w_i), p_t[2i+1] = cos(t w_i), w_i = base^(-2i/dim)",
    .source = "Vaswani et al. 2017, Attention Is All You Need, section 3.5",
    .parameters = {{"dim", 64.0, {2.0, 4.0, 8.0, 64.0}, "width of the code, channels"}},
    .make = &make,
    .oracle = &oracle::sinusoidal,
    .claims = {holds(properties::table::has_constant_norm)},
};

}  // namespace posproof
