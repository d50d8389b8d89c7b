#pragma once

#include <limits>

#include "codes.h"
#include "core/procrustes.h"

// Shifts of a table's codes, read off the table itself.
namespace posproof::codes {

// The code of one pair at one position as a point: x its cosine, y its sine.
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
// As complex numbers: turns a by the angle of b, and stretches it by the size of b.
inline Point operator*(Point a, Point b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

inline Point point(const Codes& codes, std::size_t row, const Pair& pair) {
  return {codes[row][pair.second], codes[row][pair.first]};
}

// 2-norm error of that point.
inline double point_error(const Codes& codes, std::size_t row, const Pair& pair) {
  const double e = codes.error[row][pair.first], f = codes.error[row][pair.second];
  return std::sqrt(e * e + f * f);
}

// A pair's shift: the turn and stretch that carries one point onto another, and how far rounding may have put
// it from the exact one, which is a turn alone.
struct Shift {
  Point map;
  double error;
};

// z' / z. With |z - exact| <= e, |z' - exact| <= e' and an exact turn m: z' - m z is off by at most e' + e,
// and |z| >= A - e, so the quotient is off by (e' + e)/(A - e). Product, square and division in double are 8
// roundings.
inline Shift shift(const Table& table, const Codes& codes, std::size_t from, std::size_t to,
                   const Pair& pair) {
  const Point z = point(codes, from, pair);
  const Point product = point(codes, to, pair) * conjugate(z);
  const double square = z.x * z.x + z.y * z.y;
  const double e = point_error(codes, from, pair) + point_error(codes, to, pair);
  const double room = table.amplitude - point_error(codes, from, pair);
  const double error = room > 0 ? e / room + 8 * unit_fp64 : std::numeric_limits<double>::infinity();
  return {{product.x / square, product.y / square}, error};
}

// The turn alone, without the stretch. Two vectors that differ by e have directions that differ by at most
// 2e/(|z| + |z'|) <= 2e/(2A - e).
inline Shift turn(const Table& table, const Codes& codes, std::size_t from, std::size_t to,
                  const Pair& pair) {
  const auto direction_error = [&](double e) {
    return e < 2 * table.amplitude ? 2 * e / (2 * table.amplitude - e) : 2.0;
  };
  const Point m = point(codes, to, pair) * conjugate(point(codes, from, pair));
  const double size = norm(m);
  const double error =
      direction_error(point_error(codes, from, pair)) + direction_error(point_error(codes, to, pair));
  return {{m.x / size, m.y / size}, std::min(2.0, error + 8 * unit_fp64)};
}

// One orthogonal matrix for every row of a shift: rows 0 .. n-1 of the codes are to be carried to rows n ..
// 2n-1.
//
// Where pairs are declared it is read off: the turn of each pair that carries row 0 to row n, the identity on
// the other channels. It must carry every row r to row n + r, row 0 too (a turn cannot stretch). With the
// exact turn M, |z' - m z| <= |z' - Mz*| + |M - m| A + |z - z*| <= e' + A error(m) + e; two products and a
// difference in double are at most 6 roundings of A.
inline Residual carried_by_pairs(const Table& table, const Codes& codes) {
  const std::size_t n = codes.error.size() / 2;
  Residual worst{0, 0, 0};
  std::vector<bool> paired(table.dim, false);
  for (const Pair& pair : table.pairs) {
    paired[pair.first] = paired[pair.second] = true;
    const Shift m = turn(table, codes, 0, n, pair);
    for (std::size_t r = 0; r < n; ++r) {
      const double off = norm(point(codes, n + r, pair) - point(codes, r, pair) * m.map);
      const double allowed = point_error(codes, r, pair) + point_error(codes, n + r, pair) +
                             table.amplitude * ((r == 0 ? 0 : m.error) + 14 * unit_fp64);
      worst = worse(worst, equal(off, 0, allowed, 2 * table.amplitude));
    }
  }
  for (std::size_t c = 0; c < table.dim; ++c)
    for (std::size_t r = 0; r < n && !paired[c]; ++r)
      worst = worse(worst, equal(codes[n + r][c], codes[r][c], codes.error[r][c] + codes.error[n + r][c]));
  return worst;
}

// Layout-free: how well the best orthogonal matrix of all carries the rows (Procrustes), in the Frobenius
// norm. It is at least as good as the true M, which leaves ||F - E M|| <= ||F|| + ||E|| of the errors E
// before and F after.
inline Residual carried_by_any(const Codes& codes) {
  const std::size_t n = codes.error.size() / 2, d = codes.rows.width();
  const auto half = codes.rows.data.begin() + static_cast<std::ptrdiff_t>(n * d);
  const Tensor before({n, d}, {codes.rows.data.begin(), half}), after({n, d}, {half, codes.rows.data.end()});
  double e = 0, f = 0;
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < d; ++c) {
      e += codes.error[r][c] * codes.error[r][c];
      f += codes.error[n + r][c] * codes.error[n + r][c];
    }
  const Carried best = procrustes(before, after);
  return equal(best.residual, 0, std::sqrt(e) + std::sqrt(f) + best.rounding,
               norm(before.data) + norm(after.data));
}

// A lone sine column has no partner to turn with, but some other orthogonal matrix might still carry it:
// there, and where no pairs are declared, all matrices are tried.
inline Residual carried(const Table& table, const Codes& codes) {
  return table.pairs.empty() || table.lone ? carried_by_any(codes) : carried_by_pairs(table, codes);
}

}  // namespace posproof::codes
