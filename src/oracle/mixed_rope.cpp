#include <algorithm>
#include <cmath>

#include "catalogue/oracle/mixed_rope.h"
#include "core/error.h"
#include "core/hard.h"
#include "core/rotation.h"
#include "exact/angle.h"
#include "exact/numbers.h"

namespace posproof {

using namespace exact;

namespace {

// The frequencies of one head, pair by pair, a number for each axis.
using OfHead = std::vector<std::vector<double>>;

std::vector<OfHead> frequencies(const Arguments& p) {
  const std::size_t axes = p.width("axes"), heads = p.width("heads"), pairs = p.width("dim") / 2;
  const std::size_t own = p.flag("shared") ? 1 : heads;
  std::vector<OfHead> all(heads, OfHead(pairs, std::vector<double>(axes)));
  for (std::size_t h = 0; h < heads; ++h)
    for (std::size_t i = 0; i < pairs; ++i)
      for (std::size_t axis = 0; axis < axes; ++axis) {
        const std::size_t entry = i + pairs * (h % own + own * axis);
        all[h][i][axis] = p.is("table", "given") ? p.list("frequencies")[entry]
                                                 : seeded(p.real("std"), p.whole("table_seed"), entry);
      }
  return all;
}

// The sum over the axes: each product and each sum is rounded once to so many bits more than asked for that
// what cancels leaves enough. |number| < 2^53 and a frequency that is not 0 is at least 2^-1074, so that a
// sum that is not 0 loses at most 2^1200.
Angle angle_of(const std::vector<double>& w, std::span<const Position> place) {
  return [&w, place](mpfr_prec_t bits) {
    Real sum(bits + 2400), term(bits + 2400);
    for (std::size_t axis = 0; axis < w.size(); ++axis) {
      mpfr_set_d(term.x, w[axis], MPFR_RNDN);
      mpfr_mul_si(term.x, term.x, place[axis], MPFR_RNDN);
      mpfr_add(sum.x, sum.x, term.x, MPFR_RNDN);
    }
    return sum;
  };
}

// Three roundings of each product, its factors' and its own, and one of each sum. See
// encodings/mixed_rope.cpp.
double angle_error(const Precision& p, const std::vector<double>& w, std::span<const double> position) {
  double size = 0;
  for (std::size_t axis = 0; axis < w.size(); ++axis) size += std::abs(w[axis]) * std::abs(position[axis]);
  return size * p.angle * (3 + static_cast<double>(w.size() - 1));
}

}  // namespace

Encoding oracle::mixed_rope(const Arguments& p) {
  const std::size_t dim = p.width("dim"), heads = p.width("heads"), axes = p.width("axes");
  const auto all = frequencies(p);
  Rotary rotary{.dim = dim, .heads = heads};
  for (std::size_t i = 0; i < dim / 2; ++i) {
    Pair pair{.first = i, .second = i + dim / 2, .frequency = 0, .index = i};
    if (p.is("layout", "interleaved")) pair.first = 2 * i, pair.second = 2 * i + 1;
    for (const OfHead& head : all)
      for (const double w : head[i]) pair.frequency = std::max(pair.frequency, std::abs(w));
    rotary.pairs.push_back(pair);
  }
  rotary.positions.axes = axes;
  rotary.positions.hard = hard_positions(rotary.pairs, rotary.positions.lo, rotary.positions.hi);
  rotary.rotate = [all, pairs = rotary.pairs, dim, heads, axes](Tensor x, const Positions& positions, Role) {
    check_rotation(x, positions, heads, dim, axes);
    const std::size_t n = x.shape[2];
    for (std::size_t r = 0; r < x.rows(); ++r) {
      const auto place = positions.flat().subspan((r / (heads * n) * n + r % n) * axes, axes);
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        double &a = x.at(r, pairs[i].first), &b = x.at(r, pairs[i].second);
        const auto there = rotated(angle_of(all[r / n % heads][i], place), a, b);
        a = there.x, b = there.y;
      }
    }
    return x;
  };
  rotary.error = [all, pairs = rotary.pairs](std::span<const double> x, std::span<const double> position,
                                             Role, const Precision& precision, std::span<double> error) {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      double angle = 0;
      for (const OfHead& head : all) angle = std::max(angle, angle_error(precision, head[i], position));
      const double norm = std::hypot(x[pairs[i].first], x[pairs[i].second]);
      error[pairs[i].first] = error[pairs[i].second] =
          norm * (std::min(2.0, angle) + rotation_error(precision, 0, pairs[i]));
    }
  };
  return rotary;
}

}  // namespace posproof
