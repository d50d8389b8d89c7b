#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>

#include "core/formats.h"
#include "exact/bounds.h"

// A number as the unevaluated sum of two doubles, one at a time and without fused operations: the same bits
// on every machine. The kernels have the same in vectors (simd.h); the bounds are in bounds.h.
namespace posproof::exact {

struct DoubleDouble {
  double head, rest;
};

// a * b, exactly (Dekker 1971, Veltkamp's splitting).
inline DoubleDouble product(double a, double b) {
  constexpr double splitter = 0x1p27 + 1;
  const double p = a * b, ac = a * splitter, bc = b * splitter;
  const double ah = ac - (ac - a), bh = bc - (bc - b), al = a - ah, bl = b - bh;
  return {p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

// Whether splitting a number neither overflows nor loses digits below the smallest.
inline bool splits(double x) {
  return x == 0 || (std::abs(x) > 0x1p-400 && std::abs(x) < 0x1p400);
}

// a b + c d, within 24 u^2 (|a b| + |c d|): bounds.h, (1).
inline DoubleDouble sum_of_products(DoubleDouble a, DoubleDouble b, DoubleDouble c, DoubleDouble d) {
  const DoubleDouble ab = product(a.head, b.head), cd = product(c.head, d.head);
  const double sum = ab.head + cd.head, back = sum - ab.head;
  const double lost = (ab.head - (sum - back)) + (cd.head - back);
  const double from_ab = a.head * b.rest + (a.rest * b.head + ab.rest);
  const double from_cd = c.head * d.rest + (c.rest * d.head + cd.rest);
  const double rest = (from_ab + from_cd) + lost;
  const double head = sum + rest;
  return {head, rest - (head - sum)};
}

// The double that everything within `error` of the number rounds to, if there is one.
inline std::optional<double> certain(DoubleDouble x, double error) {
  const double low = x.head + (x.rest - error), high = x.head + (x.rest + error);
  if (low != high) return std::nullopt;
  return low;
}

// The double next to x on the side of `rest`, unless x has an odd last digit itself or there is no rest: x +
// rest rounded to odd. Rounding that to a format with fewer digits is rounding x + rest to it, ties and all
// (Boldo, Melquiond 2008).
inline double to_odd(double x, double rest) {
  std::int64_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  if (rest == 0 || bits % 2 != 0 || x == 0) return x == 0 ? rest : x;
  return std::nextafter(x, rest > 0 ? HUGE_VAL : -HUGE_VAL);
}

// The value of the format that everything within `error` of x rounds to.
inline std::optional<double> certain_in(Format format, DoubleDouble x, double error) {
  if (format == Format::f64) return certain(x, error);
  const double low = nearest(format, to_odd(x.head, x.rest - error));
  const double high = nearest(format, to_odd(x.head, x.rest + error));
  if (low != high) return std::nullopt;
  return low;
}

// How far a pair (x, y) in doubles, |x| + |y| = size, may be from itself rotated when it is by
// sum_of_products with a row that is the product of a giant and a baby: (2) and (4) in bounds.h, and (1) for
// the products.
inline double rotated_error(double size, double amplitude) {
  return (bounds::giant + 2 * bounds::fine) * size * amplitude;
}

}  // namespace posproof::exact
