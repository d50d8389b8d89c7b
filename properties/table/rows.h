#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "core/encoding.h"
#include "core/error.h"
#include "core/residual.h"

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

// What the rows are compared with: rows of the same table, where the error of a frequency cancels because it
// is the same at every position, or what was declared.
using Against = RowErrors::Against;

// The rows of these positions in a sequence of `length` tokens.
inline BoundedRows at(const Table& table, const Precision& p, const std::vector<Position>& positions,
                      Position length, Against against = Against::itself) {
  BoundedRows rows{table.rows(positions, length), {}};
  if (rows.rows.shape != Shape{positions.size(), table.dim})
    throw std::length_error(fmt::format("rows of shape {} were asked for, {} came",
                                        text(Shape{positions.size(), table.dim}), text(rows.rows.shape)));
  const RowErrors errors(table, p, against);
  rows.error.all = Tensor(rows.rows.shape);
  for (std::size_t r = 0; r < positions.size(); ++r)
    errors.at(positions[r], rows.rows.row(r), rows.error.all.row(r));
  return rows;
}

// In the shortest sequence that has them all.
inline BoundedRows at(const Table& table, const Precision& p, const std::vector<Position>& positions,
                      Against against = Against::itself) {
  return at(table, p, positions, *std::max_element(positions.begin(), positions.end()) + 1, against);
}

inline double norm(std::span<const double> x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum);
}

inline double distance(std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  for (std::size_t c = 0; c < x.size(); ++c) sum += (x[c] - y[c]) * (x[c] - y[c]);
  return std::sqrt(sum);
}

struct Measured {
  double value;
  double error;
};

// Dot product of rows r and s. Each product x y is off by |x| e_y + |y| e_x + e_x e_y, and summing d products
// in double adds at most d roundings of the sum of their sizes. A row that is no number is allowed nothing.
inline Measured dot(const BoundedRows& x, std::size_t r, const BoundedRows& y, std::size_t s) {
  Measured dot{0, 0};
  double size = 0;
  for (std::size_t c = 0; c < x[r].size(); ++c) {
    const double a = x[r][c], b = y[s][c], ea = x.error[r][c], eb = y.error[s][c];
    dot.value += a * b;
    dot.error += std::abs(a) * eb + std::abs(b) * ea + ea * eb;
    size += std::abs(a * b);
  }
  dot.error += static_cast<double>(x[r].size()) * unit_f64 * size;
  if (!std::isfinite(dot.error)) dot.error = 0;
  return dot;
}

// Distance of row r from row s: no further from the exact one than the two rows from theirs. The difference
// of two entries is rounded once, and squaring, summing d of them and the root add (d + 3)/2 roundings of the
// distance.
inline Measured apart(const BoundedRows& x, std::size_t r, const BoundedRows& y, std::size_t s) {
  const double value = distance(x[r], y[s]);
  const double ours = (static_cast<double>(x[r].size()) + 5) / 2 * unit_f64 * value;
  const double error = norm(x.error[r]) + norm(y.error[s]) + ours;
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

// Two rows that must differ, as they are or rounded (`rows`, of positions s and t, `error` the 2-norm of
// what rounding may have moved them towards each other). Where a ladder is declared, rows that are equal are
// off by the distance that it puts between them; without one there is no distance to measure by, and equal is
// off by 1.
inline Residual told_apart(const Table& table, Position s, Position t, std::span<const double> row_s,
                           std::span<const double> row_t, double error) {
  const bool equal = std::equal(row_s.begin(), row_s.end(), row_t.begin(), row_t.end());
  const auto declared = declared_distance(table, s, t);
  const double ceiling = declared.value_or(1);
  const double bound = declared ? error : 0;
  if (!finite(row_s) || !finite(row_t)) return {std::numeric_limits<double>::quiet_NaN(), 0, ceiling};
  return {equal ? ceiling : 0, bound, ceiling};
}

}  // namespace posproof::table_rows
