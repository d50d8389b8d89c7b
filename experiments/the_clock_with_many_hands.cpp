#include <algorithm>
#include <array>
#include <numeric>

#include "catalogue/encodings.h"
#include "catalogue/experiments.h"
#include "measure.h"

namespace posproof {
namespace {

using namespace document;
using experiments::expectations;
using experiments::whole;

constexpr long double two_pi = 6.283185307179586476925286766559005768L;

Table row(std::string_view parameters) {
  return std::get<Table>(encodings::sinusoidal.make(with(encodings::sinusoidal, Case::parse(parameters))));
}

Tensor rows(const Table& table, Position first, Position number) {
  std::vector<Position> positions(static_cast<std::size_t>(number));
  std::iota(positions.begin(), positions.end(), first);
  return table.rows(positions, number);
}

HeatMap matrix(std::string_view name, std::size_t positions, std::size_t dim, std::string_view layout,
               std::string_view channels, std::string_view said) {
  const Tensor table =
      rows(row(fmt::format("dim={} layout={}", dim, layout)), 0, static_cast<Position>(positions));
  HeatMap map{.name = std::string(name),
              .title = fmt::format("{} positions in {} channels", positions, dim),
              .description = std::string(said),
              .x = {fmt::format("channel: {}, fastest first", channels)},
              .y = {"position, from the top"},
              .values = {},
              .lo = -1,
              .hi = 1};
  for (std::size_t t = 0; t < positions; ++t) {
    const auto row = table.row(t);
    map.values.emplace_back(row.begin(), row.end());
  }
  return map;
}

// The first positions of two pairs, sine to the right and cosine up, as the hands of a clock.
Plot hands() {
  constexpr Position shown = 7;
  const Table table = row("dim=8");
  const Tensor p = rows(table, 0, shown);
  Plot plot{.name = "hands",
            .title = "Two hands of the clock",
            .description =
                "Unit circle with sine to the right and cosine upwards. The points of pair 0 at positions 0 "
                "to 6 start at "
                "12 o'clock and go once round clockwise, one radian a step; those of pair 1 creep a tenth of "
                "a radian a "
                "step, along the top right.",
            .x = {"sine", false, {{-1.25, 1.25}}},
            .y = {"cosine", false, {{-1.25, 1.25}}},
            .curves = {},
            .square = true};
  Curve circle{.label = "", .points = {}, .dashed = true, .name = "unit circle"};
  for (int step = 0; step <= 120; ++step) {
    const long double angle = two_pi * step / 120;
    circle.points.emplace_back(static_cast<double>(std::sin(angle)), static_cast<double>(std::cos(angle)));
  }
  Curve fast{.label = "", .points = {}, .dots = true, .name = "pair 0"};
  Curve slow{.label = "", .points = {}, .dots = true, .name = "pair 1, drawn at radius 0.8"};
  for (Position t = 0; t < shown; ++t) {
    const auto row = p.row(static_cast<std::size_t>(t));
    fast.points.emplace_back(row[0], row[1]);
    slow.points.emplace_back(0.8 * row[2], 0.8 * row[3]);
    plot.notes.push_back({1.1 * row[0] - 0.06, 1.1 * row[1], fmt::format("{}", t)});
  }
  plot.curves = {circle, fast, slow};
  plot.notes.push_back({-0.06, 0.71, "pair 1"});
  plot.notes.push_back({-0.4, -0.1, "pair 0, positions 0 to 6"});
  return plot;
}

long double longest(const Table& table) {
  return two_pi / static_cast<long double>(table.pairs.back().frequency);
}

// In which sense consecutive points of a pair turn, seen with that column as the x axis: -1 clockwise for
// every step, +1 counter-clockwise for every step, 0 mixed.
int sense(const Tensor& p, std::size_t x, std::size_t y) {
  int seen = 2;
  for (std::size_t t = 0; t + 1 < p.rows(); ++t) {
    const double cross = p.at(t, x) * p.at(t + 1, y) - p.at(t, y) * p.at(t + 1, x);
    const int now = cross > 0 ? 1 : cross < 0 ? -1 : 0;
    if (seen == 2) seen = now;
    if (seen != now) return 0;
  }
  return seen;
}

std::string sense_word(int sense) {
  return sense < 0 ? "clockwise" : sense > 0 ? "counter-clockwise" : "neither";
}

// How far the points (column a, column b) leave the unit circle, at most.
long double off_circle(const Tensor& p, std::size_t a, std::size_t b) {
  long double worst = 0;
  for (std::size_t t = 0; t < p.rows(); ++t)
    worst = std::max(
        worst,
        std::abs(std::hypot(static_cast<long double>(p.at(t, a)), static_cast<long double>(p.at(t, b))) - 1));
  return worst;
}

std::string circle_word(long double off) {
  // Two values rounded once to double leave the circle by less than their two roundings.
  return off <= 0x1p-52L ? "yes" : fmt::format("no, off by {}", fixed(off, 3));
}

// The smallest number of hands j apart that turn in a whole ratio, base^(2j/d) = 10^(8j/d); 0 for none.
std::size_t whole_ratio_apart(std::size_t dim) {
  for (std::size_t j = 1; j < dim / 2; ++j)
    if (8 * j % dim == 0) return j;
  return 0;
}

Document run() {
  Grid ends{.columns = {"width", "divisor d (paper)", "share of 10000 · 2π", "divisor d - 2 (tensor2tensor)",
                        "share of 10000 · 2π "},
            .rows = {},
            .caption = "Longest wavelength, positions. The shortest is 2π under both."};
  Plot ladder{.name = "wavelengths",
              .title = "The ladder of wavelengths ends at 10000 · 2π under one divisor only",
              .description =
                  "Wavelength of each pair in positions, logarithmic, against the pair's place in the ladder "
                  "as a share, for "
                  "width 16. Both ladders are straight lines from 2 pi. The one with the paper's divisor "
                  "ends at a third of "
                  "the dashed line at 10000 times 2 pi, the other on it.",
              .x = {"pair", false, {{0, 7}}},
              .y = {"wavelength, positions", true, {{1, 1e5}}},
              .curves = {}};
  for (const auto& [divisor, label] :
       {std::pair{"half", "divisor d (paper)"}, std::pair{"half_minus_one", "divisor d - 2"}}) {
    Curve curve{label, {}};
    for (const Pair& pair : row(fmt::format("dim=16 divisor={}", divisor)).pairs)
      curve.points.emplace_back(static_cast<double>(pair.index),
                                static_cast<double>(two_pi / static_cast<long double>(pair.frequency)));
    ladder.curves.push_back(curve);
  }
  ladder.curves.push_back(
      {.label = "10000 · 2π",
       .points = {{0, static_cast<double>(10000 * two_pi)}, {7, static_cast<double>(10000 * two_pi)}},
       .dashed = true});
  std::vector<std::string> paper;
  for (const std::size_t dim : {4u, 8u, 16u, 64u, 128u, 512u, 1024u}) {
    const long double half = longest(row(fmt::format("dim={}", dim)));
    const long double less = longest(row(fmt::format("dim={} divisor=half_minus_one", dim)));
    const auto share = [](long double wavelength) {
      return fixed(wavelength / (10000 * two_pi) * 100, 1) + " %";
    };
    paper.push_back(fixed(half, 1));
    ends.rows.push_back({std::to_string(dim), fixed(half, 2), share(half), fixed(less, 2), share(less)});
  }

  const Tensor p = rows(row("dim=8"), 0, 50);
  const Tensor halves = rows(row("dim=8 layout=sin_cos"), 0, 50);
  const Tensor d32 = rows(row("dim=32"), 0, 16);
  Grid circles{
      .columns = {"layout", "columns", "on the unit circle", "turns (first column to the right, second up)"},
      .rows = {}};
  const auto circle = [&](const Tensor& table, std::string_view layout, std::size_t a, std::size_t b) {
    const long double off = off_circle(table, a, b);
    circles.rows.push_back({std::string(layout), fmt::format("{} and {}", a, b), circle_word(off),
                            off <= 0x1p-52L ? sense_word(sense(table, a, b)) : ""});
  };
  circle(p, "sine and cosine in turn", 0, 1);
  circle(p, "sine and cosine in turn", 1, 0);
  circle(p, "sine and cosine in turn", 0, 2);
  circle(p, "sine and cosine in turn", 1, 2);
  circle(halves, "all sines, then all cosines", 0, 4);
  circle(halves, "all sines, then all cosines", 0, 1);

  Grid ratios{.columns = {"width", "neighbouring hands", "nearest hands in a whole ratio", "the ratio"},
              .rows = {},
              .caption = "The ratio of two hands j pairs apart is 10000^(2j/d) = 10^(8j/d)."};
  for (const std::size_t dim : {8u, 10u, 12u, 16u, 64u, 512u}) {
    const std::size_t apart = whole_ratio_apart(dim);
    ratios.rows.push_back(
        {std::to_string(dim), fixed(std::pow(10000.0L, 2.0L / static_cast<long double>(dim)), 4),
         apart ? fmt::format("{} apart", apart) : "none",
         apart ? whole(std::llround(std::pow(10.0L, static_cast<long double>(8 * apart / dim)))) + " to 1"
               : ""});
  }

  const long double claimed = 10000 * two_pi;
  const long double at16 = longest(row("dim=16"));
  return {.title = "The clock with many hands",
          .finding = fmt::format(
              "Each sine-cosine pair is a hand on the unit circle, clockwise from 12; the wavelengths reach "
              "10000 · 2π "
              "only under the divisor d - 2: under the paper's the slowest hand of width 16 has {} % of it.",
              fixed(at16 / claimed * 100, 1)),
          .condition = "Base 10000, even widths, positions from 0; reference encoding, rounded once to f64.",
          .blocks = {
              Section{"The matrix"},
              Paragraph{"Every row is the code of one position. On the left the hands run, to the right they "
                        "hardly move: there "
                        "the sine stays near 0 and the cosine near 1. The second matrix has its sines and "
                        "cosines apart, as many "
                        "programs lay them out."},
              matrix("matrix_16x32", 16, 32, "interleaved", "sine and cosine in turn",
                     "Heat map of the codes of 16 positions in 32 channels. The leftmost columns alternate "
                     "quickly between -1 and 1 "
                     "from row to row; from the middle on, columns alternate between 0 (sine) and 1 (cosine) "
                     "and do not change with "
                     "the position."),
              matrix("matrix_100x64", 100, 64, "sin_cos", "32 sines, then 32 cosines",
                     "Heat map of the codes of 100 positions in 64 channels, all sines on the left and all "
                     "cosines on the right: in "
                     "each half waves widen from left to right, until the last columns show no change over "
                     "100 positions."),
              Paragraph{fmt::format("Are the columns on the right 0 and 1? The last pair of width 32 is ({}, "
                                    "{}) at position 15. It is close "
                                    "only as long as position times frequency is small.",
                                    fixed(d32.at(15, 30), 5), fixed(d32.at(15, 31), 7))},
              Section{"The hands"},
              Paragraph{"A pair of columns with one frequency is a point on the unit circle. With the sine "
                        "to the right and the "
                        "cosine up it starts at 12 o'clock and moves clockwise; with the axes exchanged it "
                        "starts at 3 and moves "
                        "the other way. Columns of two frequencies do not make a hand. In the figure both "
                        "pairs stand at positions 0 "
                        "to 6; pair 1, ten times slower, is drawn at 0.8 of its length to keep it apart."},
              hands(),
              circles,
              Section{"The slowest hand"},
              Paragraph{"The wavelengths form a geometric progression from 2π. Where it ends depends on the "
                        "divisor in the exponent. "
                        "With the paper's formula, `10000^(2i/d)`, the last `i` is `d/2 - 1`, so the end is "
                        "short of 10000 · 2π by "
                        "one step of the ladder. The code that was released divides by `d - 2` and ends "
                        "exactly there."},
              ladder,
              ends,
              Section{"Hours, minutes, seconds?"},
              Paragraph{"On a clock neighbouring hands are in a whole ratio, 60 or 12 to 1. Here only some "
                        "distant ones are."},
              ratios,
              Section{"Against paper"},
              expectations({
                  {"longest wavelength at widths 4, 8, 16, 64, 128, 512, 1024 (paper's divisor)",
                   "628.3, 6283.2, 19869.2, 47117.2, 54410.1, 60611.5, 61711.7",
                   fmt::format("{}", fmt::join(paper, ", "))},
                  {"longest wavelength with divisor d - 2", fixed(claimed, 2),
                   fixed(longest(row("dim=64 divisor=half_minus_one")), 2)},
                  {"width 32, last pair at position 15", "(0.00267, 0.9999964)",
                   fmt::format("({}, {})", fixed(d32.at(15, 30), 5), fixed(d32.at(15, 31), 7))},
                  {"sine right, cosine up: sense of turning", "clockwise", sense_word(sense(p, 0, 1))},
                  {"ratio of neighbours at width 512", "1.0366", fixed(std::pow(10000.0L, 2.0L / 512), 4)},
              }),
              Verdict{"The clock is a fair picture, with two corrections: the range \"2π to 10000 · 2π\" "
                      "describes the released code and "
                      "not the printed formula, and \"clockwise\" is a choice of axes."},
          }};
}

}  // namespace

const Experiment experiments::the_clock_with_many_hands{
    .question =
        "Is a sinusoidal code a clock: hands on circles, which way do they turn, and how slow is the "
        "slowest?",
    .method =
        "Draw the matrix, follow pairs of columns round the circle, and measure the wavelengths under both "
        "divisors in use.",
    .run = &run,
};

}  // namespace posproof
