#include <boost/math/quadrature/gauss_kronrod.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>

#include "catalogue/experiments/the_kernel_of_the_sinusoid.h"
#include "core/bounded.h"
#include "core/bounds.h"
#include "measure.h"
#include "references.h"
#include "similarities.h"

namespace posproof::experiments_the_kernel_of_the_sinusoid {
namespace {

using namespace document;
using experiments::expectations;
using experiments::joined;
using experiments::ladder;
using experiments::proved;
using experiments::whole;
using experiments::whole_or_none;

constexpr std::int64_t farthest = 100000;   // offsets that are searched
constexpr std::size_t every_even_to = 130;  // widths; beyond, 256, 512 and 768
constexpr std::array<std::size_t, 14> listed = {2, 4, 6, 8, 10, 12, 14, 16, 32, 64, 128, 256, 512, 768};

// g(0), g(1), ..., g(last) with g(k) = p_t . p_(t+k) = sum_i cos(k w_i). Each pair is rotated step by step:
// in long double the error after 10^5 steps is below 10^-13, ten digits under the last that is printed.
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

struct Shape {  // of one width's kernel, over offsets to `farthest`
  std::size_t dim;
  std::int64_t first_rise = 0, first_negative = 0, lowest_at = 0, first_closer = 0, nearest = 0,
               nearest_in_reach = 0;
  bool below_the_first = false;           // every value but that at offset 0
  std::array<long double, 5> means = {};  // over [10^n, 10^(n+1)), as a share of that at 0
  long double rising = 0, lowest = 0, to_neighbour = 0, to_nearest = 0,
              to_nearest_in_reach = 0;  // rising: percent of the steps
};

struct Convergence {  // of one width towards the limit
  std::size_t dim, at;
  long double g_1, g_10, g_100, farthest;  // shares of d/2; farthest from the limit, at offset `at`
};

struct Measured {
  std::vector<long double> limit;  // for offsets to 100, as a share of d/2
  std::vector<Convergence> convergence;
  std::vector<Shape> shapes;
  std::vector<std::pair<std::size_t, std::vector<long double>>> drawn,
      apart;                        // kernels by width, offsets to 100
  std::vector<long double> of_16;   // the kernel of width 16
  std::int64_t first_closer_in_16;  // below 2^20

