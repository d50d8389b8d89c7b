#include <boost/math/quadrature/gauss_kronrod.hpp>

#include <algorithm>
#include <map>

#include "catalogue/experiments.h"
#include "measure.h"
#include "similarities.h"

namespace posproof {
namespace {

using namespace document;
using experiments::expectations;
using experiments::ladder;
using experiments::whole;

constexpr std::int64_t farthest = 100000;  // offsets that are searched

// g(0), g(1), ..., g(last) with g(k) = p_t . p_(t+k) = sum_i cos(k w_i). Each hand is turned step by step: in
// long double the error after 10^5 steps is below 10^-13, ten digits under the last that is printed.
std::vector<long double> kernel(std::size_t dim, std::int64_t last) {
  std::vector<long double> g(static_cast<std::size_t>(last) + 1, 0.0L);
  for (const long double w : ladder(dim)) {
    const long double c = std::cos(w), s = std::sin(w);
    long double x = 1, y = 0;
    for (long double& at : g) {
      at += x;
      const long double rotated = x * c - y * s;
      y = y * c + x * s;
      x = rotated;
    }
  }
  return g;
}

// What g(k) / (d/2) tends to as the width grows: the mean of cos(k w) over the ladder, log w uniform.
long double limit(std::int64_t k) {
  const auto f = [k](long double u) {
    return std::cos(static_cast<long double>(k) * std::pow(10000.0L, -u));
  };
  return boost::math::quadrature::gauss_kronrod<long double, 61>::integrate(f, 0.0L, 1.0L, 12, 1e-12L);
}

// By how much a sum over a fine ladder misses the integral: it counts the fastest frequency in full and the
// slowest not at all, where the trapezoid rule counts both by half.
long double ends(std::size_t dim, std::size_t k) {
  const auto at = static_cast<long double>(k);
  return std::abs(std::cos(at) - std::cos(at / 10000)) / static_cast<long double>(dim);
}

// 2-norm of p_t - p_(t+k).
long double distance(std::size_t dim, long double g) {
  return std::sqrt(std::max(0.0L, static_cast<long double>(dim) - 2 * g));
}

struct Shape {  // of one width's kernel
  std::int64_t first_rise, first_negative, lowest_at, first_closer, nearest, nearest_in_reach;
  long double rising, lowest, to_neighbour, to_nearest, to_nearest_in_reach;
};

Shape shape(std::size_t dim) {
  const std::vector<long double> g = kernel(dim, farthest);
  const auto closest = [&](std::int64_t last) {
    return std::max_element(g.begin() + 1, g.begin() + last + 1) - g.begin();
  };
  const auto first = [&](auto is) {
    for (std::int64_t k = 1; k <= farthest; ++k)
      if (is(static_cast<std::size_t>(k))) return k;
    return std::int64_t{0};
  };
  Shape out{};
  out.first_rise = first([&](std::size_t k) { return g[k] > g[k - 1]; });
  out.first_negative = first([&](std::size_t k) { return g[k] < 0; });
  out.first_closer = first([&](std::size_t k) { return g[k] > g[1]; });
  out.lowest_at = std::min_element(g.begin(), g.begin() + 10001) - g.begin();
  out.lowest = g[static_cast<std::size_t>(out.lowest_at)];
  std::int64_t rises = 0;
  for (std::size_t k = 1; k <= 10000; ++k) rises += g[k] > g[k - 1];
  out.rising = static_cast<long double>(rises) / 100;
  out.nearest = closest(farthest);
  out.nearest_in_reach = closest(100);
  out.to_neighbour = distance(dim, g[1]);
  out.to_nearest = distance(dim, g[static_cast<std::size_t>(out.nearest)]);
  out.to_nearest_in_reach = distance(dim, g[static_cast<std::size_t>(out.nearest_in_reach)]);
  return out;
}

std::string place(std::int64_t k) {
  return k ? whole(k) : "none";
}

Plot curves(const std::vector<long double>& integral) {
  Plot plot{.name = "kernel",
            .title = "Similarity falls with distance, but not steadily",
            .description =
                "g(k) divided by half the width against the offset k from 0 to 100, for widths 8, 64 and 512 "
                "and for the limit of infinite width. All start at 1 and fall; width 8 keeps oscillating "
                "strongly, width 512 lies close to the limit, with small ripples.",
            .x = {"offset k, positions", false, {{0, 100}}},
            .y = {"p_t · p_(t+k), as a share of its value at offset 0", false, {{-0.2, 1}}},
            .curves = {}};
  for (const std::size_t dim : {std::size_t{8}, std::size_t{64}, std::size_t{512}}) {
    const auto g = kernel(dim, 100);
    Curve curve{fmt::format("width {}", dim), {}};
    for (std::size_t k = 0; k <= 100; ++k)
      curve.points.emplace_back(static_cast<double>(k),
                                static_cast<double>(2 * g[k] / static_cast<long double>(dim)));
    plot.curves.push_back(curve);
  }
  Curve dashes{.label = "infinite width", .points = {}, .dashed = true};
  for (std::size_t k = 0; k <= 100; ++k)
    dashes.points.emplace_back(static_cast<double>(k), static_cast<double>(integral[k]));
  plot.curves.push_back(dashes);
  return plot;
}

Plot distances() {
  Plot plot{.name = "distance",
            .title = "In a narrow code, far positions can be nearer than neighbours",
            .description =
                "Distance between the codes of two positions against their offset from 1 to 60, for widths "
                "4, 8, 16 "
                "and 64. For widths 4 and 8 the curve dips, near offsets 6, 19 and 25 and so on, below "
                "its value at offset 1; for 16 and 64 it does not.",
            .x = {"offset k, positions", false, {{0, 60}}},
            .y = {"distance of two codes k positions apart", false, {{0, 8}}},
            .curves = {}};
  for (const std::size_t dim : {std::size_t{4}, std::size_t{8}, std::size_t{16}, std::size_t{64}}) {
    const auto g = kernel(dim, 60);
    Curve curve{fmt::format("width {}", dim), {}};
    for (std::size_t k = 0; k <= 60; ++k)
      curve.points.emplace_back(static_cast<double>(k), static_cast<double>(distance(dim, g[k])));
    plot.curves.push_back(curve);
  }
  return plot;
}

// The first offset up to 2^20 at which width 16 is closer than at 1: past those that are searched above.
std::int64_t first_closer_in_width_16() {
  const std::vector<double> g_of = experiments::similarities("dim=16", std::int64_t{1} << 20);
  return std::find_if(g_of.begin() + 2, g_of.end(), [&](double x) { return x > g_of[1]; }) - g_of.begin();
}

Document run() {
  std::vector<long double> integral;
  for (std::int64_t k = 0; k <= 100; ++k) integral.push_back(limit(k));

  Grid convergence{
      .columns = {"width", "g(1)", "g(10)", "g(100)", "farthest from the limit", "at k", "end points alone"},
      .rows = {},
      .caption = "g as a share of d/2; the farthest over offsets to 100."};
  for (const std::size_t dim : {std::size_t{8}, std::size_t{16}, std::size_t{64}, std::size_t{256},
                                std::size_t{512}, std::size_t{1024}, std::size_t{2048}}) {
    const auto g = kernel(dim, 100);
    const auto share = [&](std::size_t k) { return 2 * g[k] / static_cast<long double>(dim); };
    long double worst = 0;
    std::size_t at = 0;
    for (std::size_t k = 0; k <= 100; ++k)
      if (const long double off = std::abs(share(k) - integral[k]); off > worst) {
        worst = off;
        at = k;
      }
    convergence.rows.push_back({std::to_string(dim), fixed(share(1), 4), fixed(share(10), 4),
                                fixed(share(100), 4), fixed(worst, 5), std::to_string(at),
                                fixed(ends(dim, at), 5)});
  }
  convergence.rows.push_back(
      {"infinite", fixed(integral[1], 4), fixed(integral[10], 4), fixed(integral[100], 4), "", "", ""});

  Grid decay{
      .columns = {"width", "first rise at k", "steps that rise", "first negative at k", "lowest g", "at k"},
      .rows = {},
      .caption = "Steps and minimum over k up to 10,000; a rise at k is g(k) > g(k - 1)."};
  Grid nearest{.columns = {"width", "D(1)", "first k closer than 1", "nearest, k ≤ 100", "its D",
                           "nearest, k ≤ 100,000", "its D "},
               .rows = {},
               .caption = "D(k) = √(d - 2 g(k)), the distance of two codes k positions apart."};
  std::string last_narrow;
  std::map<std::size_t, Shape> shapes;
  for (const std::size_t dim : {2u, 4u, 6u, 8u, 10u, 12u, 14u, 16u, 32u, 64u, 128u, 256u, 512u, 768u}) {
    const Shape s = shapes[dim] = shape(dim);
    const std::string width = std::to_string(dim);
    decay.rows.push_back({width, place(s.first_rise), fixed(s.rising, 1) + " %", place(s.first_negative),
                          fixed(s.lowest, 2), whole(s.lowest_at)});
    nearest.rows.push_back({width, fixed(s.to_neighbour, 3), place(s.first_closer), whole(s.nearest_in_reach),
                            fixed(s.to_nearest_in_reach, 3), whole(s.nearest), scientific(s.to_nearest, 3)});
    if (s.first_closer) last_narrow = width;
  }

  const auto g16 = kernel(16, 5);
  const Shape at4 = shapes[4], at8 = shapes[8], at12 = shapes[12], at14 = shapes[14], at512 = shapes[512];
  const auto g4 = kernel(4, 19);
  const auto g8 = kernel(8, 6);
  return {
      .title = "The kernel of the sinusoid",
      .finding = fmt::format(
          "The similarity of two sinusoidal codes depends on their offset alone and falls with it as a "
          "trend, "
          "not as a law: at width 512 it first rises at offset {}, and up to width {} some position within "
          "100,000 "
          "is closer than the neighbour.",
          at512.first_rise, last_narrow),
      .condition =
          "Interleaved sinusoidal code, base 10000, even widths, divisor d; offsets to 100,000; long double.",
      .blocks = {
          Paragraph{"The product of two codes is `p_t · p_(t+k) = g(k) = Σ cos(k w_i)`, with `w_i = "
                    "10000^(-2i/d)`. The "
                    "position `t` has dropped out, and with it the length of the text. What is left is one "
                    "curve for each "
                    "width."},
          curves(integral),
          Section{"The limit of a wide code"},
          Paragraph{"As the width grows, the sum becomes an integral over the ladder of frequencies: `g(k) / "
                    "(d/2)` tends "
                    "to `∫ cos(k · 10000^-u) du` over `u` from 0 to 1. Once the ladder is fine enough for "
                    "the offset, what is "
                    "left is the sum's uneven end points, `|cos k - cos(k/10000)| / d`: halved when the "
                    "width is doubled."},
          convergence,
          Section{"Does similarity fall with distance?"},
          Paragraph{"Offset 0 is the one strict maximum that can be relied on. After that the curve wiggles: "
                    "about half of "
                    "all steps go up, and most widths reach negative values."},
          decay,
          Section{"Which position is nearest?"},
          Paragraph{"Since the distance depends on the offset alone, no *position* is special. Some "
                    "*offsets* are: near "
                    "multiples of a full turn of the fastest hand, 2π ≈ 6.28, and of several hands at once, "
                    "a narrow code "
                    "almost returns."},
          distances(),
          nearest,
          Paragraph{fmt::format("These are offsets to {}, in long double. Over all offsets below 2^20, with "
                                "every sum correctly rounded, "
                                "[every position is its own](every_position_is_its_own.md) finds that width "
                                "16 has closer ones as well, "
                                "from {} on.",
                                whole(farthest), whole(first_closer_in_width_16()))},
          Section{"Against paper"},
          expectations({
              {"width 16: p_5 · p_6", "7.4852", fixed(g16[1], 4)},
              {"width 16: p_5 · p_10", "6.1370", fixed(g16[5], 4)},
              {"first rise at widths 16, 64, 128, 512, 768", "4, 6, 12, 44, 44",
               fmt::format("{}, {}, {}, {}, {}", shapes[16].first_rise, shapes[64].first_rise,
                           shapes[128].first_rise, at512.first_rise, shapes[768].first_rise)},
              {"width 512: lowest g up to 10,000, and where", "-32.4 at 9,322",
               fmt::format("{} at {}", fixed(at512.lowest, 1), whole(at512.lowest_at))},
              {"width 4: D(1) and D(19)", "0.959, 0.242",
               fmt::format("{}, {}", fixed(distance(4, g4[1]), 3), fixed(distance(4, g4[19]), 3))},
              {"width 8: D(1) and D(6)", "0.964, 0.658",
               fmt::format("{}, {}", fixed(distance(8, g8[1]), 3), fixed(distance(8, g8[6]), 3))},
              {"widths 4 and 8: nearest offset to 100,000", "84,823 and 69,115",
               fmt::format("{} and {}", whole(at4.nearest), whole(at8.nearest))},
              {"widths 12 and 14: first offset closer than 1", "14,495 and 18,246",
               fmt::format("{} and {}", whole(at12.first_closer), whole(at14.first_closer))},
          }),
          Verdict{fmt::format("The kernel is translation invariant, and decays only as a trend. From width "
                              "16 on the nearest position "
                              "is the neighbour for offsets to {}; below, it need not be, and farther out at "
                              "width 16 neither.",
                              whole(farthest))},
      }};
}

}  // namespace

const Experiment experiments::the_kernel_of_the_sinusoid{
    .question =
        "Does the similarity of two sinusoidal codes fall with their distance, and is the neighbour the "
        "nearest?",
    .method =
        "Sum the cosines for every offset, compare with the integral that a wide code tends to, and scan for "
        "rises, "
        "negative values and offsets closer than 1.",
    .run = &run,
};

}  // namespace posproof
