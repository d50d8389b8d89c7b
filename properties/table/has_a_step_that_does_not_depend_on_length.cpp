#include "catalogue/properties/table/has_a_step_that_does_not_depend_on_length.h"
#include "lengths.h"
#include "negative_examples.h"

namespace posproof::properties_table_has_a_step_that_does_not_depend_on_length {
namespace {

Residual check(const Table& table, Precision p, Draw& draw) {
  const Position t = draw.position("t", table.positions, table.positions.lo, table.positions.hi - 1);
  const auto [n, far] = table_rows::two_lengths(table, draw, t + 2);
  const table_rows::RowsInParts in_short = table_rows::at(table, p, {t, t + 1}, n),
                                in_long = table_rows::at(table, p, {t, t + 1}, far);
  const table_rows::Measured here = table_rows::apart(in_short, 0, in_short, 1),
                             there = table_rows::apart(in_long, 0, in_long, 1);
  return difference(there.value, here.value, here.error + there.error);
}

using namespace negative_examples;

Encoding stretches() {
  return ladder_of_angles(
      4, [](const Pair& pair, double t, double n) { return pair.frequency * t * (1 + 1e-6 * std::log(n)); });
}

// The first or the second of two neighbours, in sequences of more than eight tokens.
Made neighbour_longer(std::size_t which, double by) {
  return larger(right_ladder(2, {0, 15}), by,
                [=](const AnswerEntry& at) { return at.token == which && at.call->length > 8; });
}

}  // namespace

const Property entry{
    .statement = "Neighbours are as far apart in a long sequence as in a short one.",
    .formula = "|p_{t+1} - p_t| is the same for every n",
    .source = "the argument against t/(n-1): its step 1/(n-1) depends on the length n",
    .checks = {CheckOf<Table>(&check)},
    .must_reject = {{"angles that grow by 1e-6 of the logarithm of the length", &stretches},
                    {"a step that is longer by 2^-19 in the longer one of two sequences, in f32",
                     longer_in_length({0, 2}, 3, 0x1p-19), all_f32},
                    {"a step that is shorter by 2^-19 in the shorter one of two sequences, in f32",
                     longer_in_length({0, 2}, 2, -0x1p-19), all_f32},
                    {"a step that is longer by 2^-18 from -8 in a sequence that ends there, in f32",
                     longer_in_length({-8, 7}, -6, 0x1p-18), all_f32},
                    {"a step from a row that is longer by 2^-18 in more than eight tokens, in f32",
                     neighbour_longer(0, 0x1p-18), all_f32},
                    {"a step to a row that is shorter by 2^-18 in more than eight tokens, in f32",
                     neighbour_longer(1, -0x1p-18), all_f32},
                    {"a step to a row that is longer by 2^-4 in more than eight tokens, in bf16",
                     neighbour_longer(1, 0x1p-4), in_bf16}},
};

}  // namespace posproof::properties_table_has_a_step_that_does_not_depend_on_length
