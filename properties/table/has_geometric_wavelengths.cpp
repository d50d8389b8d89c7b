#include <bit>

#include "catalogue/properties.h"
#include "rotation.h"
#include "specimens.h"

namespace posproof {
namespace {

constexpr long double turn = 2 * 3.14159265358979323846264338327950288L;

// Frequency of place i in a geometric ladder from 1 radian a position to the declared last frequency.
long double rung(const Table& table, std::size_t i) {
  const auto slower = [](const Pair& a, const Pair& b) { return a.index < b.index; };
  Pair last = *std::max_element(table.pairs.begin(), table.pairs.end(), slower);
  if (table.lone && slower(last, *table.lone)) last = *table.lone;
  if (i == 0) return 1;
  const auto share = static_cast<long double>(i) / static_cast<long double>(last.index);
  return std::exp(share * std::log(static_cast<long double>(last.frequency)));
}

// Radians a position by which the pair turns, measured over baselines of 1, 2, 4, .. positions from row 0
// (row j + 1 is 2^j positions on). One step turns by less than half a turn, and each baseline says on which
// turn the angle over twice as many positions is: as long as three times the error of an angle is less than
// half a turn.
codes::Measured frequency(const Table& table, const codes::Codes& at, const Pair& pair) {
  codes::Measured best{0, std::numeric_limits<double>::infinity()};
  long double steps = 1, angle = 0;
  for (std::size_t r = 1; r < at.error.size(); ++r, steps *= 2) {
    const codes::Shift shift = codes::shift(table, at, 0, r, pair);
    // A point that is off by e < 1 from the unit circle is off by asin(e) <= (pi/2) e in its angle.
    const double error = shift.error < 1 ? static_cast<double>(turn / 4) * shift.error : 4;
    const long double here =
        std::atan2(static_cast<long double>(shift.map.y), static_cast<long double>(shift.map.x));
    angle = r == 1 ? here : here + turn * std::round((2 * angle - here) / turn);
    if (r > 1 && !(3 * error < turn / 2)) break;
    best = {static_cast<double>(angle / steps), error / static_cast<double>(steps)};
    if (!(3 * error < turn / 2)) break;
  }
  return best;
}

Residual check(const Table& table, Precision p, Draw& draw) {
  if (table.pairs.empty()) throw Discard{};
  const Position lo = table.positions.lo, hi = table.positions.hi;
  const Position t = draw.position("t", table.positions, lo, hi - 1);
  const auto most = static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(hi - t))) - 1;
  const std::int64_t doublings = draw.integer("doublings", 0, most);

  std::vector<Position> positions = {t};
  for (std::int64_t j = 0; j <= doublings; ++j) positions.push_back(t + (Position{1} << j));
  const codes::Codes at = codes::at(table, p, positions, codes::Against::declared);
  Residual worst{0, 0, 0};
  for (const Pair& pair : table.pairs) {
    const codes::Measured measured = frequency(table, at, pair);
    const auto expected = static_cast<double>(rung(table, pair.index));
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
