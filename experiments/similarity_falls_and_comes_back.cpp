#include <algorithm>
#include <cmath>

#include "catalogue/experiments.h"
#include "measure.h"
#include "similarities.h"

namespace posproof {
namespace {

using namespace document;
using experiments::expectations;
using experiments::similarities;
using experiments::whole;

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
  double mean;
};

Extremes extremes(const Kernel& g, Position first, Position last) {
  Extremes out{first, first, 0, 0};
  double squares = 0, sum = 0;
  for (Position k = first; k <= last; ++k) {
    if (g[k] < g[out.lowest]) out.lowest = k;
    if (g[k] > g[out.highest]) out.highest = k;
    squares += g[k] * g[k];
    sum += g[k];
  }
  const auto n = static_cast<double>(last - first + 1);
  out.root_mean_square = std::sqrt(squares / n);
  out.mean = sum / n;
  return out;
}

template <class Is>
Position first_that(const Kernel& g, Is is) {
  for (Position k = 1; k <= farthest; ++k)
    if (is(g[k])) return k;
  return 0;
}

Curve by_octave(const Kernel& g, const std::string& label, bool highest) {
  Curve curve{label, {}};
  for (int octave = 0; octave < octaves; ++octave) {
    const Position first = Position{1} << octave;
    const Extremes of = extremes(g, first, 2 * first - 1);
    curve.points.emplace_back(static_cast<double>(2 * first), g[highest ? of.highest : of.lowest]);
  }
  return curve;
}

const std::pair<double, double> reach = {2, static_cast<double>(farthest + 1)};

Plot widths(const Kernel& narrow, const Kernel& wide) {
  Plot plot{
      .name = "envelope_by_width",
      .title = "After the fall comes noise, and its extremes grow with the length",
      .description =
          "Largest and smallest similarity in each octave of offsets, as a share of that at offset 0, for "
          "widths 64 and 128 and base 10000, against the end of the octave, logarithmic. Both fall "
          "from 1; the smallest crosses 0 near a thousand and goes on to about -0.5 for width 64 and -0.37 "
          "for "
          "width 128; the largest stops falling near ten thousand and rises again, to 0.56 and 0.38.",
      .x = {"end of the octave of offsets, positions", true, {reach}, 2},
      .y = {"largest and smallest g(k) / g(0) in each octave", false, {{-0.6, 1}}},
      .curves = {by_octave(narrow, "width 64, largest", true), by_octave(wide, "width 128, largest", true),
                 by_octave(narrow, "width 64, smallest", false),
                 by_octave(wide, "width 128, smallest", false)}};
  plot.curves.push_back({.label = "", .points = {{reach.first, 0}, {reach.second, 0}}, .dashed = true, .name = "zero"});
  return plot;
}

Plot bases(const Kernel& usual, const Kernel& slower) {
  return {.name = "smallest_by_base",
          .title = "A base fifty times as large puts off the first zero, and ends as low",
          .description =
              "Smallest similarity in each octave of offsets, as a share of that at offset 0, for width 128 "
              "and the "
              "bases 10000 and 500000, against the end of the octave, logarithmic. That of base "
              "10000 falls "
              "through 0 near two thousand, that of base 500000 near twenty thousand; both end near -0.37.",
          .x = {"end of the octave of offsets, positions", true, {reach}, 2},
          .y = {"smallest g(k) / g(0) in each octave", false, {{-0.6, 1}}},
          .curves = {by_octave(usual, "base 10000", false),
                     by_octave(slower, "base 500000", false),
                     {.label = "", .points = {{reach.first, 0}, {reach.second, 0}}, .dashed = true, .name = "zero"}}};
}

Document run() {
  const Kernel narrow = kernel("base 10000", 64, "base=10000"),
               wide = kernel("base 10000", 128, "base=10000");
  const Kernel slower = kernel("base 500000", 128, "base=500000"),
               slowest = kernel("base 1000000", 128, "base=1000000");
  const std::vector<Kernel> others = {kernel("base 500000", 64, "base=500000"),
                                      kernel("base 1000000", 64, "base=1000000"),
                                      kernel("base 10000, to the end", 64, "divisor=half_minus_one"),
                                      kernel("base 10000, to the end", 128, "divisor=half_minus_one")};
  std::vector<const Kernel*> all = {&narrow,    &wide,    &others[0], &slower,
                                    &others[1], &slowest, &others[2], &others[3]};

  Grid fall{
      .columns = {"ladder", "width", "first negative at k", "lowest", "at k", "highest beyond 2^16", "at k ",
                  "as offset"},
      .rows = {},
      .caption = "Shares of g(0), over all k below 2^20. As offset: the first k that is no more similar."};
  for (const Kernel* g : all) {
    const Extremes whole_range = extremes(*g, 1, farthest),
                   beyond = extremes(*g, Position{1} << 16, farthest);
    const double highest = (*g)[beyond.highest];
    fall.rows.push_back(
        {g->name, std::to_string(g->dim), whole(first_that(*g, [](double x) { return x < 0; })),
         fixed((*g)[whole_range.lowest], 4), whole(whole_range.lowest), fixed(highest, 4),
         whole(beyond.highest), whole(first_that(*g, [highest](double x) { return x <= highest; }))});
  }

  Grid octave{.columns = {"offsets from", "largest", "smallest", "root mean square", "largest, base 500000",
                          "smallest ", "root mean square "},
              .rows = {},
              .caption = fmt::format("Width 128. One over the root of the width is {}.",
                                     fixed(1 / std::sqrt(128.0L), 4))};
  for (int m = 0; m < octaves; ++m) {
    const Position first = Position{1} << m;
    std::vector<std::string> row = {whole(first)};
    for (const Kernel* g : {&wide, &slower}) {
      const Extremes of = extremes(*g, first, 2 * first - 1);
      row.insert(row.end(),
                 {fixed((*g)[of.highest], 4), fixed((*g)[of.lowest], 4), fixed(of.root_mean_square, 4)});
    }
    octave.rows.push_back(row);
  }

  const Extremes far64 = extremes(narrow, Position{1} << 16, farthest),
                 far128 = extremes(wide, Position{1} << 16, farthest);
  const Extremes all128 = extremes(wide, 1, farthest);
  const Extremes after = extremes(wide, first_that(wide, [](double x) { return x < 0; }), farthest);
  const Position like64 = first_that(narrow, [&](double x) { return x <= narrow[far64.highest]; });
  const auto negative = [](const Kernel& g) { return whole(first_that(g, [](double x) { return x < 0; })); };
  const auto rise = [](const Kernel& g) {
    for (Position k = 1; k <= farthest; ++k)
      if (g[k] > g[k - 1]) return whole(k);
    return std::string("none");
  };
  return {
      .title = "Similarity falls, and comes back",
      .finding =
          fmt::format("The kernel falls to noise within one turn of its slowest hand and then comes "
                      "back: at base 10000 and width "
                      "64, tokens {} apart are at least as similar as tokens {} apart, and at width 128 it "
                      "falls to {} of its value at 0.",
                      whole(far64.highest), whole(like64), fixed(wide[all128.lowest], 3)),
      .condition =
          "Sum of cosines over the ladder, as a share of its value at offset 0: the product of two "
          "sinusoidal codes, "
          "and the logit of a query and a key that are (1, 0) in every pair under RoPE; every offset below "
          "2^20, "
          "rounded once from the exact numbers to f64.",
      .blocks = {
          Paragraph{
              "RoPE turns queries and keys by the frequencies of the sinusoidal code, so one kernel `g(k) = "
              "Σ "
              "cos(k w_i)` says what position does in both: to the product of two codes, and to the logit of "
              "two tokens that give every hand the same weight. *Long-term decay* is claimed of it (Su et "
              "al. 2021, section "
              "3.4.3): what falls there is a bound, not the kernel. That no logit rises with the distance "
              "(`score/decays_with_distance`) fails for both, on record, at an offset of 6. Here is what "
              "does hold, over all "
              "offsets below 2^20, none left out."},
          widths(narrow, wide),
          Section{"How far, and where"},
          fall,
          Paragraph{fmt::format(
              "To the end: the divisor of the released code, whose slowest hand has the whole wavelength of "
              "10000 · "
              "2π. No kernel stays positive. At width 128 the first negative value comes at {} for base "
              "10000, at {} "
              "for base 500000 and at {} for base 1000000: in that sense a larger base carries similarity "
              "farther. It "
              "is no rule: at width 64 base 500000 is negative first at {} and base 1000000 at {}.",
              negative(wide), negative(slower), negative(slowest), negative(others[0]), negative(others[1]))},
          bases(wide, slower),
          Section{"Octave by octave"},
          octave,
          Paragraph{
              "While the slowest hands have not made a turn, the kernel falls by about the same amount in "
              "every "
              "octave: in each of them one more group of hands, as large as the last, begins to turn. When "
              "all have turned, what is left are cosines without order. Their sum has mean 0 and, as a share "
              "of the number of hands, a root mean square of one over the root of the width. It does not "
              "fall any more; and its extremes grow, because the longer one waits the more hands agree by "
              "chance (the nearest such moments are in [every position is its "
              "own](every_position_is_its_own.md)). Base 500000 has not come that far at 2^20: its slowest "
              "hand needs two and a half million positions for a turn."},
          Section{"Against paper"},
          expectations({
              {"widths 64 and 128: first rise", "6 and 12",
               fmt::format("{} and {}", rise(narrow), rise(wide))},
              {"widths 64 and 128: offset of the largest value but the first", "1 and 1",
               fmt::format("{} and {}", whole(extremes(narrow, 1, farthest).highest), whole(all128.highest))},
              {"does the kernel decay for all offsets below 2^20?", "no",
               wide[far128.highest] > wide[first_that(wide, [](double x) { return x < 0; })] ? "no" : "yes"},
          }),
          Verdict{fmt::format("Similarity falls, as a trend, until it is 0, first at offset {} at width 128 "
                              "and base 10000. Beyond, up to "
                              "2^20, it lies between {} and {} of its value at 0 and does not decay: far "
                              "tokens are not dissimilar, "
                              "they are arbitrary.",
                              negative(wide), fixed(wide[after.lowest], 3), fixed(wide[after.highest], 3))},
      }};
}

}  // namespace

const Experiment experiments::similarity_falls_and_comes_back{
    .question =
        "Does what sinusoidal codes and RoPE give to far tokens decay with the distance, and how far does it "
        "fall?",
    .method =
        "The sum of cosines of every offset below 2^20, correctly rounded: its extremes by octave, where it "
        "first is "
        "negative, and what comes back.",
    .run = &run,
};

}  // namespace posproof
