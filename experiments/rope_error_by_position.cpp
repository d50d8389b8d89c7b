#include <boost/math/special_functions/next.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <stdexcept>

#include "catalogue/encodings/rope.h"
#include "catalogue/experiments/rope_error_by_position.h"
#include "core/error.h"
#include "measure.h"

namespace posproof {
namespace {

using namespace document;
using experiments::joined;
using experiments::ladder;
using experiments::two_pi;
using experiments::whole;

constexpr std::size_t dim = 128;
constexpr int octaves = 20;           // positions from 1 to 2^20
constexpr std::int64_t samples = 64;  // positions in each octave [2^m, 2^(m+1))
constexpr long double pi = two_pi / 2;

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
    std::vector<long double> w = ladder(dim);
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

// How far two angles are apart on the circle, radians: at most pi.
long double apart(long double a, long double b) {
  return std::abs(std::remainder(a - b, 2 * pi));
}

struct Worst {
  long double radians = 0, cosine = 0;
  double bound = 0, use = 0;          // radians, and the largest share of the bound that any pair used
  std::vector<long double> ulp = {};  // of every cosine: how many f32 numbers away from the exact one

  void join(const Worst& other) {
    radians = std::max(radians, other.radians);
    cosine = std::max(cosine, other.cosine);
    bound = std::max(bound, other.bound);
    use = std::max(use, other.use);
    ulp.insert(ulp.end(), other.ulp.begin(), other.ulp.end());
  }

  // The 90th percentile. (The largest counts come from zeros of the cosine, where the f32 numbers are dense,
  // and say little.)
  long double percentile_of_ulp() const {
    std::vector<long double> sorted = ulp;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() * 9 / 10];
  }
};

// Over all pairs, at one position.
Worst at(const Arithmetic& arithmetic, const std::vector<long double>& frequency_error,
         std::int64_t position) {
  static const std::vector<long double> exact = ladder(dim);
  const auto t = static_cast<long double>(position);
  Worst worst;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const long double angle = rounded(rounded(t, arithmetic.bits) * frequency_error[i], arithmetic.bits);
    const long double error = apart(angle, t * exact[i]);
    const long double got = std::cos(angle), right = std::cos(t * exact[i]);
    const float ulps = boost::math::float_distance(static_cast<float>(got), static_cast<float>(right));
    const Pair pair{2 * i, 2 * i + 1, static_cast<double>(exact[i]), i};
    const double bound = angle_error(arithmetic.precision(), static_cast<double>(position), pair);
    const bool informative = bound < static_cast<double>(pi);
    worst.join({error,
                std::abs(got - right),
                bound,
                informative ? static_cast<double>(error) / bound : 0,
                {std::abs(static_cast<long double>(ulps))}});
  }
  return worst;
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
  std::vector<Worst> by_octave;        // shorter where positions overflow the format
  std::map<int, std::int64_t> beyond;  // first sampled position whose error is above 10^-n radians

  double largest_use() const {
    double out = 0;
    for (const Worst& worst : by_octave) out = std::max(out, worst.use);
    return out;
  }
  std::string radians(std::size_t octave) const {
    return octave <= by_octave.size() ? scientific(by_octave[octave - 1].radians, 2) : "overflows";
  }
  std::string beyond_text(int n) const { return beyond.contains(n) ? whole(beyond.at(n)) : "none"; }
};

struct Measured {
  std::vector<Curves> all;       // in the order of `arithmetics`
  long double oracle_and_exact;  // largest difference of a cosine

  const Curves& of(std::string_view name) const {
    return *std::find_if(all.begin(), all.end(),
                         [name](const Curves& one) { return one.arithmetic.name == name; });
  }
  bool within() const {
    return std::all_of(all.begin(), all.end(), [](const Curves& one) { return one.largest_use() <= 1; });
  }
};

