#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "catalogue/experiments/every_position_is_its_own.h"
#include "core/bounded.h"
#include "core/bounds.h"
#include "core/formats.h"
#include "measure.h"
#include "references.h"
#include "similarities.h"

namespace posproof::experiments_every_position_is_its_own {
namespace {

using namespace document;
using experiments::distance;
using experiments::expectations;
using experiments::joined;
using experiments::lost_by_rounding;
using experiments::percent;
using experiments::proved;
using experiments::similarities;
using experiments::two_pi;
using experiments::whole;
using experiments::whole_or_none;

constexpr Position positions = Position{1} << 20;
constexpr Position farthest = positions - 1;  // offset of two of them
constexpr std::array<Position, 2> bases = {10000, 500000};

// The offset of the nearest pair among those up to `last`. Throws where two doubles cannot say which it is.
Position nearest_offset(const std::vector<double>& g, Position last) {
  const auto end = g.begin() + last + 1, best = std::max_element(g.begin() + 1, end);
  if (std::count(g.begin() + 1, end, *best) != 1)
    throw std::logic_error("two offsets have similarities that round to one double");
  return best - g.begin();
}

constexpr std::size_t every_even_to = 130;  // widths; beyond, 256 and 512
constexpr std::array<std::size_t, 17> listed = {2,  4,  6,  8,  10, 12,  14,  16, 18,
                                                20, 22, 24, 32, 64, 128, 256, 512};

struct Nearest {  // of one width and base
  std::size_t dim;
  double to_neighbour, to_nearest;    // 2-norms
  Position at, closer, first_closer;  // offsets; closer: how many are, than 1

  // Those in which no two rows coincide.
  std::string formats() const {
    std::string out;
    for (const Format format : every_format)
      if (to_nearest > lost_by_rounding(format, dim))
        out += (out.empty() ? "" : ", ") + std::string(name(format));
    return out;
  }

  // Dirichlet 1842: of N offsets one brings h angles within N^(-1/h) rotations of where they were, all at
  // once.
  std::string at_most() const {
    const double pairs = static_cast<double>(dim) / 2;
    const auto rotations = static_cast<double>(
        std::pow(static_cast<long double>(farthest), -1 / static_cast<long double>(pairs)));
    // The rows are never farther apart than twice the radius.
    return rotations * 3.1416 < 1 ? scientific(rounded_up(2 * 3.1416 * std::sqrt(pairs) * rotations, 2), 2)
                                  : "";
  }
};

struct Return {                             // of one pair, after some steps
  long double rotations, left_over, share;  // whole ones; radians; of the squared distance
};

struct Measured {
  std::array<std::vector<Nearest>, bases.size()> nearest;
  std::vector<Curve> by_length;          // distance of the nearest pair against the number of positions
  std::vector<Return> of_8, of_16;       // at the nearest offset of that width, base 10000
  std::array<std::string, 4> to_100000;  // nearest of widths 2, 4, 8 and 16

