#include "catalogue/properties.h"
#include "lengths.h"
#include "specimens.h"

namespace posproof {
namespace {

// One rigid motion carries the codes of two sequences k positions on exactly where every distance among them
// stays what it was; here the distance of a code of one sequence from a code of the other.
Residual check(const Table& table, Precision p, Draw& draw) {
  const Position lo = table.positions.lo, hi = table.positions.hi;
  const Position k = draw.position("k", {1, hi - lo, table.positions.hard});
  const Position t = draw.position("t", table.positions, lo, hi - k);
  const Position u = draw.position("u", table.positions, lo, hi - k);
  const auto [n, far] = codes::two_lengths(table, draw, std::max(t, u) + k + 1);
  const codes::Codes in_short = codes::at(table, p, {t, t + k}, n),
                     in_long = codes::at(table, p, {u, u + k}, far);
  const codes::Measured here = codes::apart(in_short, 0, in_long, 0),
                        there = codes::apart(in_short, 1, in_long, 1);
  return equal(there.value, here.value, here.error + there.error);
}

Encoding stretches() {
  return specimens::ladder_of_angles(
      4, [](const Pair& pair, double t, double n) { return pair.frequency * t * (1 + 1e-6 * std::log(n)); });
}

}  // namespace

const Property properties::table::has_one_shift_for_all_lengths{
    .statement =
        "One rigid motion (a rotation and a translation) carries the codes of sequences of every length k "
        "positions on.",
    .formula =
        "p_{t+k}(n) = M_k p_t(n) + c_k for all t and n: |p_{t+k}(n) - p_{u+k}(n')| = |p_t(n) - p_u(n')|",
    .source = "the argument against t/(n-1): a shift by k is a shift by k/(n-1), another one for every n",
    .checks = {CheckOf<Table>(&check)},
    .rejects = {{"angles that grow by 1e-6 of the logarithm of the length", &stretches}},
};

}  // namespace posproof
