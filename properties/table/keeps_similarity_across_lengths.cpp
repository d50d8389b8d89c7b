#include "catalogue/properties/table/keeps_similarity_across_lengths.h"
#include "lengths.h"
#include "negative_examples.h"

namespace posproof::properties_table_keeps_similarity_across_lengths {
namespace {

Residual check(const Table& table, Precision p, Draw& draw) {
  const Position s = draw.position("s", table.positions);
  const Position t = draw.position("t", table.positions);
  const auto [n, far] = table_rows::two_lengths(table, draw, std::max(s, t) + 1);
  const table_rows::RowsInParts in_short = table_rows::at(table, p, {s, t}, n),
                                in_long = table_rows::at(table, p, {s, t}, far);
  const table_rows::Measured here = table_rows::dot(in_short, 0, in_short, 1),
                             there = table_rows::dot(in_long, 0, in_long, 1);
  return difference(there.value, here.value, here.error + there.error);
}

using namespace negative_examples;

Encoding stretches() {
  return ladder_of_angles(
      4, [](const Pair& pair, double t, double n) { return pair.frequency * t * (1 + 1e-6 * std::log(n)); });
}

// The first or the second of two rows, in sequences of more than eight tokens.
Made row_larger(std::size_t which, double by) {
  return larger(small(), by, [=](const AnswerEntry& at) { return at.token == which && at.call->length > 8; });
}

}  // namespace

const Property entry{
    .statement = "Two positions are as similar in a long sequence as in a short one.",
    .formula = "p_s(n) . p_t(n) = p_s(n') . p_t(n')",
    .source = "the argument against t/(n-1); p_s . p_t = sum_i cos(w_i (s - t)) has no n in it",
    .checks = {CheckOf<Table>(&check)},
    .must_reject = {{"angles that grow by 1e-6 of the logarithm of the length", &stretches},
                    {"rows that are longer by 2^-20 in the longer one of two sequences, in f32",
                     longer_in_length({0, 1}, 2, 0x1p-20), all_f32},
                    {"rows that are shorter by 2^-20 in the shorter one of two sequences, in f32",
                     longer_in_length({0, 1}, 1, -0x1p-20), all_f32},
                    {"rows of -8 that are longer by 2^-19 when nothing follows, in f32",
                     longer_in_length({-8, 7}, -7, 0x1p-19), all_f32},
                    {"a first row that is longer by 2^-18 in more than eight tokens, in f32",
                     row_larger(0, 0x1p-18), all_f32},
                    {"a second row that is shorter by 2^-18 in more than eight tokens, in f32",
                     row_larger(1, -0x1p-18), all_f32},
                    {"a second row that is longer by 2^-4 in more than eight tokens, in bf16",
                     row_larger(1, 0x1p-4), in_bf16}},
};

}  // namespace posproof::properties_table_keeps_similarity_across_lengths
