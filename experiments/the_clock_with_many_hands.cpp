#include <algorithm>
#include <array>

#include "catalogue/encodings/sinusoidal.h"
#include "catalogue/experiments/the_clock_with_many_hands.h"
#include "measure.h"
#include "tables.h"

namespace posproof {
namespace {

using namespace document;
using experiments::expectations;
using experiments::joined;
using experiments::percent;
using experiments::rows;
using experiments::two_pi;
using experiments::whole;

constexpr long double claimed = 10000 * two_pi;  // longest wavelength, positions

Table sinusoidal(const std::string& parameters) {
  return experiments::table(encodings::sinusoidal, parameters);
}

HeatMap matrix(std::string_view name, std::size_t positions, std::size_t dim, std::string_view layout,
               std::string_view channels, std::string_view said) {
  const Tensor table =
      rows(sinusoidal(fmt::format("dim={} layout={}", dim, layout)), static_cast<Position>(positions));
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
  const Tensor p = rows(sinusoidal("dim=8"), shown);
  Plot plot{
      .name = "hands",
      .title = "Two hands of the clock",
      .description =
          "Unit circle with sine to the right and cosine upwards. "
          "The points of pair 0 at positions 0 to 6 start at 12 o'clock and go once round clockwise, one radian a step; those of pair 1 move a tenth of a radian a step, along the top right.",
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

// In which sense consecutive points of a pair rotate, seen with that column as the x axis: -1 clockwise for
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

// The smallest j for which the frequencies of pairs j apart are in a whole ratio, base^(2j/d) = 10^(8j/d); 0
// for none.
std::size_t whole_ratio_apart(std::size_t dim) {
  for (std::size_t j = 1; j < dim / 2; ++j)
    if (8 * j % dim == 0) return j;
  return 0;
}

struct Longest {  // wavelength, positions, of one width
  std::size_t dim;
  long double half, half_minus_one;  // under the paper's divisor d, and under d - 2
};

struct Columns {  // two columns, the first as x and the second as y
  std::string layout;
  std::size_t first, second;
  long double off_circle;
  int sense;

  bool on_circle() const { return off_circle <= 0x1p-52L; }
};

struct Ratio {
  std::size_t dim;
  std::size_t apart;  // pairs; 0: no whole ratio

  std::string of_neighbours() const {
    return fixed(std::pow(10000.0L, 2.0L / static_cast<long double>(dim)), 4);
  }
};

struct Measured {
  std::vector<Longest> longest;
  std::vector<Columns> columns;
  std::vector<Ratio> ratios;
  std::vector<Curve> wavelengths;    // of width 16, against the pair, under both divisors
  std::array<double, 2> last_of_32;  // sine and cosine of the last pair of width 32 at position 15

  const Longest& of(std::size_t dim) const {
    return *std::find_if(longest.begin(), longest.end(),
                         [dim](const Longest& one) { return one.dim == dim; });
  }
  std::string last_pair() const {
    return fmt::format("({}, {})", fixed(last_of_32[0], 5), fixed(last_of_32[1], 7));
  }
};

Curve wavelengths(const std::string& divisor, const std::string& label) {
  Curve curve{label, {}};
  for (const Pair& pair : sinusoidal(fmt::format("dim=16 divisor={}", divisor)).pairs)
    curve.points.emplace_back(static_cast<double>(pair.index),
                              static_cast<double>(two_pi / static_cast<long double>(pair.frequency)));
  return curve;
}

std::vector<Columns> columns() {
  const std::string alternating = "sine and cosine alternate", halves = "all sines, then all cosines";
  const Tensor p = rows(sinusoidal("dim=8"), 50), q = rows(sinusoidal("dim=8 layout=sin_cos"), 50);
  std::vector<Columns> out;
  for (const auto& [a, b] : {std::pair{0u, 1u}, std::pair{1u, 0u}, std::pair{0u, 2u}, std::pair{1u, 2u}})
    out.push_back({alternating, a, b, off_circle(p, a, b), sense(p, a, b)});
  for (const auto& [a, b] : {std::pair{0u, 4u}, std::pair{0u, 1u}})
    out.push_back({halves, a, b, off_circle(q, a, b), sense(q, a, b)});
  return out;
}

Measured measure() {
  Measured m{};
  for (const std::size_t dim : {4u, 8u, 16u, 64u, 128u, 512u, 1024u})
    m.longest.push_back({dim, longest(sinusoidal(fmt::format("dim={}", dim))),
                         longest(sinusoidal(fmt::format("dim={} divisor=half_minus_one", dim)))});
  m.columns = columns();
  for (const std::size_t dim : {8u, 10u, 12u, 16u, 64u, 512u})
    m.ratios.push_back({dim, whole_ratio_apart(dim)});
  m.wavelengths = {wavelengths("half", "divisor d (paper)"), wavelengths("half_minus_one", "divisor d - 2")};
  const Tensor d32 = rows(sinusoidal("dim=32"), 16);
  m.last_of_32 = {d32.at(15, 30), d32.at(15, 31)};
  return m;
}

std::vector<Block> matrices(const Measured& m) {
  return {
      Section{"The matrix"},
      Paragraph{
          "Every row of the matrix is the encoding of one position. "
          "The pairs on the left rotate fast; those on the right hardly move: there the sine stays near 0 and the cosine near 1. "
          "The second matrix has its sines and cosines apart, a layout that many programs use."},
      matrix(
          "matrix_16x32", 16, 32, "interleaved", "sine and cosine alternate",
          "Heat map of the rows of 16 positions in 32 channels. The leftmost columns alternate quickly between -1 and 1 from row to row; from the middle on, columns alternate between 0 (sine) and 1 (cosine) and do not change with the position."),
      matrix(
          "matrix_100x64", 100, 64, "sin_cos", "32 sines, then 32 cosines",
          "Heat map of the rows of 100 positions in 64 channels, all sines on the left and all cosines on the right: in each half waves widen from left to right, until the last columns show no change over 100 positions."),
      Paragraph{fmt::format("Are the columns on the right 0 and 1? "
                            "The last pair of width 32 is {} at position 15. "
                            "It is that close only as long as position times frequency is small.",
                            m.last_pair())}};
}

std::vector<Block> hands_of(const Measured& m) {
  Grid grid{.columns = {"layout", "columns", "on the unit circle",
                        "rotates (first column to the right, second up)"},
            .rows = {}};
  for (const Columns& one : m.columns)
    grid.rows.push_back({one.layout, fmt::format("{} and {}", one.first, one.second),
                         circle_word(one.off_circle), one.on_circle() ? sense_word(one.sense) : ""});
  return {
      Section{"The hands"},
      Paragraph{
          "A pair of columns with one frequency is a point on the unit circle. "
          "With the sine to the right and the cosine up it starts at 12 o'clock and moves clockwise; with the axes exchanged it starts at 3 and moves the other way. "
          "Columns of two different frequencies do not lie on a circle. "
          "The figure shows two pairs at positions 0 to 6; pair 1, ten times slower, is drawn at 0.8 of its length to keep it apart."},
      hands(), grid};
}

std::vector<Block> slowest(const Measured& m) {
  Plot plot{
      .name = "wavelengths",
      .title = "The wavelengths reach 10000 · 2π under one divisor only",
      .description =
          "Wavelength of each pair in positions, logarithmic, against the number of the pair, for width 16. "
          "Both ladders are straight lines from 2 pi. "
          "The one with the paper's divisor ends at a third of the dashed line at 10000 times 2 pi, the other on it.",
      .x = {"pair", false, {{0, 7}}},
      .y = {"wavelength, positions", true, {{1, 1e5}}},
      .curves = m.wavelengths};
  const auto end = static_cast<double>(claimed);
  plot.curves.push_back({.label = "10000 · 2π", .points = {{0, end}, {7, end}}, .dashed = true});
  Grid grid{.columns = {"width", "divisor d (paper)", "share of 10000 · 2π", "divisor d - 2 (tensor2tensor)",
                        "share of 10000 · 2π"},
            .rows = {},
            .caption = "Longest wavelength, positions. The shortest is 2π under both."};
  for (const Longest& one : m.longest)
    grid.rows.push_back({std::to_string(one.dim), fixed(one.half, 2), percent(one.half / claimed),
                         fixed(one.half_minus_one, 2), percent(one.half_minus_one / claimed)});
  return {
      Section{"The slowest hand"},
      Paragraph{
          "The wavelengths form a geometric progression from 2π. "
          "Where it ends depends on the divisor in the exponent. "
          "With the paper's formula, `10000^(2i/d)`, the last `i` is `d/2 - 1`, so the longest wavelength is short of 10000 · 2π by one step of the ladder. "
          "The released code divides by `d - 2`, and its longest wavelength is exactly that."},
      plot, grid};
}

std::vector<Block> ratios(const Measured& m) {
  Grid grid{
      .columns = {"width", "ratio of neighbouring hands", "nearest hands in a whole ratio", "the ratio"},
      .rows = {},
      .caption = "The ratio of two hands j pairs apart is 10000^(2j/d) = 10^(8j/d)."};
  for (const Ratio& one : m.ratios)
    grid.rows.push_back(
        {std::to_string(one.dim), one.of_neighbours(),
         one.apart ? fmt::format("{} apart", one.apart) : "none",
         one.apart ? whole(std::llround(std::pow(10.0L, static_cast<long double>(8 * one.apart / one.dim)))) +
                         " to 1"
                   : ""});
  return {
      Section{"Hours, minutes, seconds?"},
      Paragraph{
          "On a clock neighbouring hands are in a whole ratio, 60 or 12 to 1. Here only some distant ones are."},
      grid};
}

std::vector<Block> derived(const Measured& m) {
  std::vector<std::string> half;
  for (const Longest& one : m.longest) half.push_back(fixed(one.half, 1));
  return expectations({
      {"longest wavelength at widths 4, 8, 16, 64, 128, 512, 1024 (paper's divisor)",
       "628.3, 6283.2, 19869.2, 47117.2, 54410.1, 60611.5, 61711.7",
       fmt::format("{}", fmt::join(half, ", "))},
      {"longest wavelength with divisor d - 2", fixed(claimed, 2), fixed(m.of(64).half_minus_one, 2)},
      {"width 32, last pair at position 15", "(0.00267, 0.9999964)", m.last_pair()},
      {"sine right, cosine up: sense of rotation", "clockwise", sense_word(m.columns[0].sense)},
      {"ratio of neighbours at width 512", "1.0366", m.ratios.back().of_neighbours()},
  });
}

Document run() {
  const Measured m = measure();
  return {
      .title = "The clock with many hands",
      .finding = fmt::format(
          "Each sine-cosine pair is a hand on the unit circle that starts at 12 and moves clockwise; the wavelengths reach 10000 · 2π only under the divisor d - 2: under the paper's divisor the slowest hand of width 16 has {} of it.",
          percent(m.of(16).half / claimed)),
      .condition = "Base 10000, even widths, positions from 0; reference encoding, rounded once to f64.",
      .blocks = joined(
          {matrices(m),
           hands_of(m),
           slowest(m),
           ratios(m),
           derived(m),
           {Verdict{
               "The picture of a clock is accurate, with two corrections: the range \"2π to 10000 · 2π\" describes the released code and not the printed formula, and \"clockwise\" depends on the choice of axes."}}})};
}

}  // namespace

const Experiment experiments::the_clock_with_many_hands{
    .question =
        "Can a sinusoidal encoding be read as a clock: pairs as hands on circles, in which direction do they rotate, and how slow is the slowest?",
    .method =
        "Draw the matrix, follow pairs of columns round the circle, and measure the wavelengths under both divisors in use.",
    .run = &run,
};

}  // namespace posproof
