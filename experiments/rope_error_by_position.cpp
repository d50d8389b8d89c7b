#include <boost/math/special_functions/next.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <stdexcept>

#include "catalogue/encodings/rope.h"
#include "catalogue/experiments/rope_error_by_position.h"
#include "core/bounded.h"
#include "core/bounds.h"
#include "core/error.h"
#include "exact/frequencies.h"
#include "measure.h"
#include "references.h"

namespace posproof::experiments_rope_error_by_position {
namespace {

using namespace document;
using experiments::joined;
using experiments::two_pi;
using experiments::whole;

constexpr std::size_t dim = 128;
constexpr int octaves = 20;           // positions from 1 to 2^20
constexpr std::int64_t samples = 64;  // positions in each octave [2^m, 2^(m+1)) whose cosines are looked at
constexpr long double pi = two_pi / 2;

// The frequencies, each the nearest long double: those of f64 are measured against their last bits, which a
// power in long double has from the processor.
const std::vector<long double>& frequencies() {
  static const std::vector<long double> all = [] {
    exact::Geometric ladder{.base = 10000, .exponents = {}};
    for (std::size_t i = 0; 2 * i < dim; ++i)
      ladder.exponents.push_back({static_cast<std::int64_t>(2 * i), static_cast<std::int64_t>(dim)});
    std::vector<long double> out;
    for (const exact::Real& w : exact::exact({.ladder = ladder}, 192))
      out.push_back(mpfr_get_ld(w.x, MPFR_RNDN));
    return out;
  }();
  return all;
}

// The nearest number of a format with this many significant bits, ties to even. Exponents are not limited:
// the largest angle that is formed below stays in range where the position does.
long double rounded(long double x, int bits) {
  if (x == 0) return 0;
  int exponent = 0;
  const long double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
}

struct Arithmetic {
  std::string name;
  int bits;              // significant ones of the format in which angles are formed
  std::int64_t largest;  // position that the format can hold at all
  Precision::Angles how;

  Precision precision() const { return {static_cast<double>(std::ldexp(1.0L, -bits)), unit_f32, how}; }

  std::vector<long double> frequencies() const {
    std::vector<long double> w = experiments_rope_error_by_position::frequencies();
    const long double ratio = rounded(w[1], bits);
    for (std::size_t i = 0; i < w.size(); ++i)
      w[i] =
          how == Precision::Angles::iterated && i > 0 ? rounded(w[i - 1] * ratio, bits) : rounded(w[i], bits);
    return w;
  }
};

const std::array<Arithmetic, 5> arithmetics = {{
    {"bf16", 8, std::numeric_limits<std::int64_t>::max(), Precision::Angles::product},
    {"f16", 11, 65504, Precision::Angles::product},
    {"f32, iterated", 24, std::numeric_limits<std::int64_t>::max(), Precision::Angles::iterated},
    {"f32", 24, std::numeric_limits<std::int64_t>::max(), Precision::Angles::product},
    {"f64", 53, std::numeric_limits<std::int64_t>::max(), Precision::Angles::product},
}};

// Over all pairs, at one position or at several.
struct Worst {
  double radians = 0;
  std::int64_t position = 0;  // the first that is so far off
  double use = 0;             // the largest share of the bound that any pair used

  void join(const Worst& other) {
    if (other.radians > radians) radians = other.radians, position = other.position;
    use = std::max(use, other.use);
  }
};

// The nearest double with this many significant bits, ties to even.
double rounded(double x, int bits) {
  const int drop = 53 - bits;
  if (drop == 0) return x;
  const auto pattern = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t half = (std::uint64_t{1} << (drop - 1)) - 1, odd = pattern >> drop & 1;
  return std::bit_cast<double>((pattern + half + odd) >> drop << drop);
}

// Every angle of one arithmetic at every position below 2^20, fast enough to look at all of them. A frequency
// is the sum of two doubles, the first of 33 bits: its product with a position of 20 bits is exact.
class EveryAngle {
 public:
  explicit EveryAngle(const Arithmetic& arithmetic) : bits_(arithmetic.bits) {
    const std::vector<long double>&exact = frequencies(), formed = arithmetic.frequencies();
    for (std::size_t i = 0; i < pairs; ++i) {
      formed_[i] = static_cast<double>(formed[i]);
      high_[i] = static_cast<double>(rounded(exact[i], 33));
      low_[i] = static_cast<double>(exact[i] - static_cast<long double>(high_[i]));
      bound_[i] =
          angle_error(arithmetic.precision(), 1, {2 * i, 2 * i + 1, static_cast<double>(exact[i]), i});
    }
  }

