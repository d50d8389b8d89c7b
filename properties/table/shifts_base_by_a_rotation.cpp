#include <numeric>

#include "catalogue/properties/table/shifts_base_by_a_rotation.h"
#include "negative_examples.h"
#include "rotation.h"

namespace posproof {
namespace {

constexpr Position most_tokens = 12;

Residual check(const Table& table, Precision p, Draw& draw) {
  const Position lo = table.positions.lo, hi = table.positions.hi;
  const Position n = draw.integer("n", 2, std::min(most_tokens, hi - lo));
  const Position c = draw.position("c", {1, hi - lo + 1 - n, table.positions.hard});
  // The whole table of n tokens at once, as it starts at the first position and as it starts at c. The
  // rotation is read off at the first token, where tables keep a padding row.
  std::vector<Position> positions(static_cast<std::size_t>(2 * n));
  std::iota(positions.begin(), positions.begin() + n, lo);
  std::iota(positions.begin() + n, positions.end(), lo + c);
  return table_rows::carried(table, table_rows::at(table, p, positions));
}

Encoding padding_row() {
  return negative_examples::ladder(4, [](const Pair& pair, Position t, Position) {
    const double size = t == 0 ? 1 - 1e-9 : 1;
    return std::array<double, 2>{size * std::sin(pair.frequency * double(t)),
                                 size * std::cos(pair.frequency * double(t))};
  });
}

Encoding skewed() {
  return negative_examples::ladder(4, [](const Pair& pair, Position t, Position) {
    return std::array<double, 2>{std::sin(pair.frequency * double(t)),
                                 std::cos(pair.frequency * double(t) + 1e-6)};
  });
}

}  // namespace

const Property properties::table::shifts_base_by_a_rotation{
    .statement =
        "A table that starts counting at c is the table that starts at the first position, rotated as a "
        "whole "
        "by "
        "one rotation.",
    .formula = "(p_c, ..., p_{c+n-1}) = R (p_0, ..., p_{n-1})",
    .source = "fairseq starts at padding_idx + 1, DETR at 1, Vaswani et al. 2017 at 0",
    .checks = {CheckOf<Table>(&check)},
    .must_reject = {{"a first row that is shorter by 1e-9", &padding_row},
                    {"a cosine that is rotated by 1e-6 radians against its sine", &skewed}},
};

}  // namespace posproof
