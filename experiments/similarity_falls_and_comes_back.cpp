#include <algorithm>
#include <cmath>

#include "catalogue/experiments/similarity_falls_and_comes_back.h"
#include "measure.h"
#include "similarities.h"

namespace posproof {
namespace {

using namespace document;
using experiments::expectations;
using experiments::joined;
using experiments::similarities;
using experiments::whole;
using experiments::whole_or_none;

constexpr int octaves = 20;
constexpr Position farthest = (Position{1} << octaves) - 1;

// One ladder's kernel, as shares of what it is at offset 0.
struct Kernel {
  std::string name, words;
  std::size_t dim;
  std::vector<double> share;

  double operator[](Position k) const { return share[static_cast<std::size_t>(k)]; }
};

Kernel kernel(std::string name, std::size_t dim, const std::string& words) {
  Kernel out{std::move(name), fmt::format("dim={} {}", dim, words), dim, {}};
  out.share = similarities(out.words, farthest);
  const double all = out.share[0];  // the number of frequencies, exactly; a power of two here
  for (double& x : out.share) x /= all;
  return out;
}

struct Extremes {  // over some offsets
  Position lowest, highest;
  double root_mean_square;
};

Extremes extremes(const Kernel& g, Position first, Position last) {
  Extremes out{first, first, 0};
  double squares = 0;
  for (Position k = first; k <= last; ++k) {
    if (g[k] < g[out.lowest]) out.lowest = k;
    if (g[k] > g[out.highest]) out.highest = k;
    squares += g[k] * g[k];
  }
  out.root_mean_square = std::sqrt(squares / static_cast<double>(last - first + 1));
  return out;
}

template <class Is>
Position first_that(const Kernel& g, Is is) {
  for (Position k = 1; k <= farthest; ++k)
    if (is(g[k])) return k;
  return 0;
}

struct Octave {  // of offsets: [first, 2 first)
  Position first;
  double largest, smallest, root_mean_square;
};

struct Measured {  // of one ladder; similarities as shares of that at offset 0
  std::string name;
  std::size_t dim;
  Position first_negative = 0, first_rise = 0;  // offsets; 0: none below 2^20
  Position lowest_at = 0, highest_at = 0;       // of all offsets
  Position beyond_at = 0,
           as_offset = 0;  // the highest beyond 2^16, and the first offset that is no more similar
  double lowest = 0, beyond = 0;
  double lowest_after = 0, highest_after = 0;  // from the first negative on
  double first_negative_value = 0;
  std::vector<Octave> octaves = {};
};

Measured measured(const std::string& name, std::size_t dim, const std::string& words) {
  const Kernel g = kernel(name, dim, words);
  const Extremes all = extremes(g, 1, farthest), beyond = extremes(g, Position{1} << 16, farthest);
  Measured m{.name = name, .dim = dim};
  m.first_negative = first_that(g, [](double x) { return x < 0; });
  for (Position k = farthest; k >= 1; --k)
    if (g[k] > g[k - 1]) m.first_rise = k;
  m.lowest_at = all.lowest;
  m.highest_at = all.highest;
  m.lowest = g[all.lowest];
  m.beyond_at = beyond.highest;
  m.beyond = g[beyond.highest];
  m.as_offset = first_that(g, [&](double x) { return x <= m.beyond; });
  const Extremes after = extremes(g, m.first_negative, farthest);
  m.lowest_after = g[after.lowest];
  m.highest_after = g[after.highest];
  m.first_negative_value = g[m.first_negative];
  for (int octave = 0; octave < octaves; ++octave) {
    const Position first = Position{1} << octave;
    const Extremes of = extremes(g, first, 2 * first - 1);
    m.octaves.push_back({first, g[of.highest], g[of.lowest], of.root_mean_square});
  }
  return m;
}

using Ladders = std::vector<Measured>;

Ladders measure() {
  Ladders out;
  for (const auto& [name, words] :
       {std::pair{"base 10000", "base=10000"}, std::pair{"base 500000", "base=500000"},
        std::pair{"base 1000000", "base=1000000"},
        std::pair{"base 10000, released code", "divisor=half_minus_one"}})
    for (const std::size_t dim : {64u, 128u}) out.push_back(measured(name, dim, words));
  return out;
}

const Measured& of(const Ladders& all, std::string_view name, std::size_t dim) {
  return *std::find_if(all.begin(), all.end(),
                       [&](const Measured& one) { return one.name == name && one.dim == dim; });
}

Curve by_octave(const Measured& m, const std::string& label, double Octave::*value) {
  Curve curve{label, {}};
  for (const Octave& octave : m.octaves)
    curve.points.emplace_back(static_cast<double>(2 * octave.first), octave.*value);
  return curve;
}

const std::pair<double, double> reach = {2, static_cast<double>(farthest + 1)};
const Curve zero{
    .label = "", .points = {{reach.first, 0}, {reach.second, 0}}, .dashed = true, .name = "zero"};

Plot by_width(const Ladders& all) {
  const Measured &narrow = of(all, "base 10000", 64), &wide = of(all, "base 10000", 128);
  return {
      .name = "envelope_by_width",
      .title = "Similarity falls to noise, and the extremes of the noise grow with the length",
      .description =
          "Largest and smallest similarity in each octave of offsets, as a share of that at offset 0, for widths 64 and 128 and base 10000, against the end of the octave, logarithmic. "
          "Both fall from 1; the smallest crosses 0 near a thousand and goes on to about -0.5 for width 64 and -0.37 for width 128; the largest stops falling near ten thousand and rises again, to 0.56 and 0.38.",
      .x = {"end of the octave of offsets, positions", true, {reach}, 2},
      .y = {"largest and smallest g(k) / g(0) in each octave", false, {{-0.6, 1}}},
      .curves = {by_octave(narrow, "width 64, largest", &Octave::largest),
                 by_octave(wide, "width 128, largest", &Octave::largest),
                 by_octave(narrow, "width 64, smallest", &Octave::smallest),
                 by_octave(wide, "width 128, smallest", &Octave::smallest), zero}};
}

Plot by_base(const Ladders& all) {
  return {
      .name = "smallest_by_base",
      .title = "With a base fifty times as large the first zero comes later, and the minimum is as low",
      .description =
          "Smallest similarity in each octave of offsets, as a share of that at offset 0, for width 128 and the bases 10000 and 500000, against the end of the octave, logarithmic. "
          "That of base 10000 falls through 0 near two thousand, that of base 500000 near twenty thousand; both end near -0.37.",
      .x = {"end of the octave of offsets, positions", true, {reach}, 2},
      .y = {"smallest g(k) / g(0) in each octave", false, {{-0.6, 1}}},
      .curves = {by_octave(of(all, "base 10000", 128), "base 10000", &Octave::smallest),
                 by_octave(of(all, "base 500000", 128), "base 500000", &Octave::smallest), zero}};
}

std::vector<Block> extremes_of(const Ladders& all) {
  Grid grid{
      .columns = {"ladder", "width", "first negative at k", "lowest", "at k", "highest beyond 2^16", "at k",
                  "as offset"},
      .rows = {},
      .caption = "Shares of g(0), over all k below 2^20. As offset: the first k that is no more similar."};
  for (const Measured& m : all)
    grid.rows.push_back({m.name, std::to_string(m.dim), whole_or_none(m.first_negative), fixed(m.lowest, 4),
                         whole(m.lowest_at), fixed(m.beyond, 4), whole(m.beyond_at), whole(m.as_offset)});
  const auto negative = [&](std::string_view name, std::size_t dim) {
    return whole(of(all, name, dim).first_negative);
  };
  return {
      Paragraph{
          "RoPE rotates queries and keys by the frequencies of the sinusoidal encoding, so the same kernel `g(k) = Σ cos(k w_i)` gives the effect of the position in both: it is the dot product of two rows, and the logit of two tokens that give every pair the same weight. "
          "Su et al. 2021, section 3.4.3, claim *long-term decay* for it; what they show to fall is a bound, not the kernel. "
          "The statement that no logit rises with the distance (`score/decays_with_distance`) fails for both, on record, at an offset of 6. "
          "This page shows what holds instead, over all offsets below 2^20, none left out."},
      by_width(all),
      Section{"Minimum and maximum"},
      grid,
      Paragraph{fmt::format(
          "In the released code the divisor is such that the slowest pair has the whole wavelength of 10000 · 2π. "
          "No kernel stays positive. "
          "At width 128 the first negative value comes at {} for base 10000, at {} for base 500000 and at {} for base 1000000: in that sense a larger base extends similarity farther. "
          "This is not a rule: at width 64 base 500000 is negative first at {} and base 1000000 at {}.",
          negative("base 10000", 128), negative("base 500000", 128), negative("base 1000000", 128),
          negative("base 500000", 64), negative("base 1000000", 64))},
      by_base(all)};
}

std::vector<Block> octaves_of(const Ladders& all) {
  Grid grid{.columns = {"offsets from", "largest", "smallest", "root mean square", "largest, base 500000",
                        "smallest", "root mean square"},
            .rows = {},
            .caption = fmt::format("Width 128. One over the root of the width is {}.",
                                   fixed(1 / std::sqrt(128.0L), 4))};
  for (std::size_t n = 0; n < static_cast<std::size_t>(octaves); ++n) {
    std::vector<std::string> row = {whole(Position{1} << n)};
    for (const char* base : {"base 10000", "base 500000"}) {
      const Octave& octave = of(all, base, 128).octaves[n];
      row.insert(row.end(),
                 {fixed(octave.largest, 4), fixed(octave.smallest, 4), fixed(octave.root_mean_square, 4)});
    }
    grid.rows.push_back(row);
  }
  return {
      Section{"Octave by octave"}, grid,
      Paragraph{
          "Until the slowest pairs have made a rotation, the kernel falls by about the same amount in every octave: in each octave one more group of pairs, as large as the last, begins to rotate. "
          "When all pairs have made a rotation, the cosines have no common order left. "
          "Their sum has mean 0 and, as a share of the number of pairs, a root mean square of one over the root of the width. "
          "It does not fall further; its extremes grow, because over a longer range more pairs agree by chance (the nearest such offsets are in [every position is its own](every_position_is_its_own.md)). "
          "Base 500000 has not reached that state at 2^20: its slowest pair needs two and a half million positions for a rotation."}};
}

std::vector<Block> derived(const Ladders& all) {
  const Measured &narrow = of(all, "base 10000", 64), &wide = of(all, "base 10000", 128);
  return expectations({
      {"widths 64 and 128: first rise", "6 and 12",
       fmt::format("{} and {}", whole_or_none(narrow.first_rise), whole_or_none(wide.first_rise))},
      {"widths 64 and 128: offset of the largest value but the first", "1 and 1",
       fmt::format("{} and {}", whole(narrow.highest_at), whole(wide.highest_at))},
      {"does the kernel decay for all offsets below 2^20?", "no",
       wide.beyond > wide.first_negative_value ? "no" : "yes"},
  });
}

std::string finding(const Ladders& all) {
  const Measured& narrow = of(all, "base 10000", 64);
  return fmt::format(
      "The kernel falls to noise within one rotation of its slowest pair and then rises again: at base 10000 and width 64, tokens {} apart are at least as similar as tokens {} apart, and at width 128 it falls to {} of its value at 0.",
      whole(narrow.beyond_at), whole(narrow.as_offset), fixed(of(all, "base 10000", 128).lowest, 3));
}

std::string answer(const Measured& wide) {
  return fmt::format(
      "Similarity falls, as a trend, until it is 0, first at offset {} at width 128 and base 10000. "
      "Beyond, up to 2^20, it lies between {} and {} of its value at 0 and does not decay: the similarity of far tokens is not low but arbitrary.",
      whole(wide.first_negative), fixed(wide.lowest_after, 3), fixed(wide.highest_after, 3));
}

Document run() {
  const Ladders all = measure();
  return {
      .title = "Similarity falls, and comes back",
      .finding = finding(all),
      .condition =
          "Sum of cosines over the ladder, as a share of its value at offset 0: the dot product of two sinusoidal rows, and the logit of a query and a key that are (1, 0) in every pair under RoPE; every offset below 2^20, rounded once from the exact numbers to f64.",
      .blocks = joined(
          {extremes_of(all), octaves_of(all), derived(all), {Verdict{answer(of(all, "base 10000", 128))}}})};
}

}  // namespace

const Experiment experiments::similarity_falls_and_comes_back{
    .question =
        "Does the similarity that sinusoidal rows and RoPE give to far tokens decay with the distance, and how far does it fall?",
    .method =
        "The sum of cosines of every offset below 2^20, correctly rounded: its extremes by octave, where it first is negative, and how high it rises afterwards.",
    .run = &run,
};

}  // namespace posproof
