#include "catalogue/properties/table/translates_by_a_rotation.h"
#include "negative_examples.h"
#include "rotation.h"

namespace posproof {
namespace {

Residual check(const Table& table, Precision p, Draw& draw) {
  const Position lo = table.positions.lo, hi = table.positions.hi;
  const Position k = draw.position("k", {1, hi - lo, table.positions.hard});
  const Position s = draw.position("s", table.positions, lo, hi - k);
  const Position t = draw.position("t", table.positions, lo, hi - k);
  // The matrix is read off at s; at s alone it would be right by construction.
  if (s == t) throw Discard{};
  return table_rows::carried(table, table_rows::at(table, p, {s, t, s + k, t + k}));
}

// Angles that run ahead, by a radian after a hundred thousand positions.
Encoding chirp() {
  return negative_examples::ladder_of_angles(
      4, [](const Pair& pair, double t, double) { return pair.frequency * t + 1e-10 * t * t; });
}

Encoding lone_sine() {
  Table table = negative_examples::plain(3, Domain{}, [](std::size_t c, double t, double) {
    return c == 0 ? std::sin(t) : c == 1 ? std::cos(t) : std::sin(0.002 * t);
  });
  table.pairs = {{0, 1, 1.0}};
  table.lone = Pair{2, 2, 0.002, 1};
  return table;
}

Encoding longer_row() {
  return negative_examples::plain(8, Domain{0, 7}, [](std::size_t c, double t, double) {
    return static_cast<double>(c) == t ? (c == 5 ? 1 + 1e-6 : 1.0) : 0.0;
  });
}

}  // namespace

const Property properties::table::translates_by_a_rotation{
    .statement =
        "One orthogonal matrix, the same at every position, carries each code to the code k positions on.",
    .formula = "p_{t+k} = M_k p_t for all t, M_k M_k^T = 1",
    .source = "Vaswani et al. 2017, section 3.5: PE_{pos+k} is a linear function of PE_pos",
    .checks = {CheckOf<Table>(&check)},
    .must_reject = {{"angles that run ahead by 1e-10 of the squared position", &chirp},
                    {"a last sine of period 3142 without its cosine", &lone_sine},
                    {"a one-hot table with one code longer by 1e-6", &longer_row}},
};

}  // namespace posproof
