#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "core/encoding.h"
#include "core/error.h"
#include "core/residual.h"
#include "core/term.h"

// What the properties of tables share: rows with their errors, and how far apart two rows should be.
namespace posproof::table_rows {

// A row of numbers for each position: [positions, dim].
struct Rows {
  Tensor all;

  std::size_t size() const { return all.shape.empty() ? 0 : all.shape.front(); }
  std::span<const double> operator[](std::size_t r) const { return all.row(r); }
};

// Rows that were asked for in one call (a foreign call is dear), each entry with the error that rounding may
// have put into it.
struct BoundedRows {
  Tensor rows;
  Rows error;

  std::span<const double> operator[](std::size_t r) const { return rows.row(r); }
};

// The same in parts, where a ladder is declared: of each pair by how many radians its angle may be off, and
// of each entry what is beside (of a column on no pair: all of it).
struct RowsInParts : BoundedRows {
  std::vector<Pair> pairs = {};
  Rows angle = {}, beside = {};
};

// What the rows are compared with: rows of the same table, where the error of a frequency cancels because it
// is the same at every position, or what was declared.
using Against = RowErrors::Against;

// The rows of these positions in a sequence of `length` tokens.
inline BoundedRows bounded(const Table& table, const RowErrors& errors,
                           const std::vector<Position>& positions, Position length) {
  BoundedRows rows{table.rows(positions, length), {}};
  if (rows.rows.shape != Shape{positions.size(), table.dim})
    throw std::length_error(fmt::format("rows of shape {} were asked for, {} came",
                                        text(Shape{positions.size(), table.dim}), text(rows.rows.shape)));
  rows.error.all = Tensor(rows.rows.shape);
  for (std::size_t r = 0; r < positions.size(); ++r)
    errors.at(positions[r], rows.rows.row(r), rows.error.all.row(r));
  return rows;
}
inline BoundedRows bounded(const Table& table, const Precision& p, const std::vector<Position>& positions,
                           Position length, Against against = Against::itself) {
  return bounded(table, RowErrors(table, p, against), positions, length);
}

inline RowsInParts at(const Table& table, const Precision& p, const std::vector<Position>& positions,
                      Position length, Against against = Against::itself) {
  const RowErrors errors(table, p, against);
  RowsInParts rows{bounded(table, errors, positions, length), table.pairs};
  rows.angle.all = Tensor({positions.size(), table.pairs.size() + (table.lone ? 1 : 0)});
  rows.beside.all = rows.error.all;
  for (std::size_t r = 0; r < positions.size(); ++r) {
    errors.angles_at(positions[r], rows.angle.all.row(r));
    for (const Pair& pair : table.pairs)
      for (const std::size_t c : {pair.first, pair.second})
        rows.beside.all.at(r, c) = errors.beside_angle(rows.rows.at(r, c));
  }
  return rows;
}

// In the shortest sequence that has them all.
inline Position shortest_with(const std::vector<Position>& positions) {
  return *std::max_element(positions.begin(), positions.end()) + 1;
}
inline BoundedRows bounded(const Table& table, const Precision& p, const std::vector<Position>& positions,
                           Against against = Against::itself) {
  return bounded(table, p, positions, shortest_with(positions), against);
}
inline RowsInParts at(const Table& table, const Precision& p, const std::vector<Position>& positions,
                      Against against = Against::itself) {
  return at(table, p, positions, shortest_with(positions), against);
}

inline double norm(std::span<const double> x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum);
}

struct Measured {
  double value;
  double error;
};

// How far the dot product of row r with `other` may be off, where `other` is known, and the 2-norm of all
// that the row may be off by. A pair z that was answered is e^(i a) z* + e for its exact point z*, an angle
// |a| and a rest e, each within its error; so z - z* = (1 - e^(-i a)) z + e^(-i a) e. Of the first, the part
// along the circle is at most |a| |z x o| of a product with o, the rest |a|^2 / 2 |z| |o|, and both together
// min(2, |a|) |z| |o|; of the second, each entry counts by itself but for |a| |e| |o|.
struct RowError {
  double product, norm;
};
inline RowError row_error(const RowsInParts& x, std::size_t r, std::span<const double> other) {
  double product = 0, squares = 0;
  const auto row = x[r], beside = x.beside[r];
  for (std::size_t c = 0; c < row.size(); ++c)
    product += beside[c] * std::abs(other[c]), squares += beside[c] * beside[c];
  for (std::size_t n = 0; n < x.pairs.size(); ++n) {
    const std::size_t f = x.pairs[n].first, s = x.pairs[n].second;
    const double a = x.angle[r][n], size = std::sqrt(row[f] * row[f] + row[s] * row[s]);
    const double to = std::sqrt(other[f] * other[f] + other[s] * other[s]);
    const double rest = std::sqrt(beside[f] * beside[f] + beside[s] * beside[s]);
    const double along = a * std::abs(row[f] * other[s] - row[s] * other[f]) + a * a / 2 * size * to;
    const double turned = std::min(2.0, a) * size;
    product += std::min(along, turned * to) + a * rest * to;
    squares += turned * turned + 2 * turned * rest;
  }
  return {product, std::sqrt(squares)};
}

