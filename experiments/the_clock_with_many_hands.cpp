#include <algorithm>
#include <array>

#include "catalogue/encodings/sinusoidal.h"
#include "catalogue/experiments/the_clock_with_many_hands.h"
#include "measure.h"
#include "references.h"
#include "tables.h"

namespace posproof::experiments_the_clock_with_many_hands {
namespace {

using namespace document;
using experiments::expectations;
using experiments::joined;
using experiments::percent;
using experiments::proved;
using experiments::rows;
using experiments::two_pi;
using experiments::whole;

constexpr long double claimed = 10000 * two_pi;  // longest wavelength, positions

Table sinusoidal(const std::string& parameters) {
  return experiments::table(encodings::sinusoidal, parameters);
}

// From which pair on all sines are below 0.1 and all cosines above 0.99.
std::size_t still_from(const Table& of, const Tensor& p) {
  std::size_t from = of.pairs.size();
  for (std::size_t i = of.pairs.size(); i-- > 0; from = i)
    for (std::size_t t = 0; t < p.rows(); ++t)
      if (p.at(t, of.pairs[i].first) >= 0.1 || p.at(t, of.pairs[i].second) <= 0.99) return from;
  return from;
}

HeatMap matrix(std::string_view name, std::size_t positions, std::size_t dim, std::string_view layout,
               std::string_view channels) {
  const Table of = sinusoidal(fmt::format("dim={} layout={}", dim, layout));
  const Tensor table = rows(of, static_cast<Position>(positions));
  const std::size_t still = still_from(of, table);
  proved(still > 0 && still < of.pairs.size(), "the last pairs stay near (0, 1), the first do not");
  HeatMap map{
      .name = std::string(name),
      .title = fmt::format("Within {} positions the last {} of {} pairs hardly move", positions,
                           of.pairs.size() - still, of.pairs.size()),
      .description = fmt::format(
          "Heat map of the rows of {} positions in {} channels, {}. "
          "Pair 0 rotates by one radian from row to row; the rotation gets slower from pair to pair. "
          "From pair {} on, all sines stay below 0.1 and all cosines above 0.99.",
          positions, dim, channels, still),
      .x = {fmt::format("channel: {}, fastest first", channels)},
      .y = {"position, from the top"},
      .values = {},
      .lo = -1,
      .hi = 1,
      .caption = fmt::format("Entries of the rows of positions 0 to {}, width {}; colour scale from -1 to 1.",
                             positions - 1, dim)};
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
      .title = "Both hands start at 12 and move clockwise",
      .description =
          "Unit circle with sine to the right and cosine upwards. "
          "The points of pair 0 at positions 0 to 6 start at 12 o'clock and move clockwise, one radian a step, 6 radians in all, short of a rotation (6.28); those of pair 1 start there, too, and move clockwise by a tenth of a radian a step, 0.6 radians in all.",
      .x = {"sine", false, {{-1.25, 1.25}}},
      .y = {"cosine", false, {{-1.25, 1.25}}},
      .curves = {},
      .square = true,
      .caption =
          "Pairs 0 and 1 of width 8 at positions 0 to 6; the numbers are positions. "
          "The hands are equally long; pair 1 is drawn at 0.8 of its length to keep the two apart."};
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

// The even widths to 130 in which neighbouring hands are in a whole ratio, and those in which some hands are.
// 10^(p/q) in lowest terms is a whole number only if q = 1: 10 is no power of a smaller number.
struct WholeRatios {
  std::vector<std::size_t> of_neighbours, of_neighbours_less_2;  // under the divisors d and d - 2
  bool of_some_where_4_divides = true;                           // and in no other width
};

WholeRatios whole_ratios() {
  WholeRatios out;
  for (std::size_t dim = 4; dim <= 130; dim += 2) {
    const std::size_t apart = whole_ratio_apart(dim);
    if (apart == 1) out.of_neighbours.push_back(dim);
    if (8 % (dim - 2) == 0) out.of_neighbours_less_2.push_back(dim);
    out.of_some_where_4_divides = out.of_some_where_4_divides && (apart != 0) == (dim % 4 == 0);
  }
  return out;
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
  std::vector<Curve> wavelengths;  // of width 16, against the pair, under both divisors
  WholeRatios whole;
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

// What the page says in words.
void prove(const Measured& m) {
  proved(
      m.whole.of_neighbours == std::vector<std::size_t>{4, 8} &&
          m.whole.of_neighbours_less_2 == std::vector<std::size_t>{4, 6, 10} &&
          m.whole.of_some_where_4_divides,
      "neighbouring hands are in a whole ratio at widths 4 and 8 only, under d - 2 at 4, 6 and 10, and some hands where 4 divides the width");
  for (const Longest& one : m.longest)
    proved(one.half < claimed && std::abs(one.half_minus_one / claimed - 1) < 1e-15L,
           "the wavelengths reach 10000 * 2 pi under d - 2 only");
  const Tensor p = rows(sinusoidal("dim=8"), 7);
  proved(sense(p, 0, 1) < 0 && sense(p, 2, 3) < 0 && p.at(0, 0) == 0 && p.at(0, 1) == 1,
         "both hands start at 12 and move clockwise");
}

Measured measure() {
  Measured m{};
  for (const std::size_t dim : {4u, 8u, 16u, 64u, 128u, 512u, 1024u})
    m.longest.push_back({dim, longest(sinusoidal(fmt::format("dim={}", dim))),
                         longest(sinusoidal(fmt::format("dim={} divisor=half_minus_one", dim)))});
  m.columns = columns();
  for (const std::size_t dim : {8u, 10u, 12u, 16u, 64u, 512u})
    m.ratios.push_back({dim, whole_ratio_apart(dim)});
  m.whole = whole_ratios();
  m.wavelengths = {wavelengths("half", "divisor d (paper)"), wavelengths("half_minus_one", "divisor d - 2")};
  const Tensor d32 = rows(sinusoidal("dim=32"), 16);
  m.last_of_32 = {d32.at(15, 30), d32.at(15, 31)};
  prove(m);
  return m;
}

std::vector<Block> matrices(const Measured& m) {
  return {
      Section{"The matrix"},
      Paragraph{
          "Every row of the matrix is the encoding of one position. "
          "The first pairs rotate fast; the last hardly move over a few positions: their sine stays near 0 and their cosine near 1. "
          "The first matrix has the rows of positions 0 to 15 at width 32 and alternates sine and cosine, as the paper's formula does; the second has all sines and then all cosines, the layout of the released code, tensor2tensor, here with the divisor d as well."},
      matrix("matrix_16x32", 16, 32, "interleaved", "sine and cosine alternate"),
      matrix("matrix_100x64", 100, 64, "sin_cos", "32 sines, then 32 cosines"),
      Paragraph{fmt::format("The last columns are not exactly 0 and 1. "
                            "The last pair of width 32 is {} at position 15. "
                            "It is that close only as long as position times frequency is small.",
                            m.last_pair())}};
}

std::vector<Block> hands_of(const Measured& m) {
  Grid grid{.columns = {"layout", "columns", "on the unit circle",
                        "rotates (first column to the right, second up)"},
            .rows = {},
            .caption =
                "Width 8, positions 0 to 49. On the circle: to 2^-52, which two roundings to f64 explain; "
                "otherwise the largest distance from it. The sense is that of every single step."};
  for (const Columns& one : m.columns)
    grid.rows.push_back({one.layout, fmt::format("{} and {}", one.first, one.second),
                         circle_word(one.off_circle), one.on_circle() ? sense_word(one.sense) : ""});
  return {
      Section{"The hands"},
      Paragraph{
          "A pair of columns with one frequency is a point on the unit circle. "
          "With the sine to the right and the cosine up it starts at 12 o'clock and moves clockwise; with the axes exchanged it starts at 3 and moves the other way. "
          "Two columns of different frequencies leave the unit circle; the table has three such pairs of columns."},
      hands(), grid};
}

std::vector<Block> slowest(const Measured& m) {
  Plot plot{
      .name = "wavelengths",
      .title = "The wavelengths reach 10000 · 2π under the divisor d - 2 only",
      .description = fmt::format(
          "Wavelength of each pair in positions, logarithmic, against the number of the pair, for width 16. "
          "Both ladders are straight lines from 2 pi. "
          "The one with the paper's divisor ends at {} of 10000 times 2 pi, which is dashed, the other on it.",
          percent(m.of(16).half / claimed)),
      .x = {"pair", false, {{0, 7}}},
      .y = {"wavelength, positions", true, {{1, 1e5}}},
      .curves = m.wavelengths,
      .caption =
          "Width 16, base 10000, where the two are easy to tell apart; the table has the widths in use."};
  const auto end = static_cast<double>(claimed);
  plot.curves.push_back({.label = "10000 · 2π", .points = {{0, end}, {7, end}}, .dashed = true});
  Grid grid{.columns = {"width", "divisor d (paper)", "share of 10000 · 2π", "divisor d - 2 (tensor2tensor)",
                        "share of 10000 · 2π"},
            .rows = {},
            .caption = "Longest wavelength, positions, base 10000. The shortest is 2π under both."};
  for (const Longest& one : m.longest)
    grid.rows.push_back({std::to_string(one.dim), fixed(one.half, 2), percent(one.half / claimed),
                         fixed(one.half_minus_one, 2), percent(one.half_minus_one / claimed)});
  return {
      Section{"The slowest hand"},
      Paragraph{
          "Vaswani et al. 2017, section 3.5: \"The wavelengths form a geometric progression from 2π to 10000 · 2π.\" "
          "Where it ends depends on the divisor in the exponent. "
          "With the formula of that section, `10000^(2i/d)`, the last `i` is `d/2 - 1`, so the longest wavelength is short of 10000 · 2π by one step of the ladder, a factor of `10000^(2/d)`. "
          "The released code divides by `d - 2`, and its longest wavelength is 10000 · 2π."},
      plot, grid};
}

std::vector<Block> ratios(const Measured& m) {
  Grid grid{
      .columns = {"width", "ratio of neighbouring hands", "nearest hands in a whole ratio", "the ratio"},
      .rows = {},
      .caption =
          "Base 10000, divisor d. The ratio of two hands j pairs apart is 10000^(2j/d) = 10^(8j/d), a whole number exactly where d divides 8j."};
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
          "On a clock neighbouring hands are in a whole ratio, 60 or 12 to 1. "
          "Of the even widths from 4 to 130, that is so at 4 (100 to 1) and 8 (10 to 1) only under the paper's divisor d, and under d - 2 at 4, 6 and 10 (10,000, 100 and 10 to 1). "
          "Under d, where 4 divides the width, some hands are in a whole ratio; in the other widths no two are."},
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
          "Each sine-cosine pair is a hand on the unit circle that starts at 12 and moves clockwise; the wavelengths reach 10000 · 2π only under the divisor d - 2: under the paper's divisor the slowest hand of width 512 has {} of it, that of width 64 {}.",
          percent(m.of(512).half / claimed), percent(m.of(64).half / claimed)),
      .condition =
          "Base 10000, divisor d unless said otherwise, even widths, positions from 0; sine to the right and cosine up; reference encoding, rounded once to f64.",
      .blocks = joined(
          {matrices(m),
           hands_of(m),
           slowest(m),
           ratios(m),
           derived(m),
           {PageVerdict{
               "The picture of a clock is accurate, with three corrections: the range \"2π to 10000 · 2π\" describes the released code and not the printed formula; \"clockwise\" depends on the choice of axes; and neighbouring hands are in a whole ratio at widths 4 and 8 only under the paper's divisor, and at 4, 6 and 10 under d - 2."}},
           experiments::references({experiments::vaswani_2017, experiments::tensor2tensor_2018})})};
}

}  // namespace

const Experiment entry{
    .question =
        "Can a sinusoidal encoding be read as a clock: pairs as hands on circles, in which direction do they rotate, and how slow is the slowest?",
    .method =
        "Draw the matrix, follow pairs of columns round the circle, and measure the wavelengths under both divisors in use.",
    .run = &run,
    .asked_by = Asker::understanding,
};

}  // namespace posproof::experiments_the_clock_with_many_hands
