#pragma once

#include "core/draw.h"
#include "core/formats.h"
#include "rows.h"

namespace posproof::table_rows {

// The rows of t and t + 1 in a sequence of n tokens, rounded to a format of that unit roundoff. Whole
// numbers stop being exact at powers of two.
inline Residual neighbours_told_apart(const Table& table, const Precision& p, Draw& draw,
                                      double (*rounded)(double), double unit) {
  static const std::vector<Position> powers = [] {
    std::vector<Position> all;
    for (Position power = 2; power <= Position{1} << 20; power *= 2)
      all.insert(all.end(), {power - 1, power});
    return all;
  }();
  const Position lo = table.positions.lo, hi = table.positions.hi;
  const Position t = draw.position("t", {lo, hi - 1, powers});
  const Position n = draw.position("n", {t + 2, hi + 1, powers});
  RowsInParts at = table_rows::at(table, p, {t, t + 1}, n, Against::declared);
  // Each rounding moves an entry by at most a unit of it.
  double error =
      norm(at.error[0]) + norm(at.error[1]) + term(Term::result, unit * (norm(at[0]) + norm(at[1])));
  if (!finite(at.rows.data)) return {std::numeric_limits<double>::quiet_NaN(), 0, 1};
  for (double& x : at.rows.data) x = rounded(x);
  if (!finite(at.rows.data)) return holds_if(false);  // a row that overflows is told apart from nothing
  return told_apart(table, t, t + 1, at[0], at[1], error);
}

}  // namespace posproof::table_rows
