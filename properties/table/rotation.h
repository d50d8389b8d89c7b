#pragma once

#include <limits>

#include "core/procrustes.h"
#include "rows.h"

// Shifts of a table's rows, read off the table itself.
namespace posproof::table_rows {

// The row of one pair at one position as a point: x its cosine, y its sine.
struct Point {
  double x, y;
};

inline double norm(Point p) {
  return std::sqrt(p.x * p.x + p.y * p.y);
}
inline Point operator-(Point a, Point b) {
  return {a.x - b.x, a.y - b.y};
}
inline Point conjugate(Point p) {
  return {p.x, -p.y};
}
// As complex numbers: rotates a by the angle of b, and stretches it by the size of b.
inline Point operator*(Point a, Point b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

inline Point point(const BoundedRows& rows, std::size_t row, const Pair& pair) {
  return {rows[row][pair.second], rows[row][pair.first]};
}

// 2-norm error of that point.
inline double point_error(const BoundedRows& rows, std::size_t row, const Pair& pair) {
  const double e = rows.error[row][pair.first], f = rows.error[row][pair.second];
  return std::sqrt(e * e + f * f);
}

// A pair's shift: the rotation and stretch that carries one point onto another, and how far rounding may have
// put it from the exact one, which is a rotation alone.
struct Shift {
  Point map;
  double error;
};

// z' / z. With |z - exact| <= e, |z' - exact| <= e' and an exact rotation m: z' - m z is off by at most e' +
// e, and |z| >= A - e, so the quotient is off by (e' + e)/(A - e). Product, square and division in double are
// 8 roundings.
inline Shift shift(const Table& table, const BoundedRows& rows, std::size_t from, std::size_t to,
                   const Pair& pair) {
  const Point z = point(rows, from, pair);
  const Point product = point(rows, to, pair) * conjugate(z);
  const double square = z.x * z.x + z.y * z.y;
  const double e = point_error(rows, from, pair) + point_error(rows, to, pair);
  const double room = table.amplitude - point_error(rows, from, pair);
  const double error =
      room > 0 ? e / room + term(Term::ours, 8 * unit_f64) : std::numeric_limits<double>::infinity();
  return {{product.x / square, product.y / square}, error};
}

// The rotation alone, without the stretch. Two vectors that differ by e have directions that differ by at
// most 2e/(|z| + |z'|) <= 2e/(2A - e).
inline Shift rotate(const Table& table, const BoundedRows& rows, std::size_t from, std::size_t to,
                    const Pair& pair) {
  const auto direction_error = [&](double e) {
    return e < 2 * table.amplitude ? 2 * e / (2 * table.amplitude - e) : 2.0;
  };
  const Point m = point(rows, to, pair) * conjugate(point(rows, from, pair));
  const double size = norm(m);
  const double error =
      direction_error(point_error(rows, from, pair)) + direction_error(point_error(rows, to, pair));
  return {{m.x / size, m.y / size}, std::min(2.0, error + term(Term::ours, 8 * unit_f64))};
}

// One orthogonal matrix for every row of a shift: rows 0 .. n-1 of the rows are to be carried to rows n ..
// 2n-1.
//
// Where pairs are declared it is read off: the rotation of each pair that carries row 0 to row n, the
// identity on the other channels. It must carry every row r to row n + r, row 0 too (a rotation cannot
// stretch). With the exact rotation M, |z' - m z| <= |z' - Mz*| + |M - m| A + |z - z*| <= e' + A error(m) +
// e; two products and a difference in double are at most 6 roundings of A.
inline Residual carried_by_pairs(const Table& table, const BoundedRows& rows) {
  const std::size_t n = rows.error.size() / 2;
  Residual worst{0, 0, 0};
  std::vector<bool> paired(table.dim, false);
  for (const Pair& pair : table.pairs) {
    paired[pair.first] = paired[pair.second] = true;
    const Shift m = rotate(table, rows, 0, n, pair);
    for (std::size_t r = 0; r < n; ++r) {
      const double off = norm(point(rows, n + r, pair) - point(rows, r, pair) * m.map);
      const double bound = point_error(rows, r, pair) + point_error(rows, n + r, pair) +
                           table.amplitude * ((r == 0 ? 0 : m.error) + term(Term::ours, 14 * unit_f64));
      worst = worse(worst, difference(off, 0, bound, 2 * table.amplitude));
    }
  }
  for (std::size_t c = 0; c < table.dim; ++c)
    for (std::size_t r = 0; r < n && !paired[c]; ++r)
      worst = worse(worst, difference(rows[n + r][c], rows[r][c], rows.error[r][c] + rows.error[n + r][c]));
  return worst;
}

// Layout-free: how well the best orthogonal matrix of all carries the rows (Procrustes), in the Frobenius
// norm. It is at least as good as the true M, which leaves ||F - E M|| <= ||F|| + ||E|| of the errors E
// before and F after.
inline Residual carried_by_any(const BoundedRows& rows) {
  const std::size_t n = rows.error.size() / 2, d = rows.rows.width();
  const auto half = rows.rows.data.begin() + static_cast<std::ptrdiff_t>(n * d);
  const Tensor before({n, d}, {rows.rows.data.begin(), half}), after({n, d}, {half, rows.rows.data.end()});
  double e = 0, f = 0;
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < d; ++c) {
      e += rows.error[r][c] * rows.error[r][c];
      f += rows.error[n + r][c] * rows.error[n + r][c];
    }
  const Carried best = procrustes(before, after);
  return difference(best.residual, 0, std::sqrt(e) + std::sqrt(f) + term(Term::ours, best.rounding),
                    norm(before.data) + norm(after.data));
}

// A lone sine column has no partner to rotate with, but some other orthogonal matrix might still carry it:
// there, and where no pairs are declared, all matrices are tried.
inline Residual carried(const Table& table, const BoundedRows& rows) {
  return table.pairs.empty() || table.lone ? carried_by_any(rows) : carried_by_pairs(table, rows);
}

}  // namespace posproof::table_rows
