#include "catalogue/properties/table/distance_depends_on_offset.h"
#include "negative_examples.h"
#include "rows.h"

namespace posproof::properties_table_distance_depends_on_offset {
namespace {

Residual check(const Table& table, Precision p, Draw& draw) {
  const Position lo = table.positions.lo, hi = table.positions.hi;
  const Position k = draw.position("k", {1, hi - lo, table.positions.hard});
  const Position s = draw.position("s", table.positions, lo, hi - k);
  const Position t = draw.position("t", table.positions, lo, hi - k);
  if (s == t) throw Discard{};

  const table_rows::RowsInParts at = table_rows::at(table, p, {s, t, s + k, t + k});
  const table_rows::Measured here = table_rows::apart(at, 0, at, 1), there = table_rows::apart(at, 2, at, 3);
  const double farthest = 2 * table.amplitude * std::sqrt(static_cast<double>(table.pairs.size()));
  return difference(there.value, here.value, here.error + there.error,
                    table.pairs.empty() ? no_ceiling : farthest);
}

using namespace negative_examples;

Made smaller_cosine(double by, Domain domain = {}) {
  return [=] {
    return ladder(
        4,
        [by](const Pair& pair, Position t, Position) {
          const auto [sine, cosine] = right(pair.frequency * double(t));
          return std::array<double, 2>{sine, (1 - by) * cosine};
        },
        domain);
  };
}

}  // namespace

const Property entry{
    .statement =
        "The distance between two rows depends on how far apart their positions are, not on where they are.",
    .formula = "|p_{s+k} - p_{t+k}| = |p_s - p_t|",
    .source = "|p_s - p_t|^2 = 2 sum_i (1 - cos(w_i (s - t))), from Vaswani et al. 2017, section 3.5",
    .checks = {CheckOf<Table>(&check)},
    .must_reject =
        {{"cosines that are smaller than their sines by 1e-6", smaller_cosine(1e-6)},
         {"cosines that are smaller by 2^-18, in f32", smaller_cosine(0x1p-18), all_f32},
         {"cosines that are larger by 2^-5, in bf16", smaller_cosine(-0x1p-5, {0, 15}), in_bf16},
         {"cosines that are smaller by 2^-8, in f16", smaller_cosine(0x1p-8, {0, 15}), in_f16},
         {"the first of three rows longer by 2^-18, in f32", row_longer({0, 2}, 0, 0x1p-18), all_f32},
         {"the last of three rows longer by 2^-18, in f32", row_longer({0, 2}, 2, 0x1p-18), all_f32},
         {"the first row, of -8, shorter by 2^-19, in f32", row_longer({-8, 7}, -8, -0x1p-19), all_f32},
         {"the last entry larger by 2^-18, in f32", last_larger(right_ladder(2, {0, 15}), 0x1p-18), all_f32},
         {"the last entry smaller by 2^-4, in bf16", last_larger(right_ladder(2, {0, 15}), -0x1p-4), in_bf16},
         {"the first entry larger by 2^-18, in f32", first_larger(right_ladder(2, {0, 15}), 0x1p-18),
          all_f32}},
};

}  // namespace posproof::properties_table_distance_depends_on_offset
