#include "catalogue/properties/table/is_prefix_stable.h"
#include "lengths.h"
#include "negative_examples.h"

namespace posproof::properties_table_is_prefix_stable {
namespace {

// Of a long sequence the last of these many tokens are looked at.
constexpr Position most_tokens = 16;

Residual check(const Table& table, Precision p, Draw& draw) {
  const Position lo = table.positions.lo, hi = table.positions.hi;
  const Position n = draw.position("n", {1, hi - lo, table.positions.hard});
  std::vector<Position> positions;
  for (Position t = std::max(Position{0}, n - most_tokens); t < n; ++t) positions.push_back(lo + t);
  return table_rows::same(table_rows::bounded(table, p, positions, lo + n + 1),
                          table_rows::bounded(table, p, positions, lo + n));
}

using namespace negative_examples;

Encoding stretches() {
  return ladder_of_angles(
      4, [](const Pair& pair, double t, double n) { return pair.frequency * t * (1 + 1e-9 * std::log(n)); });
}

// Where the last token but 15 of a long sequence is looked at.
Made first_row_larger(double by) {
  return larger(right_ladder(4, {0, 31}), by, [](const AnswerEntry& at) {
    return at.call->length == 32 && at.position == 15 && at.in_last_channel();
  });
}

// In one column of the last token of sequences of an even number of tokens.
Made last_row_larger(std::size_t which, double by) {
  return larger(small(), by, [=](const AnswerEntry& at) {
    return at.channel == which && at.position % 2 == 0 && at.position + 2 == at.call->length;
  });
}

}  // namespace

const Property entry{
    .statement = "Appending a token to a sequence leaves the rows of the tokens before it as they are.",
    .formula = "p_t(n+1) = p_t(n) for all t < n",
    .source = "Vaswani et al. 2017, section 3.5; what a cache of keys and values rests on",
    .checks = {CheckOf<Table>(&check)},
    .must_reject = {{"angles that grow by 1e-9 of the logarithm of the length", &stretches},
                    {"a row that is longer by 2^-20 once a second one follows, in f32",
                     longer_in_length({0, 1}, 2, 0x1p-20), all_f32},
                    {"a row of -8 that is shorter by 2^-18 once a second one follows, in f32",
                     longer_in_length({-8, -7}, -6, -0x1p-18), all_f32},
                    {"a 16th row, larger by 2^-18 in one entry once 16 others follow, in f32",
                     first_row_larger(0x1p-18), all_f32},
                    {"a last row that is larger by 2^-18 in its first column once a token follows, in f32",
                     last_row_larger(0, 0x1p-18), all_f32},
                    {"a last row that is larger by 2^-19 in its last column once a token follows, in f32",
                     last_row_larger(3, 0x1p-19), all_f32},
                    {"a last row that is smaller by 2^-6 in its last column once a token follows, in bf16",
                     last_row_larger(3, -0x1p-6), in_bf16}},
};

}  // namespace posproof::properties_table_is_prefix_stable
