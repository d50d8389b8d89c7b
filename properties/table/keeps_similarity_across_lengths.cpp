#include "catalogue/properties.h"
#include "lengths.h"
#include "specimens.h"

namespace posproof {
namespace {

Residual check(const Table& table, Precision p, Draw& draw) {
  const Position s = draw.position("s", table.positions);
  const Position t = draw.position("t", table.positions);
  const auto [n, far] = codes::two_lengths(table, draw, std::max(s, t) + 1);
  const codes::Codes in_short = codes::at(table, p, {s, t}, n), in_long = codes::at(table, p, {s, t}, far);
  const codes::Measured here = codes::dot(in_short, 0, in_short, 1),
                        there = codes::dot(in_long, 0, in_long, 1);
  return equal(there.value, here.value, here.error + there.error);
}

Encoding stretches() {
  return specimens::ladder_of_angles(
      4, [](const Pair& pair, double t, double n) { return pair.frequency * t * (1 + 1e-6 * std::log(n)); });
}

}  // namespace

const Property properties::table::keeps_similarity_across_lengths{
    .statement = "Two positions are as similar in a long sequence as in a short one.",
    .formula = "p_s(n) . p_t(n) = p_s(n') . p_t(n')",
    .source = "the argument against t/(n-1); p_s . p_t = sum_i cos(w_i (s - t)) has no n in it",
    .checks = {CheckOf<Table>(&check)},
    .rejects = {{"angles that grow by 1e-6 of the logarithm of the length", &stretches}},
};

}  // namespace posproof
