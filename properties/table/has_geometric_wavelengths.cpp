#include <bit>

#include "catalogue/properties/table/has_geometric_wavelengths.h"
#include "negative_examples.h"
#include "rotation.h"

namespace posproof::properties_table_has_geometric_wavelengths {
namespace {

constexpr long double two_pi = 2 * 3.14159265358979323846264338327950288L;

// Frequencies of all places in a geometric ladder from 1 radian a position to the declared last frequency. A
// step is off by four units of long double (the ratio's own, and the product's), so 2^9 of them are off by a
// unit of double.
std::vector<double> rungs(const Table& table) {
  const auto slower = [](const Pair& a, const Pair& b) { return a.index < b.index; };
  Pair last = *std::max_element(table.pairs.begin(), table.pairs.end(), slower);
  if (table.lone && slower(last, *table.lone)) last = *table.lone;
  const auto steps = static_cast<long double>(std::max<std::size_t>(1, last.index));
  const long double ratio = std::exp(std::log(std::abs(static_cast<long double>(last.frequency))) / steps);
  std::vector<double> all;
  for (long double rung = 1; all.size() <= last.index; rung *= ratio)
    all.push_back(static_cast<double>(rung));
  return all;
}

template <class Real>
Real angle(const table_rows::Point& point) {
  return std::atan2(static_cast<Real>(point.y), static_cast<Real>(point.x));
}

// The whole turns between twice the angle of `once`, by which it is the larger, and the angle of `twice`:
// what rounding their difference gives, read off the signs alone, which takes no arc tangent. Opposite points
// are a tie, and whatever is no number stays none.
double whole_rotations(const table_rows::Point& once, const table_rows::Point& twice) {
  const table_rows::Point doubled = once * once, ahead = doubled * table_rows::conjugate(twice);
  if (!(std::abs(ahead.y) > 0))
    return std::round((2 * angle<double>(once) - angle<double>(twice)) / static_cast<double>(two_pi));
  // A zero has a sign, and so has the angle of a point on the negative axis: pi or -pi.
  const auto upper = [](const table_rows::Point& point) { return !std::signbit(point.y); };
  const double of_doubling = once.x < 0 ? (upper(once) ? 1 : -1) : 0;
  if (upper(doubled) && !upper(twice) && ahead.y < 0) return of_doubling + 1;
  if (!upper(doubled) && upper(twice) && ahead.y > 0) return of_doubling - 1;
  return of_doubling;
}

// How far the angle of one point of the pair against that of another may be off: the angles' own roundings,
// and what the entries are off by beside them, e of a circle of radius A, which are an angle of at most
// asin(e / A).
double angle_error(const Table& table, const table_rows::RowsInParts& at, std::size_t r, std::size_t pair) {
  const auto of = [&](std::size_t row) {
    const auto beside = at.beside[row];
    const double e = std::hypot(beside[table.pairs[pair].first], beside[table.pairs[pair].second]);
    return e < table.amplitude ? at.angle[row][pair] + std::asin(e / table.amplitude) : 4;
  };
  // Product, square and division in double are 8 roundings.
  return of(0) + of(r) + term(Term::ours, 8 * unit_f64);
}

// Radians a position by which the pair rotates, measured over baselines of 1, 2, 4, .. positions from row 0
// (row j + 1 is 2^j positions on). One step rotates by less than half a turn, and each baseline says on which
// rotate the angle over twice as many positions is: as long as twice the error of the angle before and that
// of this one are less than half a turn. The longest baseline is the measurement. It is of the subject's own
// frequency, so that only roundings put it off.
table_rows::Measured frequency(const Table& table, const table_rows::RowsInParts& at, std::size_t pair) {
  table_rows::Point longest = {0, 0};
  double error = 0, rotations = 0, steps = 0.5;
  for (std::size_t r = 1; r < at.error.size(); ++r) {
    const table_rows::Shift shift = table_rows::shift(table, at, 0, r, table.pairs[pair]);
    const double off = angle_error(table, at, r, pair);
    const bool known = 2 * std::max(error, off) + off < static_cast<double>(two_pi / 2);
    if (r > 1 && !known) break;
    if (r > 1) rotations = 2 * rotations + whole_rotations(longest, shift.map);
    longest = shift.map, error = off, steps *= 2;
    if (!known) break;
  }
  const long double measured = angle<long double>(longest) + two_pi * static_cast<long double>(rotations);
  return {static_cast<double>(measured / static_cast<long double>(steps)), error / steps};
}

// On a line along one axis of a grid, the pairs of the others stand still: they are on no ladder of that
// axis.
Table rotating(Table table) {
  std::erase_if(table.pairs, [](const Pair& pair) { return pair.frequency == 0; });
  return table;
}

Residual check(const Table& all, Precision p, Draw& draw) {
  const Table table = rotating(all);
  if (table.pairs.empty()) throw Inapplicable{"it has no pairs"};
  const Position lo = table.positions.lo, hi = table.positions.hi;
  const Position t = draw.position("t", table.positions, lo, hi - 1);
  const auto most = static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(hi - t))) - 1;
  const std::int64_t doublings = draw.integer("doublings", 0, most);

