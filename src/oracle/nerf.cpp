#include "catalogue/oracle/nerf.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/hard.h"
#include "exact/waves.h"

namespace posproof {

using namespace exact;

namespace {

// What one column holds.
struct Column {
  enum class Part { sine, cosine, coordinate } part;
  std::size_t axis;
  std::size_t doublings;
};

// The columns from left to right, written as the loops of the four orders.
std::vector<Column> sines_and_cosines(const std::string& order, std::size_t axes, std::size_t frequencies) {
  using enum Column::Part;
  std::vector<Column> out;
  const auto both = {sine, cosine};
  if (order == "axis_frequency_part")
    for (std::size_t axis = 0; axis < axes; ++axis)
      for (std::size_t j = 0; j < frequencies; ++j)
        for (const auto part : both) out.push_back({part, axis, j});
  if (order == "frequency_part_axis")
    for (std::size_t j = 0; j < frequencies; ++j)
      for (const auto part : both)
        for (std::size_t axis = 0; axis < axes; ++axis) out.push_back({part, axis, j});
  if (order == "part_frequency_axis")
    for (const auto part : both)
      for (std::size_t j = 0; j < frequencies; ++j)
        for (std::size_t axis = 0; axis < axes; ++axis) out.push_back({part, axis, j});
  if (order == "part_axis_frequency")
    for (const auto part : both)
      for (std::size_t axis = 0; axis < axes; ++axis)
        for (std::size_t j = 0; j < frequencies; ++j) out.push_back({part, axis, j});
  return out;
}

std::vector<Column> columns_of(const Arguments& p) {
  const std::size_t axes = p.width("axes");
  std::vector<Column> out = sines_and_cosines(p.word("order"), axes, p.width("frequencies"));
  if (p.is("input", "none")) return out;
  std::vector<Column> coordinates;
  for (std::size_t axis = 0; axis < axes; ++axis) coordinates.push_back({Column::Part::coordinate, axis, 0});
  out.insert(p.is("input", "first") ? out.begin() : out.end(), coordinates.begin(), coordinates.end());
  return out;
}

// The factor of x in an angle that is counted in that unit.
struct Counted {
  AngleUnit unit;
  double radians;  // nearest double
};

Counted counted(const Arguments& p) {
  Real pi(64);
  mpfr_const_pi(pi.x, MPFR_RNDN);
  if (p.is("factor", "one")) return {AngleUnit::radians, 1};
  if (p.is("factor", "pi")) return {AngleUnit::half_turns, pi.nearest()};
  return {AngleUnit::turns, 2 * pi.nearest()};
}

// Those of an axis, without the factor: 2^j, or ((n - 1 - j) + j last) / (n - 1).
std::vector<Real> frequencies_of(const Arguments& p) {
  const auto n = static_cast<unsigned long>(p.whole("frequencies"));
  std::vector<Real> out;
  for (unsigned long j = 0; j < n; ++j) {
    Real one = wave_number(1);
    mpfr_mul_2ui(one.x, one.x, j, MPFR_RNDN);
    if (p.is("bands", "linear")) {
      one = wave_number(j == 0 ? 1 : p.real("last_band"));
      if (j > 0) {
        mpfr_mul_ui(one.x, one.x, j, MPFR_RNDN);
        mpfr_add_ui(one.x, one.x, n - 1 - j, MPFR_RNDN);
        mpfr_div_ui(one.x, one.x, n - 1, MPFR_RNDN);
      }
    }
    out.push_back(std::move(one));
  }
  return out;
}

double entry(const Column& column, const Real& frequency, AngleUnit unit, double x) {
  if (column.part == Column::Part::coordinate) return x;
  const WavePoint point = wave({&frequency, 1}, unit, {&x, 1}, 0, wave_number(1));
  return column.part == Column::Part::sine ? point.sine : point.cosine;
}

std::vector<Pair> pairs_of(const std::vector<Column>& columns, const std::vector<Real>& frequencies,
                           double radians, double roundings) {
  std::vector<Pair> out;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].part != Column::Part::sine) continue;
    std::size_t cosine = 0;
    for (std::size_t other = 0; other < columns.size(); ++other)
      if (columns[other].part == Column::Part::cosine && columns[other].axis == columns[c].axis &&
          columns[other].doublings == columns[c].doublings)
        cosine = other;
    // 2 units of a power of 2, 2 of pi and its product, 5 where the cosine is a sine of pi/2 more.
    out.push_back({.first = c,
                   .second = cosine,
                   .frequency = radians * frequencies[columns[c].doublings].nearest(),
                   .index = columns[c].doublings,
                   .frequency_error = {.condition = 0, .roundings = roundings},
                   .axis = columns[c].axis});
  }
  std::ranges::stable_sort(out, {}, [](const Pair& pair) { return std::pair(pair.axis, pair.index); });
  return out;
}

}  // namespace

Encoding oracle::nerf(const Arguments& p) {
  const auto columns = columns_of(p);
  const Counted angle = counted(p);
  const auto frequencies = std::make_shared<const std::vector<Real>>(frequencies_of(p));
  // One that lies between two is a sum with a product of a difference and a quotient: 4 units, not 2.
  const double roundings = p.is("bands", "linear") ? 11 : 9;
  Table table{.dim = columns.size(), .pairs = pairs_of(columns, *frequencies, angle.radians, roundings)};
  table.positions = {-128, 128, hard_positions(table.pairs, -128, 128)};
  table.positions.axes = p.width("axes");
  table.positions.real = true;
  table.rows = [columns, frequencies, unit = angle.unit](const Positions& positions, Position) {
    Tensor rows({positions.size(), columns.size()});
    for (std::size_t r = 0; r < positions.size(); ++r)
      for (std::size_t c = 0; c < columns.size(); ++c)
        rows.at(r, c) =
            entry(columns[c], (*frequencies)[columns[c].doublings], unit, positions.at(r, columns[c].axis));
    return rows;
  };
  return table;
}

}  // namespace posproof