  Worst at(std::int64_t position) const {
    const auto t = static_cast<double>(position);
    const double held = rounded(t, bits_), most = static_cast<double>(pi) / t;
    Worst worst{0, position, 0};
    for (std::size_t i = 0; i < pairs; ++i) {
      const double angle = rounded(held * formed_[i], bits_);
      const double off = (angle - t * high_[i]) - t * low_[i];
      const double turns = std::nearbyint(off * (0.5 / static_cast<double>(pi)));
      const double error = std::abs(off - turns * (2 * static_cast<double>(pi)));
      worst.radians = std::max(worst.radians, error);
      if (bound_[i] < most) worst.use = std::max(worst.use, error / (t * bound_[i]));
    }
    return worst;
  }

  // The largest of all pairs.
  double bound(std::int64_t position) const {
    return std::min(static_cast<double>(pi),
                    static_cast<double>(position) * *std::ranges::max_element(bound_));
  }

 private:
  static constexpr std::size_t pairs = dim / 2;
  int bits_;
  std::array<double, pairs> formed_, high_, low_, bound_;  // bounds at position 1; they grow with it
};

// How many f32 numbers the cosine of the formed angle is away from that of the exact one; over all pairs.
std::vector<double> ulps_of_cosines(const Arithmetic& arithmetic, const std::vector<long double>& formed,
                                    std::int64_t position) {
  const std::vector<long double>& exact = frequencies();
  const auto t = static_cast<long double>(position);
  std::vector<double> out;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const long double angle = rounded(rounded(t, arithmetic.bits) * formed[i], arithmetic.bits);
    const auto got = static_cast<float>(std::cos(angle)), right = static_cast<float>(std::cos(t * exact[i]));
    out.push_back(std::abs(static_cast<double>(boost::math::float_distance(got, right))));
  }
  return out;
}

// The 90th percentile. (The largest counts come from zeros of the cosine, where the f32 numbers are dense,
// and say little.)
double percentile(std::vector<double> ulps) {
  std::ranges::sort(ulps);
  return ulps[ulps.size() * 9 / 10];
}

// Evenly spaced in the octave [2^m, 2^(m+1)); all of it where it is small. Odd ones, so that rounding the
// position matters.
std::vector<std::int64_t> positions(int octave) {
  const std::int64_t first = std::int64_t{1} << octave;
  std::vector<std::int64_t> out;
  if (first <= samples)
    for (std::int64_t t = first; t < 2 * first; ++t) out.push_back(t);
  else
    for (std::int64_t n = 0; n < samples; ++n) out.push_back((first + n * first / samples) | 1);
  return out;
}

struct Curves {  // of one arithmetic
  Arithmetic arithmetic;
  std::vector<Worst> by_octave;        // of every position; shorter where positions overflow the format
  std::vector<double> bounds;          // at the end of each octave
  std::vector<double> ulps;            // 90th percentile of the cosines at the sampled positions
  std::map<int, std::int64_t> beyond;  // first position whose error is above 10^-n radians

  Worst worst() const {
    Worst out;
    for (const Worst& one : by_octave) out.join(one);
    return out;
  }
  // Below 2^n.
  std::string radians(std::size_t n) const {
    if (n > by_octave.size()) return "overflows";
    Worst out;
    for (std::size_t octave = 0; octave < n; ++octave) out.join(by_octave[octave]);
    return scientific(out.radians, 3);
  }
  std::string beyond_text(int n) const {
    return beyond.contains(n) ? std::string(whole(beyond.at(n))) : "none";
  }
};

struct Measured {
  std::vector<Curves> all;       // in the order of `arithmetics`
  long double oracle_and_exact;  // largest difference of a cosine

