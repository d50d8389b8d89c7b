#include "catalogue/properties/table/translates_by_a_rotation.h"
#include "negative_examples.h"
#include "rotation.h"

namespace posproof::properties_table_translates_by_a_rotation {
namespace {

Residual check(const Table& table, Precision p, Draw& draw) {
  const Position lo = table.positions.lo, hi = table.positions.hi;
  const Position k = draw.position("k", {1, hi - lo, table.positions.hard});
  const Position s = draw.position("s", table.positions, lo, hi - k);
  const Position t = draw.position("t", table.positions, lo, hi - k);
  // The matrix is read off at s; at s alone it would be right by construction.
  if (s == t) throw Discard{};
  return table_rows::carried(table, table_rows::bounded(table, p, {s, t, s + k, t + k}));
}

using namespace negative_examples;

// Angles that run ahead, by a radian after a hundred thousand positions.
Encoding chirp() {
  return ladder_of_angles(
      4, [](const Pair& pair, double t, double) { return pair.frequency * t + 1e-10 * t * t; });
}

Encoding lone_sine() {
  Table table = plain(3, Domain{}, [](std::size_t c, double t, double) {
    return c == 0 ? std::sin(t) : c == 1 ? std::cos(t) : std::sin(0.002 * t);
  });
  table.pairs = {{0, 1, 1.0}};
  table.lone = Pair{2, 2, 0.002, 1};
  return table;
}

Made one_hot(Domain domain, double longer, double by) {
  return [=] {
    return plain(8, domain, [=](std::size_t c, double t, double) {
      return static_cast<double>(c) == t ? (t == longer ? 1 + by : 1.0) : 0.0;
    });
  };
}

// Beside one right pair, columns on none: the last one is wrong in its last row.
Made column_on_no_pair(double by) {
  return [by] {
    Table table = plain(4, Domain{0, 7}, [by](std::size_t c, double t, double) {
      return c < 2 ? right(t)[c] : c == 3 && t == 7 ? 1 + by : 1;
    });
    table.pairs = {{0, 1, 1.0}};
    return table;
  };
}

}  // namespace

const Property entry{
    .statement =
        "One orthogonal matrix, the same at every position, maps each row to the row k positions on.",
    .formula = "p_{t+k} = M_k p_t for all t, M_k M_k^T = 1",
    .source = "Vaswani et al. 2017, section 3.5: PE_{pos+k} is a linear function of PE_pos",
    .checks = {CheckOf<Table>(&check)},
    .must_reject = {{"angles that run ahead by 1e-10 of the squared position", &chirp},
                    {"a last sine of period 3142 without its cosine", &lone_sine},
                    {"a one-hot table with one code longer by 1e-6", one_hot({0, 7}, 5, 1e-6)},
                    {"a one-hot table with the last of three codes longer by 2^-20, in f32",
                     one_hot({0, 2}, 2, 0x1p-20), all_f32},
                    {"a one-hot table with the first of eight codes shorter by 2^-4, in bf16",
                     one_hot({0, 7}, 0, -0x1p-4), in_bf16},
                    {"the last of three rows longer by 2^-18, in f32", row_longer({0, 2}, 2, 0x1p-18),
                     all_f32},
                    {"the first row, of -8, shorter by 2^-18, in f32", row_longer({-8, 7}, -8, -0x1p-18),
                     all_f32},
                    {"the last entry larger by 2^-18, in f32", last_larger(small(), 0x1p-18), all_f32},
                    {"the last entry smaller by 2^-4, in bf16", last_larger(small(), -0x1p-4), in_bf16},
                    {"the first entry larger by 2^-17, in f32", first_larger(small(), 0x1p-17), all_f32},
                    {"the third row of each call larger by 2^-18 in its last entry, in f32",
                     larger(small(), 0x1p-18,
                            [](const AnswerEntry& at) { return at.token == 2 && at.in_last_channel(); }),
                     all_f32},
                    {"the second row of each call larger by 2^-18 in its last entry, in f32",
                     larger(small(), 0x1p-18,
                            [](const AnswerEntry& at) { return at.token == 1 && at.in_last_channel(); }),
                     all_f32},
                    {"a column on no pair that is larger by 2^-20 in its last row, in f32",
                     column_on_no_pair(0x1p-20), all_f32}},
};

}  // namespace posproof::properties_table_translates_by_a_rotation
