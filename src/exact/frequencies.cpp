#include "exact/frequencies.h"

#include <fmt/format.h>

#include <optional>

#include "core/encoding.h"
#include "exact/interval.h"

namespace posproof::exact {
namespace {

// exp(-(ln base) numerator / denominator). Every operation of MPFR is correctly rounded, u = 2^-bits: the
// exponent carries three roundings (logarithm, product, quotient), 3 u of itself, which is 3 u |ln w| of w,
// and the exponential adds u. |ln w| < 710 for every double base and exponents up to 1.
Real power_of(const Real& log_base, std::int64_t numerator, std::int64_t denominator) {
  Real w(log_base.bits());
  mpfr_mul_si(w.x, log_base.x, -numerator, MPFR_RNDN);
  mpfr_div_si(w.x, w.x, denominator, MPFR_RNDN);
  mpfr_exp(w.x, w.x, MPFR_RNDN);
  return w;
}

Real product(const Real& a, const Real& b) {
  Real out(a.bits());
  mpfr_mul(out.x, a.x, b.x, MPFR_RNDN);
  return out;
}
Interval product(const Interval& a, const Interval& b) {
  return a * b;
}

// Where exponents go on by equal steps, and nearly always they do, a frequency is the one before times their
// ratio r: an exponential costs sixty times as much as a product. k steps add (1 + 3 |ln r|) u and a rounding
// each, so that w is within (1 + 3 |ln w| + 2 k) u, and with k <= 512 that is below (1 + 2130 + 1024) u <
// 2^12 u.
template <class Power>
auto powers_of(const std::vector<Exponent>& exponents, Power power) {
  using Number = decltype(power(exponents.front()));
  constexpr std::size_t most_steps = 512;
  std::vector<Number> out;
  out.reserve(exponents.size());
  struct Ratio {
    Exponent step;
    Number r;
  };
  std::optional<Ratio> ratio;
  for (std::size_t i = 0; i < exponents.size(); ++i) {
    const auto [numerator, denominator] = exponents[i];
    if (i % most_steps == 0 || exponents[i - 1].denominator != denominator) {
      out.push_back(power(exponents[i]));
      continue;
    }
    const std::int64_t step = numerator - exponents[i - 1].numerator;
    if (!ratio || ratio->step.numerator != step || ratio->step.denominator != denominator)
      ratio.emplace(Ratio{{step, denominator}, power({step, denominator})});
    out.push_back(product(out.back(), ratio->r));
  }
  return out;
}

std::vector<Real> powers_of(const Geometric& ladder, mpfr_prec_t bits) {
  Real log_base(bits, ladder.base);
  mpfr_log(log_base.x, log_base.x, MPFR_RNDN);
  return powers_of(ladder.exponents,
                   [&](const Exponent& one) { return power_of(log_base, one.numerator, one.denominator); });
}

// ---- scaled frequencies, with u = 2^-bits of the intervals
//
// An interval of a power is 2 (1 + 3 * 710 + 2 * 512) u wide at most, relatively, as above. On top of it,
// again relatively:
//   linear, divided: a quotient, 2 u.
//   ntk: the second power factor^(-2i/(d-2)) is of the same kind, and so as wide again.
//   by parts: g has the width of the rotations L0 w / 2 pi (a product, pi and a quotient beside w's own) over
//     most - least. No term of 1/factor + g (1 - 1/factor) is negative, so the blend loses no digits, but for
//     a small g the width of g counts (factor - 1) times.
//   by index: g has the width of two logarithms over their distance, and counts as much.
// So close bounds, or a large factor, cost as many digits as their quotient has: `exact` looks at the width
// that came out and takes more bits until it is narrow enough.

// Of a base whose logarithm that is: a ladder takes it once, since it costs more than all the rest.
Interval power(const Interval& log_base, std::int64_t numerator, std::int64_t denominator) {
  const mpfr_prec_t bits = log_base.bits();
  const Interval x =
      Interval(bits, static_cast<double>(numerator)) / Interval(bits, static_cast<double>(denominator));
  return exp(Interval(bits, 0) - log_base * x);
}

// w of which the share g keeps its speed: w (1/s + g (1 - 1/s)).
Interval blended(const Interval& w, const Interval& g, double factor) {
  const Interval one(w.bits(), 1), slowed = one / Interval(w.bits(), factor);
  return w * (slowed + g * (one - slowed));
}

// Where a ramp over the index begins and ends; none where a logarithm is not known well enough.
struct Ramp {
  Interval first, last;
};

// The index at which so many rotations are made. It is never a whole number k: pi = L0 / (2 rotations
// b^(2k/d)) would be algebraic. So enough bits tell between which two it is.
Interval index_of(double rotations, const ByIndex& scaling, double base, double d, mpfr_prec_t bits) {
  const auto number = [bits](double x) { return Interval(bits, x); };
  const Interval two_pi = number(2) * pi(bits);
  return number(d) * log(number(scaling.original_length) / (two_pi * number(rotations))) /
         (number(2) * log(number(base)));
}

std::optional<Ramp> ramp(const ByIndex& scaling, double base, double d, mpfr_prec_t bits) {
  Ramp out{index_of(scaling.fast, scaling, base, d, bits), index_of(scaling.slow, scaling, base, d, bits)};
  const auto decide = [](Interval& index, int (*whole)(mpfr_ptr, mpfr_srcptr)) {
    whole(index.low.x, index.low.x);
    whole(index.high.x, index.high.x);
    return mpfr_equal_p(index.low.x, index.high.x) != 0;
  };
  if (scaling.truncate && !(decide(out.first, &mpfr_floor) && decide(out.last, &mpfr_ceil)))
    return std::nullopt;
  const double unbounded = __builtin_huge_val();
  // Which side of a bound an index is on is known before they can be equal: equal ones are both whole, or are
  // the same index between the bounds.
  Interval first = clamped(out.first, 0, unbounded), last = clamped(out.last, -unbounded, d - 1);
  const auto below = [](const Interval& index, double bound) { return mpfr_cmp_d(index.low.x, bound) < 0; };
  const auto above = [](const Interval& index, double bound) { return mpfr_cmp_d(index.high.x, bound) > 0; };
  const bool equal = scaling.truncate
                         ? mpfr_equal_p(first.low.x, last.low.x) != 0
                         : scaling.fast == scaling.slow && !below(out.first, 0) && !above(out.last, d - 1);
  if (equal) last = first + Interval(bits, 1) / Interval(bits, 1000);
  return Ramp{std::move(first), std::move(last)};
}

struct Scaled {
  const Geometric& ladder;
  mpfr_prec_t bits;