  const Curves& of(std::string_view name) const {
    return *std::find_if(all.begin(), all.end(),
                         [name](const Curves& one) { return one.arithmetic.name == name; });
  }
  bool within() const {
    return std::all_of(all.begin(), all.end(), [](const Curves& one) { return one.worst().use <= 1; });
  }
};

Curves curves(const Arithmetic& arithmetic) {
  const std::vector<long double> frequencies = arithmetic.frequencies();
  const EveryAngle angles(arithmetic);
  const std::array<std::pair<int, double>, 3> limits = {{{4, 1e-4}, {2, 1e-2}, {1, 1e-1}}};
  Curves out{arithmetic, {}, {}, {}, {}};
  for (int octave = 0; octave < octaves; ++octave) {
    const std::int64_t first = std::int64_t{1} << octave, last = std::min(2 * first - 1, arithmetic.largest);
    if (first > last) break;
    Worst worst;
    for (std::int64_t t = first; t <= last; ++t) {
      const Worst here = angles.at(t);
      worst.join(here);
      for (const auto& [n, limit] : limits)
        if (here.radians > limit) out.beyond.try_emplace(n, t);
    }
    out.by_octave.push_back(worst);
    out.bounds.push_back(angles.bound(last));
    std::vector<double> ulps;
    for (const std::int64_t t : positions(octave))
      if (t <= last) std::ranges::copy(ulps_of_cosines(arithmetic, frequencies, t), std::back_inserter(ulps));
    out.ulps.push_back(percentile(std::move(ulps)));
  }
  return out;
}

constexpr std::array<std::int64_t, 4> asked_of_the_oracle = {1, 4097, 131071, 1048575};

// Largest difference of a cosine between the oracle and long double, at these positions.
long double from_the_oracle() {
  const Encoding exact =
      encodings::rope.oracle(with(encodings::rope, Case::parse(fmt::format("dim={}", dim))));
  const auto& rotary = as<Rotary>(exact);
  const std::vector<long double>& w = frequencies();
  long double worst = 0;
  for (const std::int64_t position : asked_of_the_oracle) {
    Tensor ones({1, 1, 1, dim});
    for (const Pair& pair : rotary.pairs) ones.data[pair.first] = 1;
    const std::array<Position, 1> here = {position};
    const Tensor rotated = rotary.rotate(ones, here, Role::query);
    for (const Pair& pair : rotary.pairs)
      worst = std::max(worst, std::abs(static_cast<long double>(rotated.data[pair.first]) -
                                       std::cos(static_cast<long double>(position) * w[pair.index])));
  }
  return worst;
}

Measured measure() {
  Measured m{{}, from_the_oracle()};
  for (const Arithmetic& arithmetic : arithmetics) m.all.push_back(curves(arithmetic));
  for (const double ulps : m.of("f64").ulps)
    if (ulps > 0)
      throw std::logic_error("angles in f64 no longer give the same f32 cosines: the page says they do");
  if (m.of("f32").ulps.back() < 1000 * std::max(1.0, m.of("f32").ulps.front()))
    throw std::logic_error("with f32 angles the error of the cosine no longer grows: the page says it does");
  for (const Curves& of : m.all)
    for (std::size_t octave = 1; octave < of.by_octave.size(); ++octave)
      if (of.by_octave[octave].radians < 0.99 * of.by_octave[octave - 1].radians)
        throw std::logic_error(
            "the largest error of an angle falls with the position: the page says it grows");
  return m;
}

// One value for each octave, at its end.
Curve against_position(Curve curve, const std::vector<double>& values) {
  for (std::size_t octave = 0; octave < values.size(); ++octave)
    curve.points.emplace_back(std::ldexp(1.0, static_cast<int>(octave) + 1), values[octave]);
  return curve;
}

std::vector<double> radians_of(const Curves& of) {
  std::vector<double> out;
  for (const Worst& worst : of.by_octave) out.push_back(worst.radians);
  return out;
}

// `2^10`: the octave end from which on every octave has an error of pi, to a percent.
std::string flat_from(const Curves& of) {
  std::size_t n = of.by_octave.size();
  while (n > 0 && of.by_octave[n - 1].radians > 0.99 * static_cast<double>(pi)) --n;
  if (n == of.by_octave.size())
    throw std::logic_error(of.arithmetic.name + " does not reach pi: the page says it does");
  return fmt::format("2^{}", n + 1);
}

Plot angle_error(const Measured& m) {
  Plot plot{
      .name = "angle_error",
      .title = "The error of an angle grows with the position",
      .description = fmt::format(
          "Largest error of any angle in radians against the position, both on logarithmic axes, for angles formed in bf16, f16, f32 with iterated frequencies, f32 and f64. "
          "All grow in proportion to the position at first; bf16 is level from {} on and f16 from {} on, at the largest possible error, pi. "
          "Dashed lines show the error bound for bf16, f32 and f64; no curve crosses its own, and that of bf16 meets it at pi.",
          flat_from(m.of("bf16")), flat_from(m.of("f16"))),
      .x = {"position (end of the octave)", true, {{1, 1 << 20}}, 2},
      .y = {"error of the angle, radians; dashed: bound", true, {{1e-18, 10}}},
      .curves = {},
      .caption =
          "Width 128, base 10000: the largest error of all 64 pairs at every position of an octave, drawn at its end."};
  for (const Curves& of : m.all) {
    const std::string& name = of.arithmetic.name;
    plot.curves.push_back(against_position({name, {}}, radians_of(of)));
    if (name == "bf16" || name == "f32" || name == "f64")
      plot.curves.push_back(
          against_position({.label = "", .points = {}, .dashed = true, .name = name + ", bound"}, of.bounds));
  }
  return plot;
}

Plot cosine_error(const Measured& m) {
  Plot plot{
      .name = "cosine_error",
      .title = "Cosine error, 90th percentile: it grows with f32 angles and is 0 with f64 angles",
      .description =
          "90th percentile of the error of the cosine in ulps of f32, between the cosine of the formed angle and that of the exact angle, against the position; both axes logarithmic. "
          "f32 grows in proportion to the position; bf16 and f16 start higher by the bits they lack and level off where the angle is lost. "
          "f64 is left out: it is at 0.",
      .x = {"position (octave that ends there)", true, {{1, 1 << 20}}, 2},
      .y = {"90th percentile of the cosine error, in ulps of f32", true, {{0.5, 4e9}}},
      .curves = {},
      .caption =
          "Width 128, base 10000: all 64 pairs at every position to 127 and at 64 odd ones of each octave beyond, drawn at its end. Where the formed and the exact cosine differ in sign, nearly all f32 numbers from -1 to 1 lie between them, about 2e9: a jump of a curve to that height is a change of sign."};
  for (const Curves& of : m.all)
    if (of.arithmetic.bits < 53) plot.curves.push_back(against_position({of.arithmetic.name, {}}, of.ulps));
  return plot;
}

std::vector<Block> angles(const Measured& m) {
  Grid grid{
      .columns = {"angles in", "below 2^8", "below 2^12", "below 2^16", "below 2^20",
                  "beyond 0.0001 rad from", "beyond 0.01 rad from", "beyond 0.1 rad from"},
      .rows = {},
      .caption =
          "Largest error of an angle in radians, of every pair at every position below; then the first position at which some pair's error is larger."};
  for (const Curves& of : m.all)
    grid.rows.push_back({of.arithmetic.name, of.radians(8), of.radians(12), of.radians(16), of.radians(20),
                         of.beyond_text(4), of.beyond_text(2), of.beyond_text(1)});
  return {
      Paragraph{
          "A rotary angle is a product: position times frequency (Su et al. 2021, eq. 15). "
          "The product is rounded to the format in which it is formed, and so are the frequency and, where the format cannot hold it, the position before it: bf16 rounds positions from 257 on, f16 from 2,049 on. "
          "These roundings are *relative*, so the angle's error in radians grows with the position, whatever the format of the result. "
          "The number of bits, and how the frequencies are formed, decide up to which position the angle is accurate."},
      angle_error(m), grid,
      Paragraph{
          "`f32, iterated` forms each frequency from the one before, times a common ratio. "
          "The error of the ratio accumulates along the ladder; the pairs at its end rotate slowly, so the error of their angles is smaller than that of their frequencies suggests."}};
}

std::vector<Block> cosines(const Measured& m) {
  return {
      Section{"The error of the result"},
      Paragraph{
          "The cosine of the formed angle, rounded to f32, is compared with the cosine of the exact angle; the error is counted in ulps of f32. "
          "Up to 127 every position is taken; beyond, a sample of 64 odd ones in each octave. "
          "In each octave the 90th percentile with f64 angles is no error at all."},
      cosine_error(m)};
}

std::vector<Block> bounds(const Measured& m) {
  Grid grid{
      .columns = {"angles in", "largest error / bound", "largest error, radians", "first at position"},
      .rows = {},
      .caption =
          "Of every pair at every position below 2^20, in f16 up to 65,504. "
          "At 1 the error would equal the bound. "
          "In the first column angles whose bound has reached pi, half a rotation, are left out: their error cannot exceed it."};
  for (const Curves& of : m.all)
    grid.rows.push_back({of.arithmetic.name, fixed(of.worst().use, 3), scientific(of.worst().radians, 3),
                         whole(of.worst().position)});
  return {
      Section{"Do the errors stay below the bound?"},
      Paragraph{
          "The suite's error bound for the angle of pair `i` is `|t| w (6 + 3 |ln w|) u`, and `3i` more inside the parentheses for an iterated ladder, where `u` is half the distance from 1 to the next number. "
          "It covers a frequency whose power is not correctly rounded; everything measured here has to stay below it."},
      grid,
      Paragraph{bounded(
          "The long double cosines serve as the exact ones above. "
          "Those of the suite's oracle, in multiprecision and rounded once to f64, differ from them by {} at most at the positions {}, {}, {} and {}.",
          scientific_up(m.oracle_and_exact, 2), whole(asked_of_the_oracle[0]), whole(asked_of_the_oracle[1]),
          whole(asked_of_the_oracle[2]), whole(asked_of_the_oracle[3]))}};
}

std::string answer(const Measured& m) {
  return fmt::format(
      "An angle in bf16 is off by more than 0.01 rad at position {} already, and one in f16 at {}. "
      "Angles in f32, with frequencies rounded once, are first off by more than 0.0001 rad at position {}, and by more than 0.01 rad at {} ({} and {} with iterated frequencies); beyond, form them in f64. "
      "{} arithmetic here stays within the suite's error bound.",
      m.of("bf16").beyond_text(2), m.of("f16").beyond_text(2), m.of("f32").beyond_text(4),
      m.of("f32").beyond_text(2), m.of("f32, iterated").beyond_text(4), m.of("f32, iterated").beyond_text(2),
      m.within() ? "Every" : "Not every");
}

Document run() {
  const Measured m = measure();
  return {
      .title = "RoPE's error by position",
      .finding = fmt::format(
          "At width {} and base 10000 the largest error of an angle below position 2^20 is {} rad in f32 where the frequencies are rounded once, {} rad where they are iterated, and {} rad in f64; in bf16 an angle is off by more than 0.1 rad at position {} already.",
          dim, fixed(m.of("f32").worst().radians, 4), fixed(m.of("f32, iterated").worst().radians, 4),
          m.of("f64").radians(octaves), m.of("bf16").beyond_text(1)),
      .condition = fmt::format(
          "Width {}, base 10000, all {} pairs; every position from 1 to 2^20 - 1, in f16 to 65,504 (of the cosines every one to 127, and {} odd ones in each octave beyond); frequencies rounded once from the exact ones (a less accurate power adds to this), but for `f32, iterated`.",
          dim, dim / 2, samples),
      .blocks = joined({angles(m),
                        cosines(m),
                        bounds(m),
                        {PageVerdict{answer(m)}},
                        experiments::references({experiments::su_2021})})};
}

}  // namespace

const Experiment entry{
    .question = "Up to which position is a rotary angle accurate, in which number format?",
    .method =
        "Form every angle as an implementation would, in each format, and compare angle and cosine with the exact ones; draw the suite's error bound beside them.",
    .run = &run,
    .asked_by = Asker::numerics,
};

}  // namespace posproof::experiments_rope_error_by_position
