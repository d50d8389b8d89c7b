#include "catalogue/properties/table/has_different_dot_products_near_and_far.h"
#include "lengths.h"
#include "negative_examples.h"

namespace posproof::properties_table_has_different_dot_products_near_and_far {
namespace {

// How far apart the declared ladder puts the two dot products. Its angles are rounded by less than what
// row_error allows that of the last token, which is at k or beyond.
double declared_difference(const Table& table, Position k) {
  double sum = 0;
  for (const Pair& pair : table.pairs)
    sum += std::cos(pair.frequency) - std::cos(static_cast<double>(k) * pair.frequency);
  return std::abs(sum) * table.amplitude * table.amplitude;
}

Residual check(const Table& table, Precision p, Draw& draw) {
  const Position lo = table.positions.lo, hi = table.positions.hi;
  const Position k = draw.position("k", {2, hi - lo, table.positions.hard});
  const Position t = draw.position("t", table.positions, lo, hi - 1);
  const Position n = draw.position("n", {t + 2, hi, table.positions.hard});
  // A row that knows no more than the place within the sequence is found out k times as far in one k times
  // as long.
  const Position u = draw.position("u", {lo, hi - k, {k * t, k * (t + 1) - 1}});
  const Position far = draw.position("far", {std::max(n, u + k) + 1, hi + 1, {k * n, k * (n - 1) + 1}});
  const table_rows::RowsInParts in_short =
                                    table_rows::at(table, p, {t, t + 1}, n, table_rows::Against::declared),
                                in_long =
                                    table_rows::at(table, p, {u, u + k}, far, table_rows::Against::declared);
  const table_rows::Measured near = table_rows::dot(in_short, 0, in_short, 1),
                             distant = table_rows::dot(in_long, 0, in_long, 1);
  if (!std::isfinite(near.value) || !std::isfinite(distant.value))
    return {std::numeric_limits<double>::quiet_NaN(), 0, 1};
  // Two products that are equal bit for bit are off by what the ladder puts between them; without one, by 1.
  if (table.pairs.empty()) return holds_if(near.value != distant.value);
  const double difference = declared_difference(table, k);
  return {near.value == distant.value ? difference : 0, near.error + distant.error, difference};
}

using namespace negative_examples;

// A ladder with the whole length on one rotation: position and length are seen through their quotient alone.
Encoding normalised() {
  return ladder_of_angles(2, [](const Pair&, double t, double n) { return t / n; });
}

Encoding whole_products() {
  return plain(1, Domain{0, 12}, [](std::size_t, double t, double) { return t; });
}

// Equal rows: all products are 1, where those of neighbours and of tokens k apart should differ by
// cos w - cos kw.
Made still(double frequency, Domain domain = {0, 3}) {
  return
      [=] { return of_pairs({frequency}, domain, [](const Pair&, Position, Position) { return right(0); }); };
}

}  // namespace

const Property entry{
    .statement =
        "No two tokens of a long sequence that are further apart have exactly the dot product that neighbours "
        "have in a shorter one, where the declared frequencies tell the two apart; by how much they differ is "
        "not asked.",
    .formula = "k >= 2, n' > n: p_t(n) . p_{t+1}(n) != p_u(n') . p_{u+k}(n')",
    .source =
        "the argument against t/(n-1): tokens 1 and 2 of 3 have the product of tokens 50 and 100 of 101",
    .checks = {CheckOf<Table>(&check)},
    .must_reject = {{"the position itself: 2 x 3 = 1 x 6", &whole_products},
                    {"angles of t/n", &normalised},
                    {"equal rows on a pair of frequency 2^-10, in f32", still(0x1p-10), all_f32},
                    {"three equal rows on a pair of frequency 2^-9, in f32", still(0x1p-9, {0, 2}), all_f32},
                    {"equal rows on a pair of frequency 1/8, in bf16", still(0x1p-3), in_bf16}},
};

}  // namespace posproof::properties_table_has_different_dot_products_near_and_far
