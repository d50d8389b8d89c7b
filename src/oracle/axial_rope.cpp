#include <algorithm>
#include <cmath>
#include <numeric>

#include "catalogue/oracle/axial_rope.h"
#include "core/error.h"
#include "exact/angle.h"
#include "oracle/axial.h"

namespace posproof {

using oracle::AxialPair;

namespace {

// The number p of an axis stands for (times p + plus) / over: whole numbers all.
struct Fraction {
  std::int64_t times, plus, over;
};

Fraction fraction_of(const Arguments& p, std::size_t axis) {
  const auto whole = [](double x) { return static_cast<std::int64_t>(x); };
  const std::vector<double>& grid = p.list("grid");
  if (p.is("coordinates", "resized")) return {whole(p.list("trained_grid")[axis]), 0, whole(grid[axis])};
  std::vector<double> ascending = grid;
  std::ranges::sort(ascending);
  const std::int64_t extent = whole(p.is("extent", "separate")  ? grid[axis]
                                    : p.is("extent", "largest") ? ascending.back()
                                                                : ascending.front());
  return {2, 1 - extent, p.is("coordinates", "corners") ? extent - 1 : extent};
}

// Pairs whose numbers are fractions, in radians or in turns.
struct OfFractions {
  exact::Multiprecision powers;  // one for each pair
  std::vector<Pair> pairs;
  std::vector<Fraction> of_axis;
  bool turns;

  // A power within 2^12 units, and 5 roundings on top.
  exact::Angle times(std::size_t pair, std::int64_t numerator, std::int64_t denominator) const {
    return [=, this](mpfr_prec_t bits) {
      exact::Real angle = powers.with(bits + 8).frequencies.at(pair);
      mpfr_mul_si(angle.x, angle.x, numerator, MPFR_RNDN);
      mpfr_div_si(angle.x, angle.x, denominator, MPFR_RNDN);
      if (turns) {
        exact::Real pi(bits + 8);
        mpfr_const_pi(pi.x, MPFR_RNDN);
        mpfr_mul(angle.x, angle.x, pi.x, MPFR_RNDN);
        mpfr_mul_2ui(angle.x, angle.x, 1, MPFR_RNDN);
      }
      return angle;
    };
  }
  exact::Angle angle(std::size_t pair, Position at) const {
    const auto& [by, plus, over] = of_axis[pairs[pair].axis];
    return times(pair, by * at + plus, over);
  }
  double step(std::size_t pair) const {
    const Fraction& of = of_axis[pairs[pair].axis];
    return times(pair, of.times, of.over)(256).nearest();
  }

