#include <algorithm>
#include <cmath>

#include "catalogue/experiments/similarity_falls_and_comes_back.h"
#include "core/bounded.h"
#include "core/bounds.h"
#include "measure.h"
#include "references.h"
#include "similarities.h"

namespace posproof::experiments_similarity_falls_and_comes_back {
namespace {

using namespace document;
using experiments::expectations;
using experiments::joined;
using experiments::proved;
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

// Falls of the root mean square from one octave to the next, from that at 8 to that at `last`.
experiments::Extent falls(const Measured& m, Position last) {
  experiments::Extent out;
  for (std::size_t n = 4; n < m.octaves.size() && m.octaves[n].first <= last; ++n)
    out.see(static_cast<long double>(m.octaves[n - 1].root_mean_square) -
            static_cast<long double>(m.octaves[n].root_mean_square));
  return out;
}

// Do the extremes of each octave after that at `first` go beyond those of the one before?
bool grows_from(const Measured& m, Position first) {
  for (std::size_t n = 1; n < m.octaves.size(); ++n) {
    const Octave &before = m.octaves[n - 1], &here = m.octaves[n];
    if (before.first >= first && (here.largest <= before.largest || here.smallest >= before.smallest))
      return false;
  }
  return true;
}

// Has the last octave a larger largest and a smaller smallest value than that at 8,192?
bool comes_back(const Measured& m) {
  const Octave &middle = m.octaves[13], &last = m.octaves.back();
  return middle.first == 8192 && last.largest > middle.largest && last.smallest < middle.smallest;
}

Ladders measure() {
  Ladders out;
  for (const auto& [name, words] :
       {std::pair{"base 10000", "base=10000"}, std::pair{"base 500000", "base=500000"},
        std::pair{"base 1000000", "base=1000000"},
        std::pair{"base 10000, released code", "divisor=half_minus_one"}})
    for (const std::size_t dim : {64u, 128u}) out.push_back(measured(name, dim, words));
  for (const Measured& m : out) {
    proved(m.first_negative != 0, "no kernel stays positive");
    proved(m.highest_at == 1, "the neighbour is the most similar");
  }
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

// `-0.51 and -0.37`: of the last octave.
std::string at_the_end(const Measured& a, const Measured& b, double Octave::*value) {
  return fmt::format("{} and {}", fixed(a.octaves.back().*value, 2), fixed(b.octaves.back().*value, 2));
}

Plot by_width(const Ladders& all) {
  const Measured &narrow = of(all, "base 10000", 64), &wide = of(all, "base 10000", 128);
  proved(comes_back(narrow) && comes_back(wide), "the last octave reaches farther from 0 than that at 8,192");
  return {
      .name = "envelope_by_width",
      .title = "Similarity falls through 0, and far octaves reach farther from 0 again",
      .description = fmt::format(
          "Largest and smallest similarity in each octave of offsets, as a share of that at offset 0, for widths 64 and 128 and base 10000, against the end of the octave, logarithmic. "
          "The smallest is first negative at offset {} for width 64 and {} for width 128, and in the last octave {}. "
          "The largest is in the last octave {}, above its value in the octave from 8,192 on ({} and {}).",
          whole(narrow.first_negative), whole(wide.first_negative),
          at_the_end(narrow, wide, &Octave::smallest), at_the_end(narrow, wide, &Octave::largest),
          fixed(narrow.octaves[13].largest, 2), fixed(wide.octaves[13].largest, 2)),
      .x = {"end of the octave of offsets, positions", true, {reach}, 2},
      .y = {"largest and smallest g(k) / g(0) in each octave", false, {{-0.6, 1}}},
      .curves = {by_octave(narrow, "width 64, largest", &Octave::largest),
                 by_octave(wide, "width 128, largest", &Octave::largest),
                 by_octave(narrow, "width 64, smallest", &Octave::smallest),
                 by_octave(wide, "width 128, smallest", &Octave::smallest), zero},
      .caption =
          "Base 10000, divisor d. Each point stands for all offsets of an octave [2^n, 2^(n+1)), n from 0 to 19, and is drawn at its end; dashed: 0."};
}

Plot by_base(const Ladders& all) {
  const Measured &small = of(all, "base 10000", 128), &large = of(all, "base 500000", 128);
  proved(large.first_negative > 10 * small.first_negative && std::abs(large.lowest - small.lowest) < 0.01,
         "the first zero comes ten times later, the minimum is the same to 0.01");
  return {
      .name = "smallest_by_base",
      .title = "Base 500000: the first zero is over ten times later, the minimum within 0.01",
      .description = fmt::format(
          "Smallest similarity in each octave of offsets, as a share of that at offset 0, for width 128 and the bases 10000 and 500000, against the end of the octave, logarithmic. "
          "That of base 10000 is first negative at {}, that of base 500000 at {}; in the last octave they are at {}.",
          whole(small.first_negative), whole(large.first_negative),
          at_the_end(small, large, &Octave::smallest)),
      .x = {"end of the octave of offsets, positions", true, {reach}, 2},
      .y = {"smallest g(k) / g(0) in each octave", false, {{-0.6, 1}}},
      .curves = {by_octave(of(all, "base 10000", 128), "base 10000", &Octave::smallest),
                 by_octave(of(all, "base 500000", 128), "base 500000", &Octave::smallest), zero},
      .caption =
          "Width 128, divisor d. Each point stands for all offsets of an octave and is drawn at its end; dashed: 0."};
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
          "RoPE rotates queries and keys by the frequencies of the sinusoidal encoding, so the same kernel `g(k) = Σ cos(k w_i)` gives the effect of the position in both: it is the dot product of two rows, and the logit of two tokens that give every pair the same weight and no phase. "
          "Su et al. 2021, section 3.4.3, claim *long-term decay* for it; what they show to fall is an upper bound, not the kernel. "
          "The statement that no logit rises with the distance (`score/decays_with_distance`) is refuted for both by the recorded witness cos 6 > cos 3 of a single pair. "
          "This page shows how the kernel behaves instead, over all offsets below 2^20."},
      by_width(all),
      Section{"Minimum and maximum"},
      grid,
      Paragraph{fmt::format(
          "The released code (tensor2tensor) divides by d - 2, so that the slowest pair has the whole wavelength of 10000 · 2π. "
          "Base 500000 is that of Llama 3 (Grattafiori et al. 2024), base 1000000 that of Code Llama (Rozière et al. 2023); 128 is the width of their heads. "
          "None of these eight kernels stays positive. "
          "At width 128 the first negative value comes at {} for base 10000, at {} for base 500000 and at {} for base 1000000: in that sense a larger base extends similarity farther. "
          "This is not a rule: at width 64 base 500000 is negative first at {} and base 1000000 at {}.",
          negative("base 10000", 128), negative("base 500000", 128), negative("base 1000000", 128),
          negative("base 500000", 64), negative("base 1000000", 64))},
      by_base(all)};
}

std::vector<Block> octaves_of(const Ladders& all) {
  Grid grid{
      .columns = {"offsets from", "largest", "smallest", "root mean square", "largest, base 500000",
                  "smallest", "root mean square"},
      .rows = {},
      .caption = fmt::format(
          "Width 128, shares of g(0), over all offsets of the octave that begins there; the first three columns are for base 10000. One over the root of the width is {}.",
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
  const Measured &small = of(all, "base 10000", 128), &large = of(all, "base 500000", 128);
  const experiments::Extent falls_small = falls(small, 1024), falls_large = falls(large, 32768);
  const auto share = [](long double base) { return std::log(2.0L) / std::log(base); };
  proved(grows_from(small, 8192), "base 10000: the extremes grow from octave to octave from 8,192 on");
  proved(std::ranges::min_element(small.octaves, {}, &Octave::root_mean_square)->first == 4096,
         "base 10000: the root mean square is smallest in the octave at 4,096");
  return {
      Section{"Octave by octave"}, grid,
      Paragraph{fmt::format(
          "In each octave of offsets one more group of pairs, a share of `ln 2 / ln base`, makes its first rotations and stops contributing: {} at base 10000 and {} at base 500000. "
          "The root mean square falls at about that rate as long as the sum of the slower pairs is large against the rest: by {} to {} an octave from the octave at 8 to that at 1,024 at base 10000, and by {} to {} to that at 32,768 at base 500000.",
          fixed(share(10000), 3), fixed(share(500000), 3), fixed_down(falls_small.least, 3),
          fixed_up(falls_small.most, 3), fixed_down(falls_large.least, 3), fixed_up(falls_large.most, 3))},
      Paragraph{fmt::format(
          "Then the cosines have no common phase left. "
          "In the long-run mean over all offsets their sum is 0 and its root mean square, as a share of the number of pairs, is one over the root of the width, {}: the frequencies differ, so the mean of the product of two of the cosines is 0. "
          "In the last octave it is {} at base 10000 and {} at base 500000, although the slowest pair of the latter needs {} million positions for a rotation. "
          "At base 10000 the root mean square is smallest in the octave at 4,096, and the extremes of each octave from that at 16,384 on go beyond those of the one before: in a longer range more pairs come close to a common phase (the nearest such offsets are in [every position is its own](every_position_is_its_own.md)).",
          fixed(1 / std::sqrt(128.0L), 4), fixed(small.octaves.back().root_mean_square, 4),
          fixed(large.octaves.back().root_mean_square, 4),
          fixed(experiments::two_pi / experiments::ladder(128, 500000).back() / 1e6L, 2))}};
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
  const Measured& wide = of(all, "base 10000", 128);
  return fmt::format(
      "At base 10000 and width 128 the kernel falls as a trend, is negative first at offset {} and comes back: tokens {} apart are more similar than tokens {} apart, and the smallest similarity below 2^20 is {} of that at offset 0.",
      whole(wide.first_negative), whole(wide.beyond_at), whole(wide.as_offset), fixed(wide.lowest, 3));
}

std::string answer(const Measured& wide) {
  return bounded(
      "At width 128 and base 10000 similarity falls, as a trend, until it is negative first at offset {}. "
      "From there to 2^20 it lies between {} and {} of its value at 0 and does not decay to 0: its root mean square in the last octave is {}.",
      whole(wide.first_negative), fixed_down(wide.lowest_after, 3), fixed_up(wide.highest_after, 3),
      fixed(wide.octaves.back().root_mean_square, 3));
}

Document run() {
  const Ladders all = measure();
  return {
      .title = "Similarity falls, and comes back",
      .finding = finding(all),
      .condition =
          "Sum of cosines over the ladder, as a share of its value at offset 0: the dot product of two sinusoidal rows, and the logit of a query and a key that are (1, 0) in every pair under RoPE; widths 64 and 128; every offset from 1 to 2^20 - 1, rounded once from the exact numbers to f64.",
      .blocks = joined({extremes_of(all),
                        octaves_of(all),
                        derived(all),
                        {PageVerdict{answer(of(all, "base 10000", 128))}},
                        experiments::references({experiments::vaswani_2017, experiments::su_2021,
                                                 experiments::tensor2tensor_2018, experiments::roziere_2023,
                                                 experiments::grattafiori_2024})})};
}

}  // namespace

const Experiment entry{
    .question =
        "Does the similarity that sinusoidal rows and RoPE give to far tokens decay with the distance, and how far does it fall?",
    .method =
        "The sum of cosines of every offset below 2^20, correctly rounded: its extremes by octave, where it first is negative, and how high it rises afterwards.",
    .run = &run,
    .asked_by = Asker::choosing,
};

}  // namespace posproof::experiments_similarity_falls_and_comes_back
