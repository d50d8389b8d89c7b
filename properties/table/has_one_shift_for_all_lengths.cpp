#include "catalogue/properties/table/has_one_shift_for_all_lengths.h"
#include "lengths.h"
#include "negative_examples.h"

namespace posproof::properties_table_has_one_shift_for_all_lengths {
namespace {

// One rigid motion carries the rows of two sequences k positions on exactly where every distance among them
// stays what it was; here the distance of a row of one sequence from a row of the other.
Residual check(const Table& table, Precision p, Draw& draw) {
  const Position lo = table.positions.lo, hi = table.positions.hi;
  const Position k = draw.position("k", {1, hi - lo, table.positions.hard});
  const Position t = draw.position("t", table.positions, lo, hi - k);
  const Position u = draw.position("u", table.positions, lo, hi - k);
  const auto [n, far] = table_rows::two_lengths(table, draw, std::max(t, u) + k + 1);
  const table_rows::RowsInParts in_short = table_rows::at(table, p, {t, t + k}, n),
                                in_long = table_rows::at(table, p, {u, u + k}, far);
  const table_rows::Measured here = table_rows::apart(in_short, 0, in_long, 0),
                             there = table_rows::apart(in_short, 1, in_long, 1);
  return difference(there.value, here.value, here.error + there.error);
}

using namespace negative_examples;

Made stretched(double by) {
  return [by] {
    return ladder_of_angles(4, [by](const Pair& pair, double t, double n) {
      return pair.frequency * t * (1 + by * std::log(n));
    });
  };
}

// The first or the second row of the longer sequence alone.
Made row_larger(std::size_t which, double by) {
  return larger(right_ladder(2, {0, 15}), by,
                [=](const AnswerEntry& at) { return at.token == which && at.call->length > 8; });
}

}  // namespace

const Property entry{
    .statement =
        "One rigid motion (a rotation and a translation) maps each row to the row k positions on, in sequences of every length.",
    .formula =
        "p_{t+k}(n) = M_k p_t(n) + c_k for all t and n: |p_{t+k}(n) - p_{u+k}(n')| = |p_t(n) - p_u(n')|",
    .source = "the argument against t/(n-1): a shift by k is a shift by k/(n-1), another one for every n",
    .checks = {CheckOf<Table>(&check)},
    .must_reject = {{"angles that grow by 1e-6 of the logarithm of the length", stretched(1e-6)},
                    // From 2 tokens to a million by 13 units of f32 of the angle, where each of four angles
                    // may be off by 1.
                    {"angles that grow by 2^-24 of the logarithm of the length, in f32", stretched(0x1p-24),
                     all_f32},
                    {"a last row that is longer by 2^-18 in the longer one of two sequences, in f32",
                     larger(right_ladder(2, {0, 2}), 0x1p-18,
                            [](const AnswerEntry& at) { return at.position == 1 && at.call->length == 3; }),
                     all_f32},
                    {"a first row that is shorter by 2^-18 in the shorter one of two sequences, in f32",
                     larger(right_ladder(2, {0, 2}), -0x1p-18,
                            [](const AnswerEntry& at) { return at.position == 0 && at.call->length == 2; }),
                     all_f32},
                    {"a first row that is longer by 2^-20 in more than eight tokens, in f32",
                     row_larger(0, 0x1p-20), all_f32},
                    {"a second row that is shorter by 2^-20 in more than eight tokens, in f32",
                     row_larger(1, -0x1p-20), all_f32},
                    {"a second row that is longer by 2^-6 in more than eight tokens, in bf16",
                     row_larger(1, 0x1p-6), in_bf16}},
};

}  // namespace posproof::properties_table_has_one_shift_for_all_lengths
