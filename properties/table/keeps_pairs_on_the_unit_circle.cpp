#include "catalogue/properties/table/keeps_pairs_on_the_unit_circle.h"
#include "negative_examples.h"
#include "rotation.h"

namespace posproof::properties_table_keeps_pairs_on_the_unit_circle {
namespace {

Residual check(const Table& table, Precision p, Draw& draw) {
  if (table.pairs.empty()) throw Inapplicable{"it has no pairs"};
  const Position t = draw.position("t", table.positions);
  const table_rows::BoundedRows at = table_rows::bounded(table, p, {t});
  Residual worst{0, 0, 0};
  for (const Pair& pair : table.pairs) {
    // However wrong the angle, the point stays on its circle but for its own rounding; two squares, their sum
    // and the root are 2.5 roundings of it.
    const double bound = circle_error(table, p) + term(Term::ours, 3 * unit_f64 * table.amplitude);
    worst = worse(worst,
                  difference(norm(table_rows::point(at, 0, pair)), table.amplitude, bound, table.amplitude));
  }
  return worst;
}

using namespace negative_examples;

Made longer_pair(std::size_t dim, std::size_t which, double by) {
  return [=] {
    return ladder(dim, [=](const Pair& pair, Position t, Position n) {
      const auto [sine, cosine] = right_pair(pair, t, n);
      const double size = pair.index == which ? 1 + by : 1;
      return std::array{size * sine, size * cosine};
    });
  };
}

Encoding smaller_amplitude() {
  Table table = right_ladder(2);
  table.amplitude = 1 + 0x1p-19;
  return table;
}

}  // namespace

const Property entry{
    .statement = "Sine and cosine of each pair lie on a circle whose radius is the amplitude.",
    .formula = "sqrt(p_t[2i]^2 + p_t[2i+1]^2) = A",
    .source = "Vaswani et al. 2017, section 3.5",
    .checks = {CheckOf<Table>(&check)},
    .must_reject =
        {{"one pair of four that is longer by 1e-9", longer_pair(8, 3, 1e-9)},
         {"the last pair of two that is longer by 2^-21, in f32", longer_pair(4, 1, 0x1p-21), all_f32},
         {"the first pair of two that is shorter by 2^-21, in f32", longer_pair(4, 0, -0x1p-21), all_f32},
         {"the last pair of two that is longer by 2^-6, in bf16", longer_pair(4, 1, 0x1p-6), in_bf16},
         {"the first pair of two that is shorter by 2^-9, in f16", longer_pair(4, 0, -0x1p-9), in_f16},
         {"an amplitude of 1 where one larger by 2^-19 is declared, in f32", &smaller_amplitude, all_f32},
         {"the only row longer by 2^-21, in f32", row_longer({0, 0}, 0, 0x1p-21), all_f32},
         {"the first row, of -8, longer by 2^-20, in f32", row_longer({-8, 7}, -8, 0x1p-20), all_f32},
         {"the last row longer by 2^-20, in f32", row_longer({-8, 7}, 7, 0x1p-20), all_f32},
         {"the last entry larger by 2^-20, in f32", last_larger(small(), 0x1p-20), all_f32},
         {"the first entry larger by 2^-20, in f32", first_larger(small(), 0x1p-20), all_f32}},
};

}  // namespace posproof::properties_table_keeps_pairs_on_the_unit_circle
