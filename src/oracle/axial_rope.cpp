#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>

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
  // Units by which the number may be off besides one of its own: where it grows from -1, two of its distance
  // from there.
  std::optional<double> units = {};
};

// From a to b, b excluded: a + p (b - a) / n. One rounding makes the step and one its multiple, at most b -
// a. From a to e = b (n - 1) / n: a + p (e - a) / (n - 1) = (p (b (n - 1) - a n) + a n (n - 1)) / (n (n -
// 1)). Two roundings make e, three more the difference, the step and its multiple, each of at most e - a.
Fraction between_corners(std::int64_t a, std::int64_t b, std::int64_t n, bool excluded) {
  if (excluded) return {b - a, a * n, n, 2.0 * static_cast<double>(b - a)};
  const std::int64_t over = n * (n - 1);
  const double end = static_cast<double>(b * (n - 1)) / static_cast<double>(n);
  return {b * (n - 1) - a * n, a * over, over, 2 * std::abs(end) + 3 * (end - static_cast<double>(a))};
}

Fraction fraction_of(const Arguments& p, std::size_t axis) {
  const auto whole = [](double x) { return static_cast<std::int64_t>(x); };
  const std::vector<double>& grid = p.list("grid");
  if (p.is("coordinates", "cropped"))
    return between_corners(whole(p.list("crop_start")[axis]), whole(p.list("crop_stop")[axis]),
                           whole(grid[axis]), p.is("crop_spacing", "stop_excluded"));
  if (p.is("coordinates", "resized")) {
    const std::int64_t trained = whole(p.list("trained_grid")[axis]);
    std::int64_t plus = 0;
    if (__builtin_mul_overflow(trained, p.whole("offset"), &plus))
      throw Refusal("axial_rope: trained_grid times offset overflows");
    return {trained, plus, whole(grid[axis])};
  }
  std::vector<double> ascending = grid;
  std::ranges::sort(ascending);
  const std::int64_t extent = whole(p.is("extent", "separate")  ? grid[axis]
                                    : p.is("extent", "largest") ? ascending.back()
                                                                : ascending.front());
  return {2, 1 - extent, p.is("coordinates", "corners") ? extent - 1 : extent};
}

// Frequencies that lie between two: that of pair i of n + 1 of an axis.
struct Between {
  enum class Form { periods, linear_bands, log_bands } form;
  double first, last;  // periods; of bands 1 and R/2

  // Within 2^11 units: logarithms of doubles are below 710, and the sum may cancel to its own unit.
  exact::Real operator()(std::int64_t i, std::int64_t n, mpfr_prec_t bits) const {
    const mpfr_prec_t more = bits + 64;
    exact::Real a(more, first), b(more, last);
    n = std::max<std::int64_t>(n, 1);
    if (form != Form::linear_bands) mpfr_log(a.x, a.x, MPFR_RNDN), mpfr_log(b.x, b.x, MPFR_RNDN);
    mpfr_mul_si(a.x, a.x, n - i, MPFR_RNDN);
    mpfr_mul_si(b.x, b.x, i, MPFR_RNDN);
    mpfr_add(a.x, a.x, b.x, MPFR_RNDN);
    mpfr_div_si(a.x, a.x, form == Form::periods ? -n : n, MPFR_RNDN);
    if (form != Form::linear_bands) mpfr_exp(a.x, a.x, MPFR_RNDN);
    return a;
  }
};

std::optional<Between> between_of(const Arguments& p) {
  if (p.is("coordinates", "resized") || p.is("coordinates", "cropped") || p.is("frequencies", "base"))
    return std::nullopt;
  using enum Between::Form;
  if (p.is("frequencies", "periods")) return Between{periods, p.real("min_period"), p.real("max_period")};
  return Between{p.is("frequencies", "log_bands") ? log_bands : linear_bands, 1,
                 p.real("max_resolution") / 2};
}

// Pairs whose numbers are fractions, in radians, turns or half turns.
struct OfFractions {
  exact::Multiprecision powers;  // one for each pair
  std::vector<Pair> pairs;
  std::vector<Fraction> of_axis;
  std::vector<std::int64_t> last_of_axis;  // index of the last pair
  std::optional<Between> between;
  int half_turns;  // 0: in radians
  struct Kept {
    std::mutex mutex;
    std::map<mpfr_prec_t, std::vector<exact::Real>> by_bits;  // frequencies between two
  };
  std::shared_ptr<Kept> kept = std::make_shared<Kept>();

  exact::Real frequency(std::size_t pair, mpfr_prec_t bits) const {
    if (!between) return powers.with(bits).frequencies.at(pair);
    const std::lock_guard lock(kept->mutex);
    auto& all = kept->by_bits[bits];
    for (std::size_t i = all.size(); i < pairs.size(); ++i)
      all.push_back((*between)(static_cast<std::int64_t>(pairs[i].index), last_of_axis[pairs[i].axis], bits));
    return all.at(pair);
  }
  // A frequency within 2^12 units, and 5 roundings on top.
  exact::Angle times(std::size_t pair, std::int64_t numerator, std::int64_t denominator) const {
    return [=, this](mpfr_prec_t bits) {
      exact::Real angle = frequency(pair, bits + 8);
      mpfr_mul_si(angle.x, angle.x, numerator, MPFR_RNDN);
      mpfr_div_si(angle.x, angle.x, denominator, MPFR_RNDN);
      if (half_turns != 0) {
        exact::Real pi(bits + 8);
        mpfr_const_pi(pi.x, MPFR_RNDN);
        mpfr_mul(angle.x, angle.x, pi.x, MPFR_RNDN);
        mpfr_mul_si(angle.x, angle.x, half_turns, MPFR_RNDN);
      }
      return angle;
    };
  }
  exact::Angle angle(std::size_t pair, Position at) const {
    const Fraction& of = of_axis[pairs[pair].axis];
    std::int64_t numerator = of.times * at;
    if (__builtin_add_overflow(numerator, of.plus, &numerator))
      throw Refusal("axial_rope: position + offset overflows");
    return times(pair, numerator, of.over);
  }
  double step(std::size_t pair) const {
    const Fraction& of = of_axis[pairs[pair].axis];
    return times(pair, of.times, of.over)(256).nearest();
  }