  std::vector<Position> positions = {t};
  for (std::int64_t j = 0; j <= doublings; ++j) positions.push_back(t + (Position{1} << j));
  const table_rows::RowsInParts at = table_rows::at(table, p, positions);
  const std::vector<double> expected_at = rungs(table);
  Residual worst{0, 0, 0};
  for (std::size_t n = 0; n < table.pairs.size(); ++n) {
    const Pair& pair = table.pairs[n];
    const table_rows::Measured measured = frequency(table, at, n);
    // Backwards where the declared one is.
    const double expected = std::copysign(expected_at[pair.index], pair.frequency);
    // The subject's own frequency is off once, however far from 0 the baseline lies. The rung comes from the
    // declared last frequency, a double: half a unit of it, and of the rung and the quotient.
    const double own = pair.frequency_error.condition * power_error(p, std::abs(pair.frequency), pair.index) +
                       term(Term::scaled_frequency, pair.frequency_error.roundings * p.angle);
    const double bound = measured.error + (own + term(Term::ours, 4 * unit_f64)) * std::abs(expected);
    worst = worse(worst, difference(measured.value, expected, bound, static_cast<double>(two_pi / 2)));
  }
  return worst;
}

using namespace negative_examples;

Made one_rung_off(std::size_t which, double by, Domain domain = {}) {
  return [=] {
    return ladder_of_angles(
        8,
        [=](const Pair& pair, double t, double) {
          return pair.frequency * t * (pair.index == which ? 1 + by : 1);
        },
        domain);
  };
}

Encoding rounded_frequencies() {
  return ladder_of_angles(6, [](const Pair& pair, double t, double) {
    return static_cast<double>(static_cast<float>(pair.frequency)) * t;
  });
}

Encoding doubled_exponent() {
  return ladder_of_angles(
      4, [](const Pair& pair, double t, double) { return pair.frequency * pair.frequency * t; });
}

}  // namespace

const Property entry{
    .statement =
        "The wavelengths, measured on the table, form a geometric progression from 2 pi positions to the "
        "declared last one.",
    .formula = "angle of p_{t+1} against p_t in pair i: w_i = r^i, w_0 = 1, w_{h-1} as declared",
    .source = "Vaswani et al. 2017, section 3.5: `a geometric progression from 2 pi to 10000 2 pi`",
    .checks = {CheckOf<Table>(&check)},
    .must_reject =
        {{"one frequency of four that is higher by 1e-9", one_rung_off(2, 1e-9)},
         // 64 units of f32, where a power of 1/100 may be off by 18.
         {"one frequency of four that is higher by 2^-18, in f32", one_rung_off(2, 0x1p-18), all_f32},
         {"one frequency of four that is higher by 2^-18, in bf16", one_rung_off(2, 0x1p-18), in_bf16},
         {"a fastest frequency that is lower by 2^-20, in f32", one_rung_off(0, -0x1p-20), all_f32},
         {"a slowest frequency that is lower by 2^-18, in f32", one_rung_off(3, -0x1p-18), all_f32},
         {"a fastest frequency that is higher by 2^-19 on two positions, in f32",
          one_rung_off(0, 0x1p-19, {0, 1}), all_f32},
         {"a fastest frequency that is higher by 2^-20 from -8 to 7, in f32",
          one_rung_off(0, 0x1p-20, {-8, 7}), all_f32},
         {"frequencies in f32 in a table that claims f64", &rounded_frequencies},
         {"an exponent that is doubled", &doubled_exponent}},
};

}  // namespace posproof::properties_table_has_geometric_wavelengths