  // Of a kernel that is drawn, from offset 10 on, as a share of that at 0.
  experiments::Extent from_10(std::size_t which) const {
    experiments::Extent out;
    const std::vector<long double>& g = drawn[which].second;
    for (std::size_t k = 10; k < g.size(); ++k) out.see(g[k] / g[0]);
    return out;
  }
  // Percent of the steps that rise, over all widths.
  experiments::Extent rising() const {
    experiments::Extent out;
    for (const Shape& one : shapes) out.see(one.rising);
    return out;
  }
  const Shape& of(std::size_t dim) const {
    return *std::find_if(shapes.begin(), shapes.end(), [dim](const Shape& one) { return one.dim == dim; });
  }
  // The widest width in which an offset is closer than the neighbour; all narrower ones have one, too.
  std::size_t last_narrow() const {
    std::size_t out = 0;
    for (const Shape& one : shapes)
      if (one.first_closer) out = one.dim;
    for (const Shape& one : shapes)
      proved((one.first_closer != 0) == (one.dim <= out),
             "the narrow widths have an offset closer than the neighbour");
    return out;
  }
};

template <class Is>
std::int64_t first(Is is) {
  for (std::int64_t k = 1; k <= farthest; ++k)
    if (is(static_cast<std::size_t>(k))) return k;
  return 0;
}

Shape shape(std::size_t dim) {
  const std::vector<long double> g = kernel(dim, farthest);
  const auto closest = [&](std::int64_t last) {
    return std::max_element(g.begin() + 1, g.begin() + last + 1) - g.begin();
  };
  const auto distance_at = [&](std::int64_t k) { return distance(dim, g[static_cast<std::size_t>(k)]); };
  Shape out{.dim = dim};
  out.first_rise = first([&](std::size_t k) { return g[k] > g[k - 1]; });
  out.first_negative = first([&](std::size_t k) { return g[k] < 0; });
  out.first_closer = first([&](std::size_t k) { return g[k] > g[1]; });
  out.lowest_at = std::min_element(g.begin(), g.begin() + 10001) - g.begin();
  out.lowest = g[static_cast<std::size_t>(out.lowest_at)];
  out.below_the_first = std::all_of(g.begin() + 1, g.end(), [&](long double x) { return x < g[0]; });
  std::int64_t rises = 0;
  for (std::size_t k = 1; k <= 10000; ++k) rises += g[k] > g[k - 1];
  out.rising = static_cast<long double>(rises) / 100;
  for (std::size_t n = 0, first = 1; n < out.means.size(); ++n, first *= 10) {
    long double sum = 0;
    for (std::size_t k = first; k < 10 * first; ++k) sum += g[k];
    out.means[n] = sum / static_cast<long double>(9 * first) / g[0];
  }
  out.nearest = closest(farthest);
  out.nearest_in_reach = closest(100);
  out.to_neighbour = distance_at(1);
  out.to_nearest = distance_at(out.nearest);
  out.to_nearest_in_reach = distance_at(out.nearest_in_reach);
  return out;
}

Convergence convergence(std::size_t dim, const std::vector<long double>& limits) {
  const auto g = kernel(dim, 100);
  const auto share = [&](std::size_t k) { return 2 * g[k] / static_cast<long double>(dim); };
  Convergence out{dim, 0, share(1), share(10), share(100), 0};
  for (std::size_t k = 0; k <= 100; ++k)
    if (const long double off = std::abs(share(k) - limits[k]); off > out.farthest) {
      out.farthest = off;
      out.at = k;
    }
  return out;
}

// The first offset up to 2^20 at which width 16 is closer than at 1: past those that are searched above.
std::int64_t first_closer_in_width_16() {
  const std::vector<double> g = experiments::similarities("dim=16", std::int64_t{1} << 20);
  return std::find_if(g.begin() + 2, g.end(), [&](double x) { return x > g[1]; }) - g.begin();
}

// What the page says in words.
void prove(const Measured& m) {
  for (const Shape& one : m.shapes) {
    proved(one.first_negative > 0 && one.lowest < 0, "every kernel reaches negative values");
    proved(one.first_rise > 0, "every kernel rises somewhere");
    proved(one.below_the_first, "the maximum at offset 0 is strict");
    proved(std::is_sorted(one.means.begin(), one.means.begin() + 4, std::greater()) == (one.dim >= 6),
           "from width 6 on the means fall from decade to decade, up to that from 1,000 on");
    proved(std::is_sorted(one.means.begin(), one.means.begin() + 3, std::greater()) == (one.dim >= 4),
           "those of width 4 up to that from 100 on");
    proved(std::abs(one.means[4]) < 0.01, "beyond 10,000 they are near 0");
  }
  for (const auto& [dim, g] : m.drawn)
    proved(g[100] < g[1] && g[1] < g[0], "the kernel at 100 is below that at 1");
}

// The first offsets, to 60, at which two rows are closer than neighbours; none: `none`.
std::string closer_offsets(const std::vector<long double>& g) {
  std::vector<std::size_t> out;
  for (std::size_t k = 2; k < g.size(); ++k)
    if (g[k] > g[1]) out.push_back(k);
  return out.empty() ? "at none" : fmt::format("at {}", fmt::join(out, ", "));
}

Measured measure() {
  Measured m{};
  for (std::int64_t k = 0; k <= 100; ++k) m.limit.push_back(limit(k));
  for (const std::size_t dim : {8u, 16u, 64u, 256u, 512u, 1024u, 2048u})
    m.convergence.push_back(convergence(dim, m.limit));
  for (std::size_t dim = 2; dim <= every_even_to; dim += 2) m.shapes.push_back(shape(dim));
  for (const std::size_t dim : {256u, 512u, 768u}) m.shapes.push_back(shape(dim));
  for (const std::size_t dim : {8u, 64u, 512u}) m.drawn.emplace_back(dim, kernel(dim, 100));
  for (const std::size_t dim : {4u, 8u, 16u, 64u}) m.apart.emplace_back(dim, kernel(dim, 60));
  m.of_16 = kernel(16, 5);
  m.first_closer_in_16 = first_closer_in_width_16();
  prove(m);
  return m;
}

long double share_at_100(const std::vector<long double>& g) {
  return g[100] / g[0];
}

Plot kernel_plot(const Measured& m) {
  Plot plot{
      .name = "kernel",
      .title = "Similarity falls with distance as a trend, not at every step",
      .description = bounded(
          "g(k) divided by half the width against the offset k from 0 to 100, for widths 8, 64 and 512 and for the limit of infinite width. "
          "All start at 1; at offset 100 the widths are at {}, {} and {}. "
          "From offset 10 on width 8 oscillates between {} and {}; width 512 lies within {} of the limit.",
          fixed(share_at_100(m.drawn[0].second), 2), fixed(share_at_100(m.drawn[1].second), 2),
          fixed(share_at_100(m.drawn[2].second), 2), fixed_down(m.from_10(0).least, 2),
          fixed_up(m.from_10(0).most, 2), fixed_up(m.convergence[4].farthest, 5)),
      .x = {"offset k, positions", false, {{0, 100}}},
      .y = {"p_t · p_(t+k), as a share of its value at offset 0", false, {{-0.2, 1}}},
      .curves = {},
      .caption = "g(k) / (d/2), base 10000, every offset from 0 to 100."};
  const auto add = [&](Curve curve, const std::vector<long double>& values, long double unit) {
    for (std::size_t k = 0; k < values.size(); ++k)
      curve.points.emplace_back(static_cast<double>(k), static_cast<double>(values[k] / unit));
    plot.curves.push_back(curve);
  };
  for (const auto& [dim, g] : m.drawn)
    add({fmt::format("width {}", dim), {}}, g, static_cast<long double>(dim) / 2);
  add({.label = "infinite width", .points = {}, .dashed = true}, m.limit, 1);
  return plot;
}

Plot distance_plot(const Measured& m) {
  Plot plot{
      .name = "distance",
      .title = "At widths 4 and 8, far positions can be nearer than neighbours",
      .description = fmt::format(
          "Distance between the rows of two positions against their offset from 0 to 60, for widths 4, 8, 16 and 64. "
          "It is below its value at offset 1 at these offsets: width 4 {}; width 8 {}; width 16 {}; width 64 {}.",
          closer_offsets(m.apart[0].second), closer_offsets(m.apart[1].second),
          closer_offsets(m.apart[2].second), closer_offsets(m.apart[3].second)),
      .x = {"offset k, positions", false, {{0, 60}}},
      .y = {"distance of two rows k positions apart", false, {{0, 8}}},
      .curves = {},
      .caption = "D(k) = √(d - 2 g(k)), base 10000, every offset from 0 to 60."};
  for (const auto& [dim, g] : m.apart) {
    Curve curve{fmt::format("width {}", dim), {}};
    for (std::size_t k = 0; k < g.size(); ++k)
      curve.points.emplace_back(static_cast<double>(k), static_cast<double>(distance(dim, g[k])));
    plot.curves.push_back(curve);
  }
  return plot;
}

std::vector<Block> wide_limit(const Measured& m) {
  Grid grid{
      .columns = {"width", "g(1)", "g(10)", "g(100)", "farthest from the limit", "at k", "end points alone"},
      .rows = {},
      .caption = "g as a share of d/2; the farthest over offsets to 100."};
  for (const Convergence& one : m.convergence)
    grid.rows.push_back({std::to_string(one.dim), fixed(one.g_1, 4), fixed(one.g_10, 4), fixed(one.g_100, 4),
                         fixed(one.farthest, 5), std::to_string(one.at), fixed(ends(one.dim, one.at), 5)});
  grid.rows.push_back(
      {"infinite", fixed(m.limit[1], 4), fixed(m.limit[10], 4), fixed(m.limit[100], 4), "", "", ""});
  return {
      Paragraph{
          "The dot product of two rows is `p_t · p_(t+k) = g(k) = Σ cos(k w_i)`, with `w_i = 10000^(-2i/d)`. "
          "It does not contain the position `t`, nor the length of the sequence: for each width there is one curve (Vaswani et al. 2017, section 3.5, for the encoding)."},
      kernel_plot(m), Section{"The limit of a wide row"},
      Paragraph{
          "As the width grows, the sum becomes an integral over the ladder of frequencies: `g(k) / (d/2)` tends to `∫ cos(k · 10000^-u) du` over `u` from 0 to 1. "
          "Where the ladder is fine enough for the offset, what is left is the sum's uneven end points, `|cos k - cos(k/10000)| / d`, which is halved when the width is doubled: in the table, from width 512 on."},
      grid};
}

std::vector<Block> decay(const Measured& m) {
  Grid grid{
      .columns = {"width", "first rise at k", "steps that rise", "first negative at k", "lowest g", "at k"},
      .rows = {},
      .caption = "Steps and minimum over k up to 10,000; a rise at k is g(k) > g(k - 1)."};
  for (const std::size_t dim : listed) {
    const Shape& one = m.of(dim);
    grid.rows.push_back({std::to_string(one.dim), whole_or_none(one.first_rise), fixed(one.rising, 1) + " %",
                         whole_or_none(one.first_negative), fixed(one.lowest, 2), whole(one.lowest_at)});
  }
  Grid means{.columns = {"width", "1 to 9", "10 to 99", "100 to 999", "1,000 to 9,999", "10,000 to 99,999"},
             .rows = {},
             .caption = "Mean of g over all offsets of a decade, as a share of d/2."};
  for (const std::size_t dim : listed) {
    std::vector<std::string> row = {std::to_string(dim)};
    for (const long double mean : m.of(dim).means) row.push_back(fixed(mean, 3));
    means.rows.push_back(std::move(row));
  }
  return {
      Section{"Does similarity fall with distance?"},
      Paragraph{bounded(
          "The maximum at offset 0 is strict: no other offset to {} has as large a value. "
          "After that the curve oscillates: between {} % and {} % of the steps to 10,000 go up, and the kernel is negative somewhere. "
          "That is so at every even width from 2 to {} and at 256, 512 and 768; the table lists some.",
          whole(farthest), fixed_down(m.rising().least, 1), fixed_up(m.rising().most, 1), every_even_to)},
      grid,
      Paragraph{
          "What falls is the mean. At every width from 6 on that was tried it falls from decade to decade of offsets, up to that from 1,000 on, and in the last it is within 0.01 of 0. At width 4 it falls up to the decade from 100 on; at width 2 the kernel is cos k, which has no trend."},
      means};
}

std::vector<Block> nearest(const Measured& m) {
  Grid grid{.columns = {"width", "D(1)", "first k closer than the neighbour", "nearest, k ≤ 100", "its D",
                        "nearest, k ≤ 100,000", "its D"},
            .rows = {},
            .caption = "D(k) = √(d - 2 g(k)), the distance of two rows k positions apart."};
  for (const std::size_t dim : listed) {
    const Shape& one = m.of(dim);
    grid.rows.push_back({std::to_string(one.dim), fixed(one.to_neighbour, 3), whole_or_none(one.first_closer),
                         whole(one.nearest_in_reach), fixed(one.to_nearest_in_reach, 3), whole(one.nearest),
                         scientific(one.to_nearest, 3)});
  }
  return {
      Section{"Which position is nearest?"},
      Paragraph{
          "Since the distance depends on the offset alone, no *position* is special. "
          "Some *offsets* are: near multiples of a full rotation of the fastest pair, 2π ≈ 6.28, and of several pairs at once, a narrow row is nearly the same again."},
      distance_plot(m), grid,
      Paragraph{fmt::format(
          "These are offsets to {}, in long double; widths that are not listed, even ones to 130, have no offset closer than the neighbour either. "
          "Over all offsets below 2^20, with every sum correctly rounded, [every position is its own](every_position_is_its_own.md) finds that width 16 has offsets closer than the neighbour as well, the first at {}.",
          whole(farthest), whole(m.first_closer_in_16))}};
}

std::vector<Block> derived(const Measured& m) {
  const auto apart = [&](std::size_t which, std::size_t k) {
    return fixed(distance(m.apart[which].first, m.apart[which].second[k]), 3);
  };
  const Convergence& wide = m.convergence.back();
  proved(std::abs(wide.farthest / ends(wide.dim, wide.at) - 1) < 0.05L &&
             std::abs(m.convergence[4].farthest / ends(512, m.convergence[4].at) - 1) < 0.2L,
         "from width 512 on the end points explain the distance from the limit");
  return expectations({
      {"width 16: p_5 · p_6", "7.4852", fixed(m.of_16[1], 4)},
      {"width 16: p_5 · p_10", "6.1370", fixed(m.of_16[5], 4)},
      {"first rise at widths 16, 64, 128, 512, 768", "4, 6, 12, 44, 44",
       fmt::format("{}, {}, {}, {}, {}", m.of(16).first_rise, m.of(64).first_rise, m.of(128).first_rise,
                   m.of(512).first_rise, m.of(768).first_rise)},
      {"width 512: lowest g up to 10,000, and where", "-32.4 at 9,322",
       fmt::format("{} at {}", fixed(m.of(512).lowest, 1), whole(m.of(512).lowest_at))},
      {"width 4: D(1) and D(19)", "0.959, 0.242", fmt::format("{}, {}", apart(0, 1), apart(0, 19))},
      {"width 8: D(1) and D(6)", "0.964, 0.658", fmt::format("{}, {}", apart(1, 1), apart(1, 6))},
      {"widths 4 and 8: nearest offset to 100,000", "84,823 and 69,115",
       fmt::format("{} and {}", whole(m.of(4).nearest), whole(m.of(8).nearest))},
      {"widths 12 and 14: first offset closer than the neighbour", "14,495 and 18,246",
       fmt::format("{} and {}", whole(m.of(12).first_closer), whole(m.of(14).first_closer))},
  });
}

Document run() {
  const Measured m = measure();
  return {
      .title = "The kernel of the sinusoid",
      .finding = fmt::format(
          "The dot product of two sinusoidal rows depends on their offset alone. At width 512 it falls with it as a trend, not monotonically: it first rises at offset {}, and its mean is {} of that at 0 over offsets 10 to 99, {} over 100 to 999 and {} over 1,000 to 9,999. At every even width to {} some position within 100,000 is closer than the neighbour, at the wider ones tested none is.",
          m.of(512).first_rise, fixed(m.of(512).means[1], 2), fixed(m.of(512).means[2], 2),
          fixed(m.of(512).means[3], 2), m.last_narrow()),
      .condition =
          "Interleaved sinusoidal encoding, base 10000, divisor d, every even width from 2 to 130 and 256, 512 and 768 (the table of the limit: 8 to 2048, offsets to 100); offsets to 100,000, steps that rise and lowest values to 10,000; long double.",
      .blocks = joined(
          {wide_limit(m),
           decay(m),
           nearest(m),
           derived(m),
           {PageVerdict{fmt::format(
               "The kernel depends on the offset alone. From width 6 on it decays as a trend only, and up to some thousands of positions, at width 4 up to some hundreds; at width 2 it is cos k and does not decay. "
               "At the even widths from 16 to 130 and at 256, 512 and 768 the nearest position is the neighbour for offsets to {}; at smaller widths it is not, nor at width 16 for larger offsets.",
               whole(farthest))}},
           experiments::references({experiments::vaswani_2017})})};
}

}  // namespace

const Experiment entry{
    .question =
        "Does the similarity of two sinusoidal rows, their dot product, fall with their distance, and is the neighbour the nearest?",
    .method =
        "Sum the cosines for every offset, compare with the integral that a wide row tends to, and scan for rises, negative values and offsets closer than the neighbour.",
    .run = &run,
    .asked_by = Asker::understanding,
};

}  // namespace posproof::experiments_the_kernel_of_the_sinusoid
