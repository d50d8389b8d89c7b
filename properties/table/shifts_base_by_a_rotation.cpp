#include <numeric>

#include "catalogue/properties/table/shifts_base_by_a_rotation.h"
#include "negative_examples.h"
#include "rotation.h"

namespace posproof::properties_table_shifts_base_by_a_rotation {
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
  return table_rows::carried(table, table_rows::bounded(table, p, positions));
}

using namespace negative_examples;

Encoding padding_row() {
  return ladder(4, [](const Pair& pair, Position t, Position) {
    const double size = t == 0 ? 1 - 1e-9 : 1;
    return std::array<double, 2>{size * std::sin(pair.frequency * double(t)),
                                 size * std::cos(pair.frequency * double(t))};
  });
}

Encoding skewed() {
  return ladder(4, [](const Pair& pair, Position t, Position) {
    return std::array<double, 2>{std::sin(pair.frequency * double(t)),
                                 std::cos(pair.frequency * double(t) + 1e-6)};
  });
}

Made one_hot(double by) {
  return [by] {
    return plain(3, Domain{0, 2}, [by](std::size_t c, double t, double) {
      return static_cast<double>(c) == t ? (c == 2 ? 1 + by : 1.0) : 0.0;
    });
  };
}

// Beside one right pair, a column on none that is wrong in its last row.
Made column_on_no_pair(double by) {
  return [by] {
    Table table = plain(3, Domain{0, 11}, [by](std::size_t c, double t, double) {
      return c == 2 ? (t == 11 ? 1 + by : 1) : right(t)[c];
    });
    table.pairs = {{0, 1, 1.0}};
    return table;
  };
}

}  // namespace

const Property entry{
    .statement =
        "A table that starts counting at c is the table that starts at the first position, rotated as a "
        "whole "
        "by "
        "one rotation.",
    .formula = "(p_c, ..., p_{c+n-1}) = R (p_0, ..., p_{n-1})",
    .source = "fairseq starts at padding_idx + 1, DETR at 1, Vaswani et al. 2017 at 0",
    .checks = {CheckOf<Table>(&check)},
    .must_reject =
        {{"a first row that is shorter by 1e-9", &padding_row},
         {"a cosine that is rotated by 1e-6 radians against its sine", &skewed},
         {"the last of three rows longer by 2^-18, in f32", row_longer({0, 2}, 2, 0x1p-18), all_f32},
         {"the first row, of -8, shorter by 2^-18, in f32", row_longer({-8, 7}, -8, -0x1p-18), all_f32},
         {"the twelfth of 24 rows longer by 2^-16, in f32",
          larger(right_ladder(2, {0, 23}), 0x1p-16,
                 [](const AnswerEntry& at) { return at.tokens == 24 && at.token == 11; }),
          all_f32},
         {"the last entry larger by 2^-18, in f32", last_larger(small(), 0x1p-18), all_f32},
         {"the last entry smaller by 2^-4, in bf16", last_larger(small(), -0x1p-4), in_bf16},
         {"the first entry larger by 2^-17, in f32", first_larger(right_ladder(4, {1, 15}), 0x1p-17),
          all_f32},
         {"a one-hot table with the last of three codes longer by 2^-20, in f32", one_hot(0x1p-20), all_f32},
         {"a one-hot table with the last of three codes shorter by 2^-4, in bf16", one_hot(-0x1p-4), in_bf16},
         {"a column on no pair that is larger by 2^-20 in its last row, in f32", column_on_no_pair(0x1p-20),
          all_f32}},
};

}  // namespace posproof::properties_table_shifts_base_by_a_rotation