  Interval number(double x) const { return {bits, x}; }

  std::vector<Interval> powers() const {
    const Interval log_base = log(number(ladder.base));
    return powers_of(ladder.exponents,
                     [&](const Exponent& one) { return power(log_base, one.numerator, one.denominator); });
  }

  template <class Each>
  std::optional<std::vector<Interval>> each(Each change) const {
    std::vector<Interval> out = powers();
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = change(out[i], i);
    return out;
  }

  std::optional<std::vector<Interval>> operator()(const Unscaled&) const { return powers(); }

  std::optional<std::vector<Interval>> operator()(const Interpolated& interpolated) const {
    return each([&](const Interval& w, std::size_t) { return w / number(interpolated.factor); });
  }

  std::optional<std::vector<Interval>> operator()(const Divided& divided) const {
    return each([&](const Interval& w, std::size_t i) { return w / number(divided.divisors.at(i)); });
  }

  std::optional<std::vector<Interval>> operator()(const NtkAware& ntk) const {
    return from_base_times(number(ntk.factor));
  }

  std::optional<std::vector<Interval>> operator()(const DynamicNtk& ntk) const {
    const Interval lengths = number(ntk.length) / number(ntk.original_length), s = number(ntk.factor);
    return from_base_times(s * lengths - (s - number(1)));
  }

  std::optional<std::vector<Interval>> from_base_times(const Interval& factor) const {
    const Interval log_factor = log(factor);
    return each([&](const Interval& w, std::size_t i) {
      const auto [numerator, denominator] = ladder.exponents[i];
      return numerator == 0 ? w : w * power(log_factor, numerator, denominator - 2);
    });
  }

  std::optional<std::vector<Interval>> operator()(const ByParts& parts) const {
    std::vector<Interval> out = powers();
    const Interval length = number(parts.original_length), turn = number(2) * pi(bits);
    for (Interval& w : out) {
      const auto g = share_kept(length * w / turn, parts);
      if (!g) return std::nullopt;
      w = blended(w, *g, parts.factor);
    }
    return out;
  }

  // None where a step is at hand whose side is not known yet.
  std::optional<Interval> share_kept(const Interval& rotations, const ByParts& parts) const {
    if (parts.least < parts.most)
      return clamped((rotations - number(parts.least)) / (number(parts.most) - number(parts.least)), 0, 1);
    if (mpfr_cmp_d(rotations.low.x, parts.least) > 0) return number(1);
    if (mpfr_cmp_d(rotations.high.x, parts.least) < 0) return number(0);
    return std::nullopt;
  }