// Dot product of rows r and s, off by what each is off by against the other, and by both together; summing d
// products in double adds at most d roundings of the sum of their sizes. A row that is no number is allowed
// nothing.
inline Measured dot(const RowsInParts& x, std::size_t r, const RowsInParts& y, std::size_t s) {
  Measured dot{0, 0};
  double size = 0;
  for (std::size_t c = 0; c < x[r].size(); ++c) {
    dot.value += x[r][c] * y[s][c];
    size += std::abs(x[r][c] * y[s][c]);
  }
  const RowError of_x = row_error(x, r, y[s]), of_y = row_error(y, s, x[r]);
  dot.error = of_x.product + of_y.product + of_x.norm * of_y.norm +
              term(Term::ours, static_cast<double>(x[r].size()) * unit_f64 * size);
  if (!std::isfinite(dot.error)) dot.error = 0;
  return dot;
}

// Distance of row r from row s: no further from the exact one than the two rows from theirs, e together. And
// where the difference d is long against e, off by what its square is off by, over twice its length: |d|^2 -
// |d*|^2 = 2 d.e - |e|^2, the first term to first order in the angles' errors (row_error), divided by |d| +
// |d*| with |d*|^2 at least |d|^2 less all that. The difference of two entries is rounded once, and squaring,
// summing d of them and the root add (d + 3)/2 roundings of the distance.
inline Measured apart(const RowsInParts& x, std::size_t r, const RowsInParts& y, std::size_t s) {
  std::vector<double> difference(x[r].begin(), x[r].end());
  for (std::size_t c = 0; c < difference.size(); ++c) difference[c] -= y[s][c];
  const double value = norm(difference);
  const double ours = term(Term::ours, (static_cast<double>(x[r].size()) + 5) / 2 * unit_f64 * value);
  const RowError of_x = row_error(x, r, difference), of_y = row_error(y, s, difference);
  const double both = of_x.norm + of_y.norm;
  const double of_square = 2 * (of_x.product + of_y.product) + both * both;
  const double least = std::sqrt(std::max(0.0, value * value - of_square));
  const double error = (value == 0 ? both : std::min(both, of_square / (value + least))) + ours;
  return {value, std::isfinite(error) ? error : 0};
}

inline bool finite(std::span<const double> row) {
  return std::all_of(row.begin(), row.end(), [](double x) { return std::isfinite(x); });
}

// How far apart the declared ladder puts the rows of s and t: in each pair the chord of w (t - s). None
// without one. The angle is rounded by less than what row_error allows the angles of the later of the two.
inline std::optional<double> declared_distance(const Table& table, Position s, Position t) {
  if (table.pairs.empty()) return std::nullopt;
  const auto half = static_cast<double>(t - s) / 2;
  double sum = 0;
  for (const Pair& pair : table.pairs) {
    const double chord = 2 * std::sin(half * pair.frequency);
    sum += chord * chord;
  }
  return table.amplitude * std::sqrt(sum);
}

// Whether the declared ladder itself comes round: in every pair whole turns lie between s and t, as far as
// doubles tell (8 units of the angle: of the frequency, which is declared as one, and of the product).
inline bool comes_round(const Table& table, Position s, Position t) {
  constexpr double two_pi = 2 * std::numbers::pi;
  return std::ranges::all_of(table.pairs, [&](const Pair& pair) {
    const double angle = pair.frequency * static_cast<double>(t - s);
    return std::abs(std::remainder(angle, two_pi)) <= 8 * unit_f64 * std::abs(angle);
  });
}

// Two rows that must differ, as they are or rounded (`rows`, of positions s and t, `error` the 2-norm of
// what rounding may have moved them towards each other). Where a ladder is declared, rows that are equal are
// off by the distance that it puts between them; without one, or where it puts them in one place, there is no
// distance to measure by, and equal is off by 1.
inline Residual told_apart(const Table& table, Position s, Position t, std::span<const double> row_s,
                           std::span<const double> row_t, double error) {
  const bool equal = std::equal(row_s.begin(), row_s.end(), row_t.begin(), row_t.end());
  const auto declared = comes_round(table, s, t) ? std::nullopt : declared_distance(table, s, t);
  const double ceiling = declared.value_or(1);
  const double bound = declared ? error : 0;
  if (!finite(row_s) || !finite(row_t)) return {std::numeric_limits<double>::quiet_NaN(), 0, ceiling};
  return {equal ? ceiling : 0, bound, ceiling};
}

}  // namespace posproof::table_rows