Curves curves(const Arithmetic& arithmetic) {
  const std::vector<long double> frequencies = arithmetic.frequencies();
  Curves out{arithmetic, {}, {}};
  for (int octave = 0; octave < octaves; ++octave) {
    Worst worst;
    for (const std::int64_t t : positions(octave)) {
      if (t > arithmetic.largest) continue;
      const Worst here = at(arithmetic, frequencies, t);
      worst.join(here);
      for (const int n : {4, 2, 1})
        if (here.radians > std::pow(10.0L, -static_cast<long double>(n)) && !out.beyond.contains(n))
          out.beyond[n] = t;
    }
    if ((std::int64_t{1} << octave) <= arithmetic.largest) out.by_octave.push_back(worst);
  }
  return out;
}

// Largest difference of a cosine between the oracle and long double.
long double from_the_oracle() {
  const Encoding exact =
      encodings::rope.oracle(with(encodings::rope, Case::parse(fmt::format("dim={}", dim))));
  const auto& rotary = std::get<Rotary>(exact);
  const std::vector<long double> w = ladder(dim);
  long double worst = 0;
  for (const std::int64_t position :
       {std::int64_t{1}, std::int64_t{4097}, std::int64_t{131071}, std::int64_t{1048575}}) {
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
  for (const Worst& worst : m.of("f64").by_octave)
    if (worst.percentile_of_ulp() > 0)
      throw std::logic_error("angles in f64 no longer give the same f32 cosines: the page says they do");
  return m;
}

template <class Value>
Curve against_position(const Curves& of, Curve curve, Value value) {
  for (std::size_t octave = 0; octave < of.by_octave.size(); ++octave)
    curve.points.emplace_back(std::ldexp(1.0, static_cast<int>(octave) + 1),
                              static_cast<double>(value(of.by_octave[octave])));
  return curve;
}

Plot angle_error(const Measured& m) {
  Plot plot{
      .name = "angle_error",
      .title = "The error of an angle grows with the position",
      .description =
          "Largest error of any angle in radians against the position, both on logarithmic axes, for angles formed in bf16, f16, f32 with iterated frequencies, f32 and f64. "
          "All grow in proportion to the position; bf16 and f16 reach the largest possible error, pi. "
          "Dashed lines show the error bound for bf16, f32 and f64; each lies above its curve.",
      .x = {"position (largest over each octave)", true, {{1, 1 << 20}}, 2},
      .y = {"error of the angle, radians; dashed: bound", true, {{1e-18, 10}}},
      .curves = {}};
  for (const Curves& of : m.all) {
    const std::string& name = of.arithmetic.name;
    plot.curves.push_back(against_position(of, {name, {}}, [](const Worst& worst) { return worst.radians; }));
    if (name == "bf16" || name == "f32" || name == "f64")
      plot.curves.push_back(
          against_position(of, {.label = "", .points = {}, .dashed = true, .name = name + ", bound"},
                           [](const Worst& worst) { return worst.bound; }));
  }
  return plot;
}

Plot cosine_error(const Measured& m) {
  Plot plot{
      .name = "cosine_error",
      .title = "Error of the cosine, in ulps of f32",
      .description =
          "90th percentile of the error of the cosine in ulps of f32, between the cosine of the formed angle and that of the exact angle, against the position; both axes logarithmic. "
          "f32 grows in proportion to the position; bf16 and f16 start higher by the bits they lack and level off where the angle is lost. "
          "f64 is left out: it is at 0.",
      .x = {"position (octave that ends there)", true, {{1, 1 << 20}}, 2},
      .y = {"90th percentile of the cosine error, in ulps of f32", true, {{0.5, 4e9}}},
      .curves = {}};
  for (const Curves& of : m.all)
    if (of.arithmetic.bits < 53)
      plot.curves.push_back(against_position(of, {of.arithmetic.name, {}},
                                             [](const Worst& worst) { return worst.percentile_of_ulp(); }));
  return plot;
}

std::vector<Block> angles(const Measured& m) {
  Grid grid{
      .columns = {"angles in", "below 2^8", "below 2^12", "below 2^16", "below 2^20",
                  "beyond 0.0001 rad from", "beyond 0.01 rad from", "beyond 0.1 rad from"},
      .rows = {},
      .caption =
          "Largest error of an angle, radians, over the octave that ends there; then the first sampled position with a larger error."};
  for (const Curves& of : m.all)
    grid.rows.push_back({of.arithmetic.name, of.radians(8), of.radians(12), of.radians(16), of.radians(20),
                         of.beyond_text(4), of.beyond_text(2), of.beyond_text(1)});
  return {
      Paragraph{
          "A rotary angle is a product: position times frequency. "
          "The product is rounded to the format in which it is formed, and so is the frequency before it. "
          "Both roundings are *relative*, so the angle's error in radians grows with the position, whatever the format of the result. "
          "The number of bits alone decides up to which position the angle is accurate."},
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
          "At every position shown, the 90th percentile with f64 angles is no error at all."},
      cosine_error(m)};
}