  const Nearest& of(std::size_t dim, std::size_t base = 0) const {
    return *std::find_if(nearest[base].begin(), nearest[base].end(),
                         [dim](const Nearest& one) { return one.dim == dim; });
  }
  // The widest width in which a far position is the nearest.
  std::size_t last_narrow(std::size_t base) const {
    std::size_t out = 0;
    for (const Nearest& one : nearest[base])
      if (one.at != 1) out = one.dim;
    return out;
  }
  // From which width on no format makes two rows equal, under both bases.
  std::size_t in_every_format() const {
    std::size_t out = 0;
    for (std::size_t n = nearest[0].size(); n-- > 0; out = nearest[0][n].dim)
      for (const auto& one : nearest)
        if (one[n].formats() != "f64, f32, bf16, f16") return out;
    return out;
  }
};

Nearest nearest(std::size_t dim, Position base) {
  const auto g = similarities(fmt::format("dim={} base={}", dim, base), farthest);
  Nearest out{.dim = dim,
              .to_neighbour = distance(g, 1),
              .to_nearest = 0,
              .at = nearest_offset(g, farthest),
              .closer = 0,
              .first_closer = 0};
  out.to_nearest = distance(g, out.at);
  for (Position k = 2; k <= farthest; ++k)
    if (g[static_cast<std::size_t>(k)] > g[1]) {
      ++out.closer;
      if (out.first_closer == 0) out.first_closer = k;
    }
  return out;
}

Curve by_length(std::size_t dim) {
  const auto g = similarities(fmt::format("dim={}", dim), farthest);
  Curve curve{fmt::format("width {}", dim), {}};
  Position best = 1;
  const auto add = [&](Position k) {
    curve.points.emplace_back(static_cast<double>(k + 1), distance(g, best));
  };
  add(1);
  for (Position k = 2; k <= farthest; ++k)
    if (g[static_cast<std::size_t>(k)] > g[static_cast<std::size_t>(best)]) {
      add(k);
      best = k;
      add(k);
    }
  add(farthest);
  return curve;
}

std::vector<Return> returns(std::size_t dim, Position k) {
  std::vector<Return> out;
  long double all = 0;
  for (const long double w : experiments::ladder(dim)) {
    const long double angle = static_cast<long double>(k) * w;
    out.push_back({angle / two_pi, std::remainder(angle, two_pi), 2 - 2 * std::cos(angle)});
    all += out.back().share;
  }
  for (Return& one : out) one.share /= all;
  return out;
}

std::string nearest_to_100000(std::size_t dim) {
  constexpr Position last = 100000;
  const auto g = similarities(fmt::format("dim={}", dim), last);
  const Position k = nearest_offset(g, last);
  return fmt::format("{} at {}", scientific(distance(g, k), 3), whole(k));
}

// What the page says in words.
void prove(const Measured& m) {
  for (std::size_t b = 0; b < bases.size(); ++b)
    for (const Nearest& one : m.nearest[b]) {
      proved(one.to_nearest > 0, "no two positions share a row");
      proved((one.at != 1) == (one.dim <= m.last_narrow(b)),
             "from some width on the neighbour is the nearest");
      proved(b == 0 || one.dim == 2 || one.to_neighbour < m.of(one.dim).to_neighbour,
             "above width 2 a larger base has nearer neighbours");
    }
  for (const Curve& curve : m.by_length)
    for (std::size_t n = 1; n < curve.points.size(); ++n)
      proved(curve.points[n].second <= curve.points[n - 1].second, "the nearest pair comes closer");
  proved(m.by_length.back().points.back().second == m.of(64).to_neighbour,
         "at width 64 the nearest pair is that of neighbours");
}

Measured measure() {
  Measured m;
  for (std::size_t b = 0; b < bases.size(); ++b) {
    for (std::size_t dim = 2; dim <= every_even_to; dim += 2) m.nearest[b].push_back(nearest(dim, bases[b]));
    for (const std::size_t dim : {256u, 512u}) m.nearest[b].push_back(nearest(dim, bases[b]));
  }
  for (const std::size_t dim : {2u, 4u, 8u, 16u, 64u}) m.by_length.push_back(by_length(dim));
  m.of_8 = returns(8, m.of(8).at);
  m.of_16 = returns(16, m.of(16).at);
  prove(m);
  m.to_100000 = {nearest_to_100000(2), nearest_to_100000(4), nearest_to_100000(8), nearest_to_100000(16)};
  return m;
}

Grid nearest_grid(const Measured& m, std::size_t base) {
  Grid grid{
      .columns = {"width", "D(1)", "nearest at offset", "its D", "theorem: at most",
                  "offsets closer than the neighbour", "the first", "no two rows equal in"},
      .rows = {},
      .caption = fmt::format(
          "Base {}. Of all even widths from 2 to {} and of 256 and 512, which were enumerated, some are listed.",
          bases[base], every_even_to)};
  for (const std::size_t dim : listed) {
    const Nearest& one = m.of(dim, base);
    grid.rows.push_back({std::to_string(one.dim), fixed(one.to_neighbour, 3), whole(one.at),
                         scientific(one.to_nearest, 3), one.at_most(), whole(one.closer),
                         whole_or_none(one.first_closer), one.formats()});
  }
  return grid;
}

Grid returns_grid(std::size_t dim, Position k, const std::vector<Return>& all) {
  Grid grid{.columns = {"pair", "whole rotations", "left over, degrees", "share of D²"},
            .rows = {},
            .caption = fmt::format("Width {}, base 10000, {} steps.", dim, whole(k))};
  for (std::size_t i = 0; i < all.size(); ++i)
    grid.rows.push_back({std::to_string(i), whole(std::llround(all[i].rotations)),
                         fixed(all[i].left_over * 360 / two_pi, 1), percent(all[i].share)});
  return grid;
}

std::vector<Block> introduction(const Measured& m) {
  return {
      Paragraph{
          "In exact numbers no two positions share a row at any even width (`table/has_distinct_positions`), because the fastest pair rotates by one radian a step, and no whole number of radians is a whole number of rotations. "
          "How far apart the rows are is another question, and it has an exact answer: the distance of two rows depends on their offset alone (`table/distance_depends_on_offset`), `D(k)² = d - 2 g(k)` with `g(k) = Σ cos(k w_i)`. "
          "So the nearly 2^39 pairs of positions below 2^20 (2^39 - 2^19) have no more than 2^20 - 1 distances, and all of them were enumerated here. "
          "Each `g(k)` is the f64 number nearest to the exact one; of two that differ the larger is larger, so the nearest pair is found, not estimated."},
      Plot{
          .name = "nearest_by_length",
          .title = "Nearer pairs appear with length at widths 2 to 16; at 64 neighbours stay nearest",
          .description = fmt::format(
              "Distance of the nearest pair among the first N positions against N, both logarithmic, for widths 2, 4, 8, 16 and 64. "
              "No curve rises; those of widths 2 to 16 are staircases that fall. "
              "At 2^20 positions width 2 is at {}, width 4 at {}, width 8 at {} and width 16 at {}; width 64 is level at {}.",
              scientific(m.of(2).to_nearest, 1), scientific(m.of(4).to_nearest, 1),
              scientific(m.of(8).to_nearest, 1), fixed(m.of(16).to_nearest, 3),
              fixed(m.of(64).to_nearest, 3)),
          .x = {"positions N", true, {{2, static_cast<double>(positions)}}, 2},
          .y = {"distance of the nearest pair of rows", true, {{1e-6, 3}}},
          .curves = m.by_length,
          .decimals = 10,
          .caption = "Base 10000, divisor d; every offset below N enumerated."}};
}

std::vector<Block> nearest_pairs(const Measured& m) {
  std::vector<std::size_t> nearer, farther;  // far pairs at the larger base, by width
  for (const Nearest& one : m.nearest[1]) {
    const double before = m.of(one.dim).to_nearest;
    if (one.at == 1 || m.of(one.dim).at == 1 || one.to_nearest == before) continue;
    (one.to_nearest < before ? nearer : farther).push_back(one.dim);
  }
  proved(!nearer.empty() && !farther.empty(), "a larger base moves nearest pairs either way");
  return {
      Section{"The nearest pair, base 10000"},
      nearest_grid(m, 0),
      Paragraph{
          "*Theorem*: [Dirichlet's on simultaneous approximation](https://en.wikipedia.org/wiki/Dirichlet%27s_approximation_theorem). "
          "Among N offsets there is one after which all h pairs are within `N^(-1/h)` of a rotation of where they were. "
          "That bounds D by `2π √h N^(-1/h)`, which says nothing (empty) where rows are never that far apart. "
          "*No two rows equal in*: the formats in which the rows of any two positions differ after rounding, as long as their offset is below 2^20: the nearest distance is more than what two roundings can add up to, `2 u √(d/2)`. "
          "Where a format is missing, rows may coincide, and [some do](first_collision_by_format.md)."},
      Section{"Base 500000"},
      nearest_grid(m, 1),
      Paragraph{fmt::format(
          "A larger base lowers every frequency but the first. "
          "Fewer high-frequency pairs separate neighbouring positions then: D(1) is smaller than at base 10000 at every width tested but 2, where the only frequency is 1. "
          "The nearest pair is not farther apart in general. Of the widths at which a far pair is the nearest under both bases, it is nearer than at base 10000 at {} and farther apart at {}.",
          fmt::join(nearer, ", "), fmt::join(farther, ", "))}};
}

std::vector<Block> explanation(const Measured& m) {
  long double most = 0;  // degrees
  for (const Return& one : m.of_16) most = std::max(most, std::abs(one.left_over) * 360 / two_pi);
  return {
      Section{"Why a distant position can be the nearest"},
      Paragraph{fmt::format(
          "Two rows are close when their offset is nearly a multiple of every wavelength. "
          "How many such conditions are independent is not always half the width. "
          "With base 10000 the frequencies of width 8 are in the ratio 10 to 1 exactly: when the slowest pair has made whole rotations, so have all the others. "
          "One condition is enough, and the nearest pair of positions of width 8 is {:.0f} times nearer than that of width 6; with base 500000, where the frequencies are in no such ratio, it is {:.0f} times farther apart.",
          m.of(6).to_nearest / m.of(8).to_nearest, m.of(8, 1).to_nearest / m.of(8).to_nearest)},
      returns_grid(8, m.of(8).at, m.of_8),
      Paragraph{bounded(
          "In width 16 the ratio is √10: the even-numbered pairs are one such family and the odd-numbered ones another, so two conditions bring back all eight, to within {} degrees.",
          fixed_up(most, 0))},
      returns_grid(16, m.of(16).at, m.of_16),
      Paragraph{fmt::format(
          "Consequence for a head that compares rows by their dot product (W = I): it scores such a position higher than the neighbour. "
          "A learned W is not bound to that: the rotation by one step has its maximum exactly at the neighbour ([translation is a rotation](translation_is_a_rotation.md)). "
          "At base 10000 the shortest sequence that contains such a position has {} tokens at width 16 and {} at width 8.",
          whole(m.of(16).first_closer + 1), whole(m.of(8).first_closer + 1))}};
}

std::vector<Block> derived(const Measured& m) {
  return expectations({
      {"width 2: nearest to 100,000", "6.03e-05 at 710", m.to_100000[0]},
      {"width 4: nearest to 100,000", "1.65e-03 at 84,823", m.to_100000[1]},
      {"width 8: nearest to 100,000", "3.86e-02 at 69,115", m.to_100000[2]},
      {"width 16: nearest to 100,000", "1.01e+00 at 1", m.to_100000[3]},
      {"width 12: first closer than the neighbour", "14,495", whole(m.of(12).first_closer)},
      {"width 14: first closer than the neighbour", "18,246", whole(m.of(14).first_closer)},
  });
}

std::string answer(const Measured& m) {
  return fmt::format(
      "All positions below 2^20 have rows of their own: at base 10000 the nearest two are {} apart at width 4, {} at width 16 and {} at width 512. "
      "The neighbour is the nearest at the even widths from {} on for base 10000 and from {} on for base 500000, and from width {} on rounding to f64, f32, bf16 or f16 makes no two rows equal; all even widths to {} were tested, and 256 and 512.",
      scientific(m.of(4).to_nearest, 2), fixed(m.of(16).to_nearest, 3), fixed(m.of(512).to_nearest, 3),
      m.last_narrow(0) + 2, m.last_narrow(1) + 2, m.in_every_format(), every_even_to);
}

Document run() {
  const Measured m = measure();
  return {
      .title = "Every position is its own",
      .finding = fmt::format(
          "At base 10000 and in exact numbers no two positions below 2^20 share a row: at width 512 the nearest rows are {} apart and those of neighbours, as at every even width tested from {} on; at width 16 the nearest are {} apart and those of positions {} apart.",
          fixed(m.of(512).to_nearest, 3), m.last_narrow(0) + 2, fixed(m.of(16).to_nearest, 3),
          whole(m.of(16).at)),
      .condition =
          "Sinusoidal encoding of every even width from 2 to 130 and of 256 and 512, divisor d, bases 10000 and 500000; every offset from 1 to 2^20 - 1; similarities rounded once from the exact numbers to f64.",
      .blocks =
          joined({introduction(m),
                  nearest_pairs(m),
                  explanation(m),
                  derived(m),
                  {PageVerdict{answer(m)}},
                  experiments::references({experiments::vaswani_2017, experiments::grattafiori_2024})})};
}

}  // namespace

const Experiment entry{
    .question =
        "How close do the rows of two positions come, over a million positions, and which two are they?",
    .method =
        "The sum of cosines of every offset, correctly rounded; its largest value away from 0 is the nearest pair.",
    .run = &run,
    .asked_by = Asker::understanding,
};

}  // namespace posproof::experiments_every_position_is_its_own