  double own_error(std::size_t pair, double w, const Precision& p) const {
    if (!between) return power_error(p, w, pairs[pair].index);
    if (between->form == Between::Form::linear_bands) return 4 * p.angle;
    const double least = between->first, steps = std::abs(std::log(w * least));
    const double roundings =
        between->form == Between::Form::log_bands ? 1 : 6 + 3 * std::abs(std::log(least));
    return power_error(p, std::exp(steps), pairs[pair].index) + (roundings + steps) * p.angle;
  }
  // |c| (w's error, the products') w, and what a difference from 1 does not make smaller. See
  // encodings/axial_rope.cpp.
  double angle_error(std::size_t pair, double at, const Precision& p) const {
    const auto& [by, plus, over, units] = of_axis[pairs[pair].axis];
    const double c = (static_cast<double>(by) * at + static_cast<double>(plus)) / static_cast<double>(over);
    const double one = half_turns == 0 ? 1 : half_turns * 3.141592653589793,
                 w = frequency(pair, 64).nearest();
    const double products = p.angle * (half_turns == 0 ? 1 : 3) + own_error(pair, w, p);
    return one * w * (std::abs(c) * (products + p.angle) + units.value_or(2 * (1 + c)) * p.angle);
  }
};

Rotary of_fractions(const Arguments& p, const std::vector<AxialPair>& from) {
  const std::size_t dim = p.width("dim"), heads = p.width("heads"), axes = p.width("axes");
  exact::Geometric powers{p.real("base"), {}};
  for (const AxialPair& one : from) powers.exponents.push_back(one.exponent);
  const bool from_0 = p.is("coordinates", "resized"), centred = !from_0 && !p.is("coordinates", "cropped");
  const auto between = between_of(p);
  const bool bands = between && between->form != Between::Form::periods;
  const int half_turns = !centred ? 0 : bands ? 1 : p.is("unit", "turns") ? 2 : 0;
  auto all = std::make_shared<OfFractions>(
      OfFractions{{exact::Frequencies{powers}, 1.0}, {}, {}, {}, between, half_turns});
  Rotary rotary{.dim = dim, .heads = heads};
  rotary.positions.axes = axes;
  rotary.positions.hi = 0;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    all->of_axis.push_back(fraction_of(p, axis));
    all->last_of_axis.push_back(0);
    rotary.positions.last_on_axis.push_back(static_cast<Position>(p.list("grid")[axis]) - 1);
    rotary.positions.hi = std::max(rotary.positions.hi, rotary.positions.last_on_axis.back());
  }
  for (const AxialPair& one : from) {
    all->pairs.push_back(one.pair);
    std::int64_t& last = all->last_of_axis[one.pair.axis];
    last = std::max(last, static_cast<std::int64_t>(one.pair.index));
  }
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
  if (!from_0)
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

// What is added to the numbers of a position is whole: an angle is a product with the sum.
void allow_for_sums(Rotary& rotary, double offset) {
  rotary.error = [offset, pairs = rotary.pairs](std::span<const double> x, std::span<const double> position,
                                                Role, const Precision& precision, std::span<double> error) {
    for (const Pair& pair : pairs) {
      const double off = std::min(2.0, angle_error(precision, offset + position[pair.axis], pair)) +
                         rotation_error(precision, 0, pair);
      error[pair.first] = error[pair.second] = off * std::hypot(x[pair.first], x[pair.second]);
    }
  };
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

  std::vector<double> divisors = p.list("factors");
  if (divisors.size() == 1) divisors.assign(axes, p.real("factor"));

  std::vector<double> bases = p.list("bases");
  if (bases.size() < axes) bases.assign(axes, p.real("base"));

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
                            ? divisors[one.pair.axis] != 1
                            : fraction_of(p, one.pair.axis).times != fraction_of(p, one.pair.axis).over;
    if (scaled) one.pair.frequency_error = divided();
    pairs.push_back(one);
  }
  const bool whole = p.is("coordinates", "whole");
  const Position offset = whole || p.is("coordinates", "resized") ? p.whole("offset") : 0;
  std::vector<exact::Scaling> scalings(axes, exact::Unscaled{});
  for (std::size_t axis = 0; axis < axes; ++axis)
    if (divisors[axis] != 1) scalings[axis] = exact::Interpolated{divisors[axis]};
  Rotary rotary =
      whole ? axial(dim, p.width("heads"), axes, bases, scalings, pairs, offset) : of_fractions(p, pairs);
  if (offset != 0) allow_for_sums(rotary, static_cast<double>(offset));
  return rotary;
}

}  // namespace posproof