std::vector<Block> bounds(const Measured& m) {
  Grid grid{
      .columns = {"angles in", "largest error / bound", "largest error of a cosine, below 2^20"},
      .rows = {},
      .caption =
          "At 1 the error would equal the bound. "
          "Angles whose bound has reached pi, half a rotation, are left out: their error cannot exceed it."};
  for (const Curves& of : m.all)
    grid.rows.push_back(
        {of.arithmetic.name, fixed(of.largest_use(), 3),
         of.by_octave.size() == octaves ? scientific(of.by_octave.back().cosine, 2) : "overflows"});
  return {
      Section{"Do the errors stay below the bound?"},
      Paragraph{
          "The suite's error bound for the angle of pair `i` is `|t| w (6 + 3 |ln w|) u`, and `3i` more inside the parentheses for an iterated ladder, where `u` is half the distance from 1 to the next number. "
          "It covers a frequency whose power is not correctly rounded; everything measured here has to stay below it."},
      grid,
      Paragraph{fmt::format(
          "The long double cosines serve as the exact ones above. "
          "Those of the suite's oracle, in multiprecision and rounded once to f64, differ from them by {} at most.",
          scientific(m.oracle_and_exact, 1))}};
}

std::string answer(const Measured& m) {
  return fmt::format(
      "Angles in bf16 or f16 are wrong from the first few positions on. "
      "Angles in f32 are accurate to 0.0001 rad up to position {}, and to 0.01 rad up to {}; beyond, form them in f64. "
      "{} arithmetic here stays within the suite's error bound.",
      m.of("f32").beyond_text(4), m.of("f32").beyond_text(2), m.within() ? "Every" : "Not every");
}

Document run() {
  const Measured m = measure();
  return {
      .title = "RoPE's error by position",
      .finding = fmt::format(
          "Angles in f32 are off by up to {} rad just below position 2^20, angles in f64 by {}; in bf16 an angle is off by more than 0.1 rad at position {} already.",
          fixed(m.of("f32").by_octave.back().radians, 3), m.of("f64").radians(octaves),
          m.of("bf16").beyond_text(1)),
      .condition = fmt::format(
          "Width {}, base 10000, {} frequencies; {} positions in each octave to 2^20; frequencies rounded once from the exact ones (a less accurate power adds to this); exact values in long double.",
          dim, dim / 2, samples),
      .blocks = joined({angles(m), cosines(m), bounds(m), {Verdict{answer(m)}}})};
}

}  // namespace

const Experiment experiments::rope_error_by_position{
    .question = "Up to which position is a rotary angle accurate, in which number format?",
    .method =
        "Form every angle as an implementation would, in each format, and compare angle and cosine with the exact ones; draw the suite's error bound beside them.",
    .run = &run,
};

}  // namespace posproof