  // |c| (w's error, the products') w, and what a difference from 1 does not make smaller. See
  // encodings/axial_rope.cpp.
  double angle_error(std::size_t pair, double at, const Precision& p) const {
    const auto& [by, plus, over] = of_axis[pairs[pair].axis];
    const double c = (static_cast<double>(by) * at + static_cast<double>(plus)) / static_cast<double>(over);
    const double one = turns ? 6.283185307179586 : 1, w = powers.with(64).frequencies.at(pair).nearest();
    const double products = p.angle * (turns ? 3 : 1) + power_error(p, w, pairs[pair].index);
    return one * w * (std::abs(c) * (products + p.angle) + 2 * p.angle * (1 + c));
  }
};

Rotary of_fractions(const Arguments& p, const std::vector<AxialPair>& from) {
  const std::size_t dim = p.width("dim"), heads = p.width("heads"), axes = p.width("axes");
  exact::Geometric powers{p.real("base"), {}};
  for (const AxialPair& one : from) powers.exponents.push_back(one.exponent);
  const bool centred = !p.is("coordinates", "resized");
  auto all = std::make_shared<OfFractions>(
      OfFractions{{exact::Frequencies{powers}, 1.0}, {}, {}, centred && p.is("unit", "turns")});
  Rotary rotary{.dim = dim, .heads = heads};
  rotary.positions.axes = axes;
  rotary.positions.hi = 0;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    all->of_axis.push_back(fraction_of(p, axis));
    rotary.positions.last_on_axis.push_back(static_cast<Position>(p.list("grid")[axis]) - 1);
    rotary.positions.hi = std::max(rotary.positions.hi, rotary.positions.last_on_axis.back());
  }
  for (const AxialPair& one : from) all->pairs.push_back(one.pair);
  for (std::size_t i = 0; i < from.size(); ++i) all->pairs[i].frequency = all->step(i);
  rotary.pairs = all->pairs;
  rotary.positions.hard = hard_positions(rotary.pairs, rotary.positions.lo, rotary.positions.hi);
  rotary.rotate = [all, dim, heads, axes](Tensor x, const Positions& positions, Role) {
    check_rotation(x, positions, heads, dim, axes);
    const std::size_t n = x.shape[2];
    for (std::size_t r = 0; r < x.rows(); ++r)
      for (std::size_t i = 0; i < all->pairs.size(); ++i) {
        const Pair& pair = all->pairs[i];
        double &a = x.at(r, pair.first), &b = x.at(r, pair.second);
        const Position at = positions.flat()[(r / (heads * n) * n + r % n) * axes + pair.axis];
        const auto there = exact::rotated(all->angle(i, at), a, b);
        a = there.x, b = there.y;
      }
    return x;
  };
  if (centred)
    rotary.error = [all](std::span<const double> x, std::span<const double> position, Role,
                         const Precision& precision, std::span<double> error) {
      for (std::size_t i = 0; i < all->pairs.size(); ++i) {
        const Pair& pair = all->pairs[i];
        const double angle = all->angle_error(i, position[pair.axis], precision);
        error[pair.first] = error[pair.second] = std::hypot(x[pair.first], x[pair.second]) *
                                                 (rotation_error(precision, 0, pair) + std::min(angle, 2.0));
      }
    };
  return rotary;
}

// Pair by pair in the order of the channels: whose it is, and which of that axis' own.
struct Owner {
  std::size_t part, number;
};

std::vector<Owner> owners(const std::vector<std::size_t>& pairs_of_part, bool alternating) {
  std::vector<Owner> all;
  for (std::size_t part = 0; part < pairs_of_part.size(); ++part)
    for (std::size_t j = 0; j < pairs_of_part[part]; ++j) all.push_back({part, j});
  if (alternating)
    for (std::size_t rank = 0; rank < all.size(); ++rank)
      all[rank] = {rank % pairs_of_part.size(), rank / pairs_of_part.size()};
  return all;
}

}  // namespace

Encoding oracle::axial_rope(const Arguments& p) {
  const std::size_t dim = p.width("dim"), axes = p.width("axes");
  std::vector<std::size_t> pairs_of_part(axes, dim / 2 / axes);
  if (p.list("parts").size() > 1)
    for (std::size_t part = 0; part < axes; ++part)
      pairs_of_part[part] = static_cast<std::size_t>(p.list("parts")[part]) / 2;
  const std::size_t all_pairs = std::accumulate(pairs_of_part.begin(), pairs_of_part.end(), std::size_t{0});

  std::vector<AxialPair> pairs;
  const auto owner = owners(pairs_of_part, p.is("order", "alternating"));
  for (std::size_t rank = 0; rank < all_pairs; ++rank) {
    const auto [part, number] = owner[rank];
    AxialPair one{{.first = rank, .second = rank + all_pairs, .frequency = 0}, {}};
    if (p.is("layout", "interleaved")) one.pair.first = rank * 2, one.pair.second = rank * 2 + 1;
    // Before its part stand both halves of the parts before: rank - number pairs.
    if (p.is("layout", "half_split_by_axis"))
      one.pair.first = 2 * rank - number, one.pair.second = one.pair.first + pairs_of_part[part];
    one.pair.axis = p.is("axis_order", "reversed") ? axes - part - 1 : part;
    // Halves of the exponents' numerator and denominator.
    const bool strided = p.is("ladder", "strided");
    one.pair.index = strided ? number * axes + part : number;
    one.exponent = {static_cast<std::int64_t>(one.pair.index),
                    static_cast<std::int64_t>(strided ? all_pairs : pairs_of_part[part])};
    const bool scaled = p.is("coordinates", "whole")
                            ? p.real("factor") != 1
                            : fraction_of(p, one.pair.axis).times != fraction_of(p, one.pair.axis).over;
    if (scaled) one.pair.frequency_error = divided();
    pairs.push_back(one);
  }
  if (!p.is("coordinates", "whole")) return of_fractions(p, pairs);
  exact::Scaling scaling = exact::Unscaled{};
  if (p.real("factor") != 1) scaling = exact::Interpolated{p.real("factor")};
  return axial(dim, p.width("heads"), axes, p.real("base"), scaling, pairs);
}

}  // namespace posproof
