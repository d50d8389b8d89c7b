#include <algorithm>
#include <array>
#include <cmath>

#include "catalogue/experiments.h"
#include "core/formats.h"
#include "measure.h"
#include "similarities.h"

namespace posproof {
namespace {

using namespace document;
using experiments::expectations;
using experiments::similarities;
using experiments::whole;

constexpr Position positions = Position{1} << 20;
constexpr Position farthest = positions - 1;  // offset of two of them
constexpr long double two_pi = 2 * 3.141592653589793238462643383279502884L;

// 2-norm of p_s - p_t, k apart. g is within 2^-53 of itself, so a distance d is off by less than 2^-53 width
// / d: no printed digit hangs on it.
double distance(const std::vector<double>& g, Position k) {
  return std::sqrt(2 * (g[0] - g[static_cast<std::size_t>(k)]));
}

// The offset of the nearest pair among those up to `last`. Throws where two doubles cannot say which it is.
Position nearest_offset(const std::vector<double>& g, Position last) {
  const auto end = g.begin() + last + 1, best = std::max_element(g.begin() + 1, end);
  if (std::count(g.begin() + 1, end, *best) != 1)
    throw std::logic_error("two offsets have similarities that round to one double");
  return best - g.begin();
}

// What rounding both of two codes to the format can add up to, at any positions: rows that are farther apart
// stay apart.
double lost_by_rounding(Format format, std::size_t dim) {
  const FormatShape of = shape(format);
  const auto width = static_cast<double>(dim);
  return 2 * (std::ldexp(std::sqrt(width / 2), -of.digits) +
              std::ldexp(std::sqrt(width), of.smallest - of.digits));
}

struct Nearest {  // of one width and base
  std::size_t dim;
  double to_neighbour, to_nearest;
  Position at, closer, first_closer;  // closer: how many offsets are, than 1

  std::string formats() const {
    std::string out;
    for (const Format format : every_format)
      if (to_nearest > lost_by_rounding(format, dim))
        out += (out.empty() ? "" : ", ") + std::string(name(format));
    return out;
  }

