#include "catalogue/properties/table/is_prefix_stable.h"
#include "lengths.h"
#include "negative_examples.h"

namespace posproof {
namespace {

// Of a long sequence the last of these many tokens are looked at.
constexpr Position most_tokens = 16;

Residual check(const Table& table, Precision p, Draw& draw) {
  const Position lo = table.positions.lo, hi = table.positions.hi;
  const Position n = draw.position("n", {1, hi - lo, table.positions.hard});
  std::vector<Position> positions;
  for (Position t = std::max(Position{0}, n - most_tokens); t < n; ++t) positions.push_back(lo + t);
  return table_rows::same(table_rows::at(table, p, positions, lo + n + 1),
                          table_rows::at(table, p, positions, lo + n));
}

Encoding stretches() {
  return negative_examples::ladder_of_angles(
      4, [](const Pair& pair, double t, double n) { return pair.frequency * t * (1 + 1e-9 * std::log(n)); });
}

}  // namespace

const Property properties::table::is_prefix_stable{
    .statement = "Appending a token to a sequence leaves the rows of the tokens before it as they are.",
    .formula = "p_t(n+1) = p_t(n) for all t < n",
    .source = "Vaswani et al. 2017, section 3.5; what a cache of keys and values rests on",
    .checks = {CheckOf<Table>(&check)},
    .must_reject = {{"angles that grow by 1e-9 of the logarithm of the length", &stretches}},
};

}  // namespace posproof
