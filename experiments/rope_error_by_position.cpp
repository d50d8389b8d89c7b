#include <boost/math/special_functions/next.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <stdexcept>

#include "catalogue/encodings.h"
#include "catalogue/experiments.h"
#include "core/error.h"
#include "measure.h"

namespace posproof {
namespace {

using namespace document;
using experiments::ladder;
using experiments::whole;

constexpr std::size_t dim = 128;
constexpr int octaves = 20;           // positions from 1 to 2^20
constexpr std::int64_t samples = 64;  // positions in each octave [2^m, 2^(m+1))
constexpr long double pi = 3.141592653589793238462643383279502884L;

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
  double bound = 0, use = 0;          // radians, and the largest share of the allowance that any pair used
  std::vector<long double> ulp = {};  // of every cosine: how many f32 numbers away from the exact one

  void join(const Worst& other) {
    radians = std::max(radians, other.radians);
    cosine = std::max(cosine, other.cosine);
    bound = std::max(bound, other.bound);
    use = std::max(use, other.use);
    ulp.insert(ulp.end(), other.ulp.begin(), other.ulp.end());
  }

  // Nine of ten cosines are at most that far off. (The largest counts come from zeros of the cosine, where
  // the f32 numbers are dense, and say little.)
  long double most_of_ulp() const {
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
    const bool telling = bound < static_cast<double>(pi);
    worst.join({error,
                std::abs(got - right),
                bound,
                telling ? static_cast<double>(error) / bound : 0,
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

struct Measured {
  std::vector<Worst> by_octave;
  std::map<int, std::int64_t> beyond;  // first sampled position whose error is above 10^-n radians
};

Measured measure(const Arithmetic& arithmetic) {
  const std::vector<long double> frequency_error = arithmetic.frequencies();
  Measured out;
  for (int octave = 0; octave < octaves; ++octave) {
    Worst worst;
    for (const std::int64_t t : positions(octave)) {
      if (t > arithmetic.largest) continue;
      const Worst here = at(arithmetic, frequency_error, t);
      worst.join(here);
      for (const int n : {4, 2, 1})
        if (here.radians > std::pow(10.0L, -static_cast<long double>(n)) && !out.beyond.contains(n))
          out.beyond[n] = t;
    }
    if ((std::int64_t{1} << octave) <= arithmetic.largest) out.by_octave.push_back(worst);
  }
  return out;
}

// The exact encoding of the project says the same as long double does: the largest difference of a cosine.
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

Document run() {
  std::vector<Measured> all;
  for (const Arithmetic& arithmetic : arithmetics) all.push_back(measure(arithmetic));

  Plot radians{
      .name = "angle_error",
      .title = "The error of an angle grows with the position",
      .description =
          "Largest error of any angle in radians against the position, both on logarithmic axes, for angles "
          "formed in bf16, f16, f32 with iterated frequencies, f32 and f64. All grow in proportion to "
          "the position; bf16 and f16 reach the largest possible error, pi. Dashed lines show what the "
          "suite allows for bf16, f32 and f64; each lies above its curve.",
      .x = {"position (largest over each octave)", true, {{1, 1 << 20}}, 2},
      .y = {"error of the angle, radians; dashed: allowed", true, {{1e-18, 10}}},
      .curves = {}};
  Plot cosine = radians;
  cosine.name = "cosine_error";
  cosine.title = "What is left of the cosine, counted in f32 numbers";
  cosine.description =
      "How many f32 numbers lie between the cosine of the formed angle and the cosine of the exact angle, "
      "for nine of ten "
      "cosines at most, against the position; both axes logarithmic. f32 grows in proportion to the "
      "position; bf16 and f16 "
      "start higher by the bits they lack and level off where the angle is lost. f64 is left out: it is at "
      "0.";
  cosine.x.label = "position (octave that ends there)";
  cosine.y = {"f32 numbers between right and wrong cosine, nine of ten at most", true, {{0.5, 4e9}}};
  for (std::size_t a = 0; a < arithmetics.size(); ++a) {
    Curve error{arithmetics[a].name, {}}, ulp{arithmetics[a].name, {}};
    Curve bound{.label = "", .points = {}, .dashed = true, .name = arithmetics[a].name + ", allowed"};
    for (std::size_t octave = 0; octave < all[a].by_octave.size(); ++octave) {
      const double position = std::ldexp(1.0, static_cast<int>(octave) + 1);
      const Worst& worst = all[a].by_octave[octave];
      error.points.emplace_back(position, static_cast<double>(worst.radians));
      ulp.points.emplace_back(position, static_cast<double>(worst.most_of_ulp()));
      bound.points.emplace_back(position, worst.bound);
    }
    radians.curves.push_back(error);
    if (arithmetics[a].bits < 53) cosine.curves.push_back(ulp);
    if (a == 0 || a >= 3) radians.curves.push_back(bound);
  }

  Grid table{.columns = {"angles in", "below 2^8", "below 2^12", "below 2^16", "below 2^20",
                         "beyond 0.0001 rad from", "beyond 0.01 rad from", "beyond 0.1 rad from"},
             .rows = {},
             .caption =
                 "Largest error of an angle, radians, over the octave that ends there; then the first "
                 "sampled position "
                 "with a larger error."};
  Grid use{.columns = {"angles in", "largest share of the allowance used",
                       "largest error of a cosine, below 2^20"},
           .rows = {},
           .caption =
               "1 would be the edge of what rounding may do. Angles whose allowance has reached pi, half a "
               "turn, are "
               "left out: there nothing could be wrong."};
  bool within = true;
  for (std::size_t a = 0; a < arithmetics.size(); ++a) {
    const auto& octave = all[a].by_octave;
    const auto error = [&](std::size_t m) {
      return m <= octave.size() ? scientific(octave[m - 1].radians, 2) : std::string("overflows");
    };
    const auto beyond = [&](int n) {
      return all[a].beyond.contains(n) ? whole(all[a].beyond.at(n)) : std::string("none");
    };
    table.rows.push_back(
        {arithmetics[a].name, error(8), error(12), error(16), error(20), beyond(4), beyond(2), beyond(1)});
    double share = 0;
    for (const Worst& worst : octave) share = std::max(share, worst.use);
    within = within && share <= 1;
    use.rows.push_back(
        {arithmetics[a].name, fixed(share, 3),
         octave.size() == octaves ? scientific(octave.back().cosine, 2) : std::string("overflows")});
  }
  const auto& bf16 = all[0];
  const auto& single = all[3];
  const auto& twice = all[4];
  if (std::any_of(twice.by_octave.begin(), twice.by_octave.end(),
                  [](const Worst& w) { return w.most_of_ulp() > 0; }))
    throw std::logic_error("angles in f64 no longer give the same f32 cosines: the text says they do");
  return {
      .title = "RoPE's error by position",
      .finding = fmt::format(
          "Angles in f32 are off by up to {} rad just below position 2^20, angles in f64 by {}; in bf16 "
          "an angle is off by more than 0.1 rad at position {} already.",
          fixed(single.by_octave.back().radians, 3), scientific(twice.by_octave.back().radians, 2),
          whole(bf16.beyond.at(1))),
      .condition = fmt::format(
          "Width {}, base 10000, {} frequencies; {} positions in each octave to 2^20; frequencies rounded "
          "once "
          "from the exact ones (a power that is worse adds to this); exact values in long double.",
          dim, dim / 2, samples),
      .blocks = {
          Paragraph{"A rotary angle is a product: position times frequency. The product is rounded to the "
                    "format in which it "
                    "is formed, and so is the frequency before it. Both roundings are *relative*, so the "
                    "angle's error in "
                    "radians grows with the position, whatever the format of the result. Only the number of "
                    "bits decides "
                    "how far it is good."},
          radians,
          table,
          Paragraph{"`f32, iterated` forms each frequency from the one before, times a common ratio. The "
                    "error of the ratio "
                    "adds up along the ladder; the slow pairs at its end turn little, so the loss shows less "
                    "than its size."},
          Section{"What it does to the result"},
          Paragraph{"The cosine of a wrong angle, rounded to f32, against the cosine of the exact angle: "
                    "how many f32 numbers "
                    "lie between. f64 angles give the same f32 cosine in nine of ten cases at every "
                    "position shown."},
          cosine,
          Section{"Is the allowance an allowance?"},
          Paragraph{
              "The suite allows the angle of pair `i` an error of `|t| w (6 + 3 |ln w| + 2i) u`, and `3i` in "
              "place of `2i` "
              "for an iterated ladder, where `u` is half the distance from 1 to the next number. It covers a "
              "frequency "
              "formed by a power that is less than perfect; everything measured here has to stay below it."},
          use,
          Paragraph{fmt::format("The same cosines from the suite's oracle, in multiprecision and rounded "
                                "once to f64, differ from "
                                "the long double ones, which stand for the exact ones above, by {} at most.",
                                scientific(from_the_oracle(), 1))},
          Verdict{fmt::format(
              "Angles in bf16 or f16 are wrong from the first few positions on. Angles in f32 are good to "
              "0.0001 rad up to position {}, and to 0.01 rad up to {}; beyond, form them in f64. {} "
              "arithmetic "
              "here {} within what the suite allows it.",
              whole(single.beyond.at(4)), whole(single.beyond.at(2)), within ? "Every" : "Not every",
              within ? "stays" : "does not stay")},
      }};
}

}  // namespace

const Experiment experiments::rope_error_by_position{
    .question = "Up to which position is a rotary angle right, in which number format?",
    .method =
        "Form every angle as an implementation would, in each format, and compare angle and cosine with the "
        "exact ones; draw "
        "the suite's allowance beside them.",
    .run = &run,
};

}  // namespace posproof