  // Dirichlet 1842: of N offsets one brings h angles within N^(-1/h) turns of where they were, all at once.
  std::string at_most() const {
    const double hands = static_cast<double>(dim) / 2;
    const auto rotations = static_cast<double>(
        std::pow(static_cast<long double>(farthest), -1 / static_cast<long double>(hands)));
    // The codes are never farther apart than twice the radius.
    return rotations * 3.1416 < 1 ? scientific(2 * 3.1416 * std::sqrt(hands) * rotations, 2) : "";
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

Grid grid_of(const std::vector<Nearest>& all) {
  Grid grid{.columns = {"width", "D(1)", "nearest at offset", "its D", "theorem: at most",
                        "offsets closer than 1", "the first", "told apart in"},
            .rows = {}};
  for (const Nearest& one : all)
    grid.rows.push_back({std::to_string(one.dim), fixed(one.to_neighbour, 3), whole(one.at),
                         scientific(one.to_nearest, 3), one.at_most(), whole(one.closer),
                         one.first_closer ? whole(one.first_closer) : "none", one.formats()});
  return grid;
}

Plot shrinking() {
  Plot plot{
      .name = "nearest_by_length",
      .title = "The nearest pair comes closer with the length, and the slower the more hands there are",
      .description =
          "Distance of the nearest pair among the first N positions against N, both logarithmic, for widths "
          "2, 4, 8, 16 and 64. Every curve is a staircase that falls. Width 2 falls to 3e-6 at a million "
          "positions, width 4 to 5e-4, width 8 to 3e-3; width 16 takes one small step at the right end and "
          "width 64 none.",
      .x = {"positions N", true, {{2, static_cast<double>(positions)}}, 2},
      .y = {"distance of the nearest pair of codes", true, {{1e-6, 3}}},
      .curves = {},
      .decimals = 10};
  for (const std::size_t dim : {2u, 4u, 8u, 16u, 64u}) {
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
    plot.curves.push_back(curve);
  }
  return plot;
}

// Where the hands of a clock of that width stand after k steps, against where they were.
Grid hands(std::size_t dim, Position k) {
  Grid grid{.columns = {"hand", "whole turns", "left over, degrees", "share of D²"},
            .rows = {},
            .caption = fmt::format("Width {}, {} steps.", dim, whole(k))};
  const auto ladder = experiments::ladder(dim);
  long double all = 0;
  std::vector<long double> parts;
  for (const long double w : ladder) {
    parts.push_back(2 - 2 * std::cos(static_cast<long double>(k) * w));
    all += parts.back();
  }
  for (std::size_t i = 0; i < ladder.size(); ++i) {
    const long double angle = static_cast<long double>(k) * ladder[i];
    grid.rows.push_back({std::to_string(i), whole(std::llround(angle / two_pi)),
                         fixed(std::remainder(angle, two_pi) * 360 / two_pi, 1),
                         fixed(100 * parts[i] / all, 1) + " %"});
  }
  return grid;
}

long double farthest_left_over(std::size_t dim, Position k) {
  long double most = 0;
  for (const long double w : experiments::ladder(dim))
    most = std::max(most, std::abs(std::remainder(static_cast<long double>(k) * w, two_pi)) * 360 / two_pi);
  return most;
}

Document run() {
  const std::array<Position, 2> bases = {10000, 500000};
  std::array<std::vector<Nearest>, 2> all;
  std::array<std::size_t, 2> last_narrow{};  // the widest width in which a far position is the nearest
  std::array<Nearest, 2> at16{};
  for (std::size_t b = 0; b < bases.size(); ++b)
    for (const std::size_t dim : {2u, 4u, 6u, 8u, 10u, 12u, 14u, 16u, 18u, 20u, 22u, 24u, 32u, 64u, 128u}) {
      all[b].push_back(nearest(dim, bases[b]));
      if (all[b].back().at != 1) last_narrow[b] = dim;
      if (dim == 16) at16[b] = all[b].back();
    }
  const auto width = [&](std::size_t dim) {
    return *std::find_if(all[0].begin(), all[0].end(), [dim](const Nearest& one) { return one.dim == dim; });
  };
  const Nearest at8 =
      *std::find_if(all[1].begin(), all[1].end(), [](const Nearest& one) { return one.dim == 8; });
  std::size_t in_every_format = 0;  // from this width on, both bases
  for (std::size_t n = all[0].size(); n-- > 0;) {
    const bool apart = std::all_of(all.begin(), all.end(), [n](const std::vector<Nearest>& one) {
      return one[n].formats() == "f64, f32, bf16, f16";
    });
    if (!apart) break;
    in_every_format = all[0][n].dim;
  }

  const auto within = [](std::size_t dim, Position last) {
    const auto g = similarities(fmt::format("dim={}", dim), last);
    const Position k = nearest_offset(g, last);
    return fmt::format("{} at {}", scientific(distance(g, k), 3), whole(k));
  };

  return {
      .title = "Every position is its own",
      .finding = fmt::format("Among all pairs of positions below 2^20 none share a code: at width 16 the "
                             "nearest pair is {} apart, and "
                             "they are not neighbours but {} positions apart; at width {} and more the "
                             "neighbour is the nearest.",
                             fixed(at16[0].to_nearest, 3), whole(at16[0].at), last_narrow[0] + 2),
      .condition =
          "Sinusoidal code of the even widths 2 to 24, 32, 64 and 128, divisor d, bases 10000 and 500000; "
          "every offset "
          "from 1 to 2^20 - 1; similarities rounded once from the exact numbers to f64.",
      .blocks = {
          Paragraph{
              "That no two positions share a code (`table/has_distinct_positions`) follows from the first "
              "hand "
              "alone: it turns by one radian a step, and no whole number of radians is a whole number of "
              "turns. How far apart the codes stay is another question, and it has an exact answer: the "
              "distance of two codes depends on their offset alone (`table/distance_depends_on_offset`), "
              "`D(k)² = d - 2 g(k)` with `g(k) = Σ cos(k w_i)`. So the 2^39 pairs of positions below 2^20 "
              "have no more than 2^20 - 1 distances, and here all of them were looked at. Each `g(k)` is the "
              "f64 number nearest to the exact one; of two that differ the larger is larger, so the "
              "nearest pair is found, not estimated."},
          shrinking(),
          Section{"The nearest pair, base 10000"},
          grid_of(all[0]),
          Paragraph{
              "*Theorem*: Dirichlet's. Among N offsets there is one after which all h hands stand within "
              "`N^(-1/h)` of a turn of where they were; that bounds D by `2π √h N^(-1/h)`, which says "
              "nothing "
              "(empty) where codes are never that far apart. *Told apart in*: the formats in which the codes "
              "of "
              "any two positions whatsoever differ after rounding, as long as their offset is below 2^20: "
              "there "
              "the nearest distance is more than what two roundings can add up to, `2 u √(d/2)`. Where a "
              "format is missing, rows may coincide, and [some do](first_collision_by_format.md)."},
          Section{"Base 500000"},
          grid_of(all[1]),
          Paragraph{"A larger base slows the slow hands. They then tell apart what is far, and leave telling "
                    "neighbours apart to fewer hands: above width 2, D(1) is smaller at every width."},
          Section{"How a far position comes to be the nearest"},
          Paragraph{fmt::format(
              "A code is a clock, and a far position is near when all hands stand close to where they were. "
              "How many "
              "have to come back by chance is not half the width. With base 10000 the hands of width 8 are "
              "in the "
              "ratio 10 to 1 exactly: when the slowest has made whole turns, so have all the others. One "
              "chance is "
              "enough, and the nearest pair of width 8 is {:.0f} times nearer than that of width 6; with "
              "base "
              "500000, where the hands have nothing to do with each other, it is {:.0f} times farther apart.",
              width(6).to_nearest / width(8).to_nearest, at8.to_nearest / width(8).to_nearest)},
          hands(8, width(8).at),
          Paragraph{fmt::format("In width 16 the ratio is √10: the hands with even numbers are one such "
                                "family, those with odd numbers "
                                "another, and two chances bring back all eight, to within {} degrees.",
                                fixed(farthest_left_over(16, at16[0].at), 0))},
          hands(16, at16[0].at),
          Paragraph{fmt::format("What it means: a head that compares codes alone cannot prefer the neighbour "
                                "to such a position. At "
                                "width 16 it takes a text of {} tokens to meet one, at width 8 a text of {}.",
                                whole(at16[0].first_closer + 1), whole(width(8).first_closer + 1))},
          Section{"Against paper"},
          expectations({
              {"width 2: nearest to 100,000", "6.03e-05 at 710", within(2, 100000)},
              {"width 4: nearest to 100,000", "1.65e-03 at 84,823", within(4, 100000)},
              {"width 8: nearest to 100,000", "3.86e-02 at 69,115", within(8, 100000)},
              {"width 16: nearest to 100,000", "1.01e+00 at 1", within(16, 100000)},
              {"width 12: first closer than 1", "14,495", whole(width(12).first_closer)},
              {"width 14: first closer than 1", "18,246", whole(width(14).first_closer)},
          }),
          Verdict{fmt::format("All positions below 2^20 have codes of their own, at least {} apart in width "
                              "4 and {} in width 16. "
                              "The neighbour is the nearest from width {} on for base 10000 and from width "
                              "{} on for base 500000, "
                              "and from width {} on no format, bf16 included, makes two rows equal.",
                              scientific(width(4).to_nearest, 2), fixed(width(16).to_nearest, 3),
                              last_narrow[0] + 2, last_narrow[1] + 2, in_every_format)},
      }};
}

}  // namespace

const Experiment experiments::every_position_is_its_own{
    .question =
        "How near do the codes of two positions come, over a million positions, and which two are they?",
    .method =
        "The sum of cosines of every offset, correctly rounded; its largest value away from 0 is the nearest "
        "pair.",
    .run = &run,
};

}  // namespace posproof
