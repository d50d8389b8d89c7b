#include "catalogue/properties/table/does_not_depend_on_length.h"
#include "lengths.h"
#include "negative_examples.h"

namespace posproof::properties_table_does_not_depend_on_length {
namespace {

Residual check(const Table& table, Precision p, Draw& draw) {
  const Position t = draw.position("t", table.positions);
  const auto [n, far] = table_rows::two_lengths(table, draw, t + 1);
  return table_rows::same(table_rows::bounded(table, p, {t}, n), table_rows::bounded(table, p, {t}, far));
}

using namespace negative_examples;

Encoding slows_down() {
  return ladder_of_angles(
      4, [](const Pair& pair, double t, double n) { return pair.frequency * t / (n > 4096 ? 1 + 1e-9 : 1); });
}

// In one column of sequences of more than eight tokens.
Made larger_column(std::size_t which, double by) {
  return larger(small(), by,
                [=](const AnswerEntry& at) { return at.channel == which && at.call->length > 8; });
}

}  // namespace

const Property entry{
    .statement = "The row of a position is the same in a sequence of any length.",
    .formula = "p_t(n) = p_t(n')",
    .source = "Vaswani et al. 2017, section 3.5: the length is not in the formula",
    .checks = {CheckOf<Table>(&check)},
    .must_reject = {{"angles that are smaller by 1e-9 in sequences of more than 4096 tokens", &slows_down},
                    {"rows that are longer by 2^-20 in the longer one of two sequences, in f32",
                     longer_in_length({0, 1}, 2, 0x1p-20), all_f32},
                    {"rows that are shorter by 2^-20 in the shorter one of two sequences, in f32",
                     longer_in_length({0, 1}, 1, -0x1p-20), all_f32},
                    {"rows of -8 that are longer by 2^-18 when nothing follows, in f32",
                     longer_in_length({-8, 7}, -7, 0x1p-18), all_f32},
                    {"a first column that is larger by 2^-18 in sequences of more than eight tokens, in f32",
                     larger_column(0, 0x1p-18), all_f32},
                    {"a last column that is larger by 2^-19 in sequences of more than eight tokens, in f32",
                     larger_column(3, 0x1p-19), all_f32},
                    {"a last column that is smaller by 2^-6 in sequences of more than eight tokens, in bf16",
                     larger_column(3, -0x1p-6), in_bf16},
                    {"a last column that is larger by 2^-9 in sequences of more than eight tokens, in f16",
                     larger_column(3, 0x1p-9), in_f16}},
};

}  // namespace posproof::properties_table_does_not_depend_on_length
