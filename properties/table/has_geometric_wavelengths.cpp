#include <bit>

#include "catalogue/properties.h"
#include "rotation.h"
#include "specimens.h"

namespace posproof {
namespace {

constexpr long double turn = 2 * 3.14159265358979323846264338327950288L;

// Frequencies of all places in a geometric ladder from 1 radian a position to the declared last frequency. A
// step is off by four units of long double (the ratio's own, and the product's), so 2^9 of them are off by a
// unit of double.
std::vector<double> rungs(const Table& table) {
  const auto slower = [](const Pair& a, const Pair& b) { return a.index < b.index; };
  Pair last = *std::max_element(table.pairs.begin(), table.pairs.end(), slower);
  if (table.lone && slower(last, *table.lone)) last = *table.lone;
  const auto steps = static_cast<long double>(std::max<std::size_t>(1, last.index));
  const long double ratio = std::exp(std::log(static_cast<long double>(last.frequency)) / steps);
  std::vector<double> all;
  for (long double rung = 1; all.size() <= last.index; rung *= ratio)
    all.push_back(static_cast<double>(rung));
  return all;
}

template <class Real>
Real angle(const codes::Point& point) {
  return std::atan2(static_cast<Real>(point.y), static_cast<Real>(point.x));
}

// The whole turns between twice the angle of `once`, by which it is the larger, and the angle of `twice`:
// what rounding their difference gives, read off the signs alone, which takes no arc tangent. Opposite points
// are a tie, and whatever is no number stays none.
double whole_turns(const codes::Point& once, const codes::Point& twice) {
  const codes::Point doubled = once * once, ahead = doubled * codes::conjugate(twice);
  if (!(std::abs(ahead.y) > 0))
    return std::round((2 * angle<double>(once) - angle<double>(twice)) / static_cast<double>(turn));
  const double of_doubling = once.x < 0 ? std::copysign(1.0, once.y) : 0;
  if (doubled.y > 0 && twice.y < 0 && ahead.y < 0) return of_doubling + 1;
  if (doubled.y < 0 && twice.y > 0 && ahead.y > 0) return of_doubling - 1;
  return of_doubling;
}

// Radians a position by which the pair turns, measured over baselines of 1, 2, 4, .. positions from row 0
// (row j + 1 is 2^j positions on). One step turns by less than half a turn, and each baseline says on which
// turn the angle over twice as many positions is: as long as three times the error of an angle is less than
// half a turn. The longest baseline is the measurement.
codes::Measured frequency(const Table& table, const codes::Codes& at, const Pair& pair) {
  codes::Point longest = {0, 0};
  double error = 0, turns = 0, steps = 0.5;
  for (std::size_t r = 1; r < at.error.size(); ++r) {
    const codes::Shift shift = codes::shift(table, at, 0, r, pair);
    // A point that is off by e < 1 from the unit circle is off by asin(e) <= (pi/2) e in its angle.
    const double off = shift.error < 1 ? static_cast<double>(turn / 4) * shift.error : 4;
    const bool known = 3 * off < static_cast<double>(turn / 2);
    if (r > 1 && !known) break;
    if (r > 1) turns = 2 * turns + whole_turns(longest, shift.map);
    longest = shift.map, error = off, steps *= 2;
    if (!known) break;
  }
  const long double measured = angle<long double>(longest) + turn * static_cast<long double>(turns);
  return {static_cast<double>(measured / static_cast<long double>(steps)), error / steps};
}

Residual check(const Table& table, Precision p, Draw& draw) {
  if (table.pairs.empty()) throw Inapplicable{"it has no pairs"};
  const Position lo = table.positions.lo, hi = table.positions.hi;
  const Position t = draw.position("t", table.positions, lo, hi - 1);
  const auto most = static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(hi - t))) - 1;
  const std::int64_t doublings = draw.integer("doublings", 0, most);

  std::vector<Position> positions = {t};
  for (std::int64_t j = 0; j <= doublings; ++j) positions.push_back(t + (Position{1} << j));
  const codes::Codes at = codes::at(table, p, positions, codes::Against::declared);
  const std::vector<double> expected_at = rungs(table);
  Residual worst{0, 0, 0};
  for (const Pair& pair : table.pairs) {
    const codes::Measured measured = frequency(table, at, pair);
    const double expected = expected_at[pair.index];
    // The rung comes from the declared last frequency, a double: half a unit of it, and of the rung and the
    // quotient.
    const double allowed = measured.error + 4 * unit_fp64 * expected;
    worst = worse(worst, equal(measured.value, expected, allowed, static_cast<double>(turn / 2)));
  }
  return worst;
}

Encoding one_rung_off() {
  return specimens::ladder_of_angles(8, [](const Pair& pair, double t, double) {
    return pair.frequency * t * (pair.index == 2 ? 1 + 1e-9 : 1);
  });
}

Encoding rounded_frequencies() {
  return specimens::ladder_of_angles(6, [](const Pair& pair, double t, double) {
    return static_cast<double>(static_cast<float>(pair.frequency)) * t;
  });
}

Encoding doubled_exponent() {
  return specimens::ladder_of_angles(
      4, [](const Pair& pair, double t, double) { return pair.frequency * pair.frequency * t; });
}

}  // namespace

const Property properties::table::has_geometric_wavelengths{
    .statement =
        "The wavelengths, measured on the table, form a geometric progression from 2 pi positions to the "
        "declared last one.",
    .formula = "angle of p_{t+1} against p_t in pair i: w_i = r^i, w_0 = 1, w_{h-1} as declared",
    .source = "Vaswani et al. 2017, section 3.5: `a geometric progression from 2 pi to 10000 2 pi`",
    .checks = {CheckOf<Table>(&check)},
    .rejects = {{"one frequency of four that is higher by 1e-9", &one_rung_off},
                {"frequencies in fp32 in a table that claims fp64", &rounded_frequencies},
                {"an exponent that is doubled", &doubled_exponent}},
};

}  // namespace posproof