  std::optional<std::vector<Interval>> operator()(const ByIndex& by_index) const {
    if (ladder.exponents.empty()) return powers();
    const auto d = static_cast<double>(ladder.exponents.front().denominator);
    const auto between = ramp(by_index, ladder.base, d, bits);
    if (!between) return std::nullopt;
    return each([&](const Interval& w, std::size_t i) {
      const auto index = static_cast<double>(ladder.exponents[i].numerator) / 2;
      const Interval way = (number(index) - between->first) / (between->last - between->first);
      return blended(w, number(1) - clamped(way, 0, 1), by_index.factor);
    });
  }
};

// A number between two ends that are within 2^(10 - bits) of each other, relatively, rounded to bits: off by
// at most that and 2^-bits. None where they are further apart, or of no sign.
std::optional<Real> narrow(const Interval& number, mpfr_prec_t bits) {
  if (!number.positive()) return std::nullopt;
  Real width(64), most(64);
  mpfr_sub(width.x, number.high.x, number.low.x, MPFR_RNDU);
  mpfr_mul_2si(most.x, number.low.x, 10 - static_cast<long>(bits), MPFR_RNDD);
  if (mpfr_lessequal_p(width.x, most.x) == 0) return std::nullopt;
  Real out(bits);
  mpfr_set(out.x, number.low.x, MPFR_RNDN);
  return out;
}

constexpr mpfr_prec_t more_bits_at_most = mpfr_prec_t{1} << 14;

template <class Ask>
auto until_certain(mpfr_prec_t bits, const char* what, Ask ask) {
  for (mpfr_prec_t more = 32; more <= more_bits_at_most; more *= 2)
    if (auto answer = ask(bits + more)) return *std::move(answer);
  throw Refusal(
      fmt::format("{}: {} more bits than were asked for do not decide it", what, more_bits_at_most));
}

std::vector<Real> frequencies_of(const Geometric& ladder, mpfr_prec_t bits) {
  if (std::holds_alternative<Unscaled>(ladder.scaling)) return powers_of(ladder, bits);
  return until_certain(bits, "scaled frequencies", [&](mpfr_prec_t with) -> std::optional<std::vector<Real>> {
    const auto found = std::visit(Scaled{ladder, with}, ladder.scaling);
    if (!found) return std::nullopt;
    std::vector<Real> out;
    out.reserve(found->size());
    for (const Interval& w : *found) {
      auto one = narrow(w, bits);
      if (!one) return std::nullopt;
      out.push_back(*std::move(one));
    }
    return out;
  });
}

std::vector<Real> frequencies_of(const Given& given, mpfr_prec_t bits) {
  std::vector<Real> out;
  out.reserve(given.frequencies.size());
  for (const double w : given.frequencies) out.emplace_back(bits, w);
  return out;
}

// ln 1 is 0, exactly, so factor 1 gives 1.
Interval amplitude_of(const YarnAmplitude& yarn, mpfr_prec_t bits) {
  const Interval one(bits, 1), tenth = log(Interval(bits, yarn.factor)) / Interval(bits, 10);
  return (Interval(bits, yarn.mscale) * tenth + one) / (Interval(bits, yarn.mscale_all_dim) * tenth + one);
}

Interval amplitude_of(const LongRopeAmplitude& longrope, mpfr_prec_t bits) {
  const Interval share = log(Interval(bits, longrope.factor)) / log(Interval(bits, longrope.original_length));
  return sqrt(Interval(bits, 1) + share);
}

}  // namespace

std::size_t Frequencies::size() const {
  if (const auto* geometric = std::get_if<Geometric>(&ladder)) return geometric->exponents.size();
  return std::get<Given>(ladder).frequencies.size();
}

std::vector<Real> exact(const Frequencies& frequencies, mpfr_prec_t bits) {
  auto out =
      std::visit([bits](const auto& ladder) { return frequencies_of(ladder, bits); }, frequencies.ladder);
  if (frequencies.backward)
    for (Real& w : out) mpfr_neg(w.x, w.x, MPFR_RNDN);
  // One rounding more: of the bounds above 2^12 u is left more than that.
  if (frequencies.multiple != 1)
    for (Real& w : out) mpfr_mul_d(w.x, w.x, frequencies.multiple, MPFR_RNDN);
  return out;
}

Ends ends(const ByIndex& scaling, double base, std::int64_t d) {
  return until_certain(64, "a ramp", [&](mpfr_prec_t with) -> std::optional<Ends> {
    const auto between = ramp(scaling, base, static_cast<double>(d), with);
    if (!between) return std::nullopt;
    const Ends low{between->first.low.nearest(), between->last.low.nearest()};
    const Ends high{between->first.high.nearest(), between->last.high.nearest()};
    return low.first == high.first && low.last == high.last ? std::optional(low) : std::nullopt;
  });
}

Real exact(const Amplitude& amplitude, mpfr_prec_t bits) {
  if (const auto* given = std::get_if<double>(&amplitude)) return {bits, *given};
  return until_certain(bits, "an amplitude", [&](mpfr_prec_t with) {
    const auto* yarn = std::get_if<YarnAmplitude>(&amplitude);
    return narrow(
        yarn ? amplitude_of(*yarn, with) : amplitude_of(std::get<LongRopeAmplitude>(amplitude), with), bits);
  });
}

bool exactly_held(const Amplitude& amplitude) {
  struct Held {
    bool operator()(double) const { return true; }
    // The logarithm of any other rational number is transcendental, and so is this.
    bool operator()(const YarnAmplitude& yarn) const {
      return yarn.factor == 1 || yarn.mscale == yarn.mscale_all_dim;
    }
    bool operator()(const LongRopeAmplitude& longrope) const { return longrope.factor == 1; }
  };
  return std::visit(Held{}, amplitude);
}

}  // namespace posproof::exact
