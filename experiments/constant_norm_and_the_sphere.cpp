#include <algorithm>
#include <cmath>
#include <span>

#include "catalogue/encodings/binary.h"
#include "catalogue/encodings/learned.h"
#include "catalogue/encodings/normalized_index.h"
#include "catalogue/encodings/one_hot.h"
#include "catalogue/encodings/raw_index.h"
#include "catalogue/encodings/sinusoidal.h"
#include "catalogue/experiments/constant_norm_and_the_sphere.h"
#include "core/bounded.h"
#include "core/bounds.h"
#include "measure.h"
#include "references.h"
#include "similarities.h"
#include "tables.h"

namespace posproof::experiments_constant_norm_and_the_sphere {
namespace {

using namespace document;
using experiments::expectations;
using experiments::Extent;
using experiments::joined;
using experiments::norm;
using experiments::proved;
using experiments::rows;
using experiments::table;
using experiments::whole;
using experiments::yes_no;

constexpr Position many = 10000, few = 256;  // positions
constexpr Position drawn = 20000;            // last position of the figure

Extent norms(const Table& of, Position number) {
  const Tensor p = rows(of, number);
  Extent out;
  for (std::size_t t = 0; t < p.rows(); ++t) out.see(norm(p.row(t)));
  return out;
}

// Entries rounded once move a norm of a row of d entries by no more than sqrt(d) 2^-53, for any width below
// 10^6.
bool is_constant(const Extent& e) {
  return e.width() <= 0x1p-43L;
}
std::string constant(const Extent& e) {
  return yes_no(is_constant(e));
}

constexpr std::size_t every_even_to = 130;  // widths; beyond, 512

// The norms of the exact rows, rounded once to f64: all positions below `many`.
Extent norms_of_even(std::size_t dim) {
  std::vector<double> all(static_cast<std::size_t>(many) * dim);
  experiments::sinusoidal(fmt::format("dim={}", dim))
      ->fill(Format::f64, 0, static_cast<std::size_t>(many), all.data());
  Extent out;
  for (std::size_t t = 0; t < static_cast<std::size_t>(many); ++t)
    out.see(norm(std::span(all).subspan(t * dim, dim)));
  return out;
}

// How often a curve rises through that height.
std::size_t rises_through(const Curve& curve, double height) {
  std::size_t out = 0;
  for (std::size_t n = 1; n < curve.points.size(); ++n)
    out += curve.points[n - 1].second < height && curve.points[n].second >= height;
  return out;
}

Table sinusoidal(std::size_t dim) {
  return table(encodings::sinusoidal, fmt::format("dim={}", dim));
}

long double distance_of_neighbours(std::size_t dim) {
  const Position at[] = {5, 6};
  const Tensor p = sinusoidal(dim).rows(at, 7);
  long double sum = 0;
  for (std::size_t c = 0; c < dim; ++c) {
    const long double off = static_cast<long double>(p.at(0, c)) - static_cast<long double>(p.at(1, c));
    sum += off * off;
  }
  return std::sqrt(sum);
}

struct Even {
  std::size_t dim;
  Extent norms;

  long double radius() const { return std::sqrt(static_cast<long double>(dim) / 2); }
};

struct Odd {
  std::size_t dim;
  std::string convention, said;  // parameter `odd`, and what it puts into the last column
  Extent norms;

  long double radius() const { return std::sqrt(static_cast<long double>(dim - 1) / 2); }
};

struct Other {
  std::string name;
  Extent norms;
};

struct Neighbours {
  std::size_t dim;
  long double distance;
};

struct Measured {
  std::vector<Even> even;
  std::vector<Odd> odd;
  std::vector<Other> others;
  std::vector<Neighbours> neighbours;
  std::vector<Curve> by_position;  // norm against position
  Extent four;                     // width 8, the first four positions

  const Odd& of(std::size_t dim, std::string_view convention) const {
    return *std::find_if(odd.begin(), odd.end(),
                         [&](const Odd& one) { return one.dim == dim && one.convention == convention; });
  }
};

std::vector<Odd> odd_widths() {
  std::vector<Odd> out;
  for (const std::size_t dim : {3u, 5u, 7u, 65u})
    for (const auto& [word, said] :
         {std::pair{"truncate", "a sine without its cosine"}, std::pair{"zero_pad", "zero"},
          std::pair{"round_up", "as width d + 1, cosine cut off"}})
      out.push_back({dim, word, said,
                     norms(table(encodings::sinusoidal, fmt::format("dim={} odd={}", dim, word)), many)});
  return out;
}

std::vector<Other> other_encodings() {
  return {
      {"sinusoidal, width 16", norms(sinusoidal(16), few)},
      {"raw index, width 1", norms(table(encodings::raw_index, "dim=1"), few)},
      {"normalised index t/(L-1), width 1", norms(table(encodings::normalized_index, "dim=1"), few)},
      {"binary digits 0 and 1, width 8", norms(table(encodings::binary, "dim=8"), few)},
      {"binary signs -1 and +1, width 8", norms(table(encodings::binary, "dim=8 values=signs"), few)},
      {"one-hot, width 256", norms(table(encodings::one_hot, "dim=256"), few)},
      {"learned table, random, standard deviation 0.02, width 64",
       norms(table(encodings::learned, "dim=64 length=256 table=seeded"), few)},
  };
}

Curve norm_by_position(const std::string& parameters, const std::string& label) {
  const Table of = table(encodings::sinusoidal, parameters);
  Curve curve{label, {}};
  for (Position t = 0; t <= drawn; t += 50) {
    const Position at[] = {t};
    curve.points.emplace_back(static_cast<double>(t), static_cast<double>(norm(of.rows(at, t + 1).row(0))));
  }
  return curve;
}

// What the page says in words.
void prove(const Measured& m) {
  for (std::size_t dim = 2; dim <= every_even_to; dim += 2) {
    const Extent of = norms_of_even(dim);
    proved(is_constant(of) && std::abs(of.least - std::sqrt(static_cast<long double>(dim) / 2)) < 0x1p-43L,
           "rows of even width have norm sqrt(d/2)");
  }
  proved(std::ranges::is_sorted(m.neighbours, {}, &Neighbours::distance), "the distance of neighbours grows");
  for (const Even& one : m.even) proved(is_constant(one.norms), "rows of even width have one norm");
  for (const Odd& one : m.odd)
    proved(is_constant(one.norms) == (one.convention == "zero_pad"),
           "at the odd widths tried the norm is constant only if the last column is zero");
}

Measured measure() {
  Measured m;
  for (const std::size_t dim : {2u, 4u, 8u, 64u, 512u}) m.even.push_back({dim, norms(sinusoidal(dim), many)});
  m.odd = odd_widths();
  m.others = other_encodings();
  for (const std::size_t dim : {4u, 16u, 64u, 256u, 512u, 1024u})
    m.neighbours.push_back({dim, distance_of_neighbours(dim)});
  m.by_position = {norm_by_position("dim=8", "width 8"),
                   norm_by_position("dim=7 odd=truncate", "7, truncated"),
                   norm_by_position("dim=7 odd=zero_pad", "7, zero column"),
                   norm_by_position("dim=7 odd=round_up", "7, rounded up")};
  m.four = norms(sinusoidal(8), 4);
  prove(m);
  return m;
}

std::vector<Block> even(const Measured& m) {
  Grid grid{
      .columns = {"width", "√(d/2)", "smallest norm", "largest norm", "constant"},
      .rows = {},
      .caption = fmt::format(
          "Sinusoidal rows of positions 0 to {}. Constant: the norms differ by no more than 2^-43, which rounding explains. It is so at every even width from 2 to {}, too.",
          whole(many - 1), every_even_to)};
  for (const Even& one : m.even)
    grid.rows.push_back({std::to_string(one.dim), fixed(one.radius(), 6), fixed(one.norms.least, 6),
                         fixed(one.norms.most, 6), constant(one.norms)});
  return {
      Section{"Even widths"},
      Paragraph{
          "In each pair `sin² + cos² = 1`, and there are d/2 pairs: every row has norm `√(d/2)`, whatever the position. "
          "Adding the row moves every token by the same distance; the direction depends on the position."},
      grid};
}

std::vector<Block> odd(const Measured& m) {
  Plot plot{
      .name = "norm_by_position",
      .title = "Of three ways to fill width 7, only a zero column keeps the norm constant",
      .description = fmt::format(
          "Norm of the row against the position, 0 to {}. "
          "Width 8 is a level line at 2; width 7 padded with zero is a level line at the square root of 3. "
          "Width 7 truncated and width 7 rounded up oscillate between the square roots of 3 and 4; within the figure the first rises {} times, the second {} times.",
          whole(drawn), rises_through(m.by_position[1], std::sqrt(3.5)),
          rises_through(m.by_position[3], std::sqrt(3.5))),
      .x = {"position", false, {{0, static_cast<double>(drawn)}}},
      .y = {"norm of the row", false, {{1.6, 2.1}}},
      .curves = m.by_position,
      .caption =
          "Base 10000, divisor d, every 50th position. Truncated: the last column is a sine of the "
          "frequency 10000^(-6/7); rounded up: the columns of width 8 without the last cosine."};
  Grid grid{
      .columns = {"width", "last column", "√((d-1)/2)", "smallest norm", "largest norm", "constant"},
      .rows = {},
      .caption = fmt::format(
          "Sinusoidal rows of positions 0 to {}: where the last sine is slow, they do not show its whole range.",
          whole(many - 1))};
  for (const Odd& one : m.odd)
    grid.rows.push_back({std::to_string(one.dim), one.said, fixed(one.radius(), 4), fixed(one.norms.least, 4),
                         fixed(one.norms.most, 4), constant(one.norms)});
  return {
      Section{"Odd widths"},
      Paragraph{
          "For odd d one column has no partner. Three ways to fill it are compared; tensor2tensor pads with zeros. "
          "A last sine without its cosine makes the squared norm `(d-1)/2 + sin²`; a zero column keeps the norm of width d - 1."},
      plot, grid};
}

std::vector<Block> others(const Measured& m) {
  Grid grid{
      .columns = {"encoding", "smallest norm", "largest norm", "constant"},
      .rows = {},
      .caption = fmt::format(
          "Positions 0 to {} of a sequence of {}. The learned table is one random draw (seed 1): that its norms differ is a result, their size is not.",
          few - 1, few)};
  for (const Other& one : m.others)
    grid.rows.push_back({one.name, fixed(one.norms.least, 4), fixed(one.norms.most, 4), constant(one.norms)});
  return {Section{"Other encodings"},
          Paragraph{"Of the seven tables tried, three have rows of constant norm."}, grid};
}

std::vector<Block> apart(const Measured& m) {
  Grid grid{
      .columns = {"width", "radius", "D(1)", "radius / √d", "D(1) / √d"},
      .rows = {},
      .caption =
          "Base 10000. D(1) is the distance of two neighbouring positions; √d is the root mean square norm of a token whose entries have mean 0 and variance 1."};
  for (const Neighbours& one : m.neighbours) {
    const auto d = static_cast<long double>(one.dim);
    const long double root = std::sqrt(d), radius = std::sqrt(d / 2);
    grid.rows.push_back({std::to_string(one.dim), fixed(radius, 3), fixed(one.distance, 3),
                         fixed(radius / root, 4), fixed(one.distance / root, 4)});
  }
  return {
      Section{"Does a wide encoding move tokens further apart?"},
      Paragraph{
          "In absolute terms, yes: the radius `√(d/2)` grows with the width, and so does the distance of neighbours at the widths listed. "
          "Relative to tokens whose entries have variance 1, no: the radius is 0.7071 of their norm at every width. "
          "Tokens of another scale have another ratio; Vaswani et al. 2017, section 3.4, multiply embeddings by √d before the encoding is added."},
      grid};
}

std::vector<Block> derived(const Measured& m) {
  std::vector<std::string> neighbours;
  for (const Neighbours& one : m.neighbours)
    if (one.dim != 4 && one.dim != 256) neighbours.push_back(fixed(one.distance, 3));
  const Extent &lone = m.of(7, "truncate").norms, &padded = m.of(7, "zero_pad").norms;
  return expectations({
      {"width 8, positions 0 to 3: all norms", "2.000000 to 2.000000",
       fmt::format("{} to {}", fixed(m.four.least, 6), fixed(m.four.most, 6))},
      {"width 7, zero column: √3", fixed(std::sqrt(3.0L), 6), fixed(padded.most, 6)},
      {"width 7, lone sine: √3 to √4", "1.732 to 2.000",
       fmt::format("{} to {}", fixed(lone.least, 3), fixed(lone.most, 3))},
      {"D(1) at widths 16, 64, 512, 1024", "1.015, 1.472, 3.714, 5.208",
       fmt::format("{}", fmt::join(neighbours, ", "))},
      {"radius / √d at width 512", "0.7071",
       fixed(m.even.back().norms.most / std::sqrt(static_cast<long double>(m.even.back().dim)), 4)},
  });
}

Document run() {
  const Measured m = measure();
  const Extent& lone = m.of(7, "truncate").norms;
  return {
      .title = "Constant norm and the sphere",
      .finding = bounded(
          "Sinusoidal rows of an even width d have norm √(d/2), 16 at width 512; of the odd widths tried only those whose last column is zero have a constant norm: at width 7 a sine without its cosine makes it vary between {} and {} over {} positions.",
          fixed_down(lone.least, 3), fixed_up(lone.most, 3), whole(many)),
      .condition = fmt::format(
          "Base 10000, divisor d; every even width from 2 to {} and 512, the odd widths 3, 5, 7 and 65; positions 0 to {} unless said otherwise; reference encodings rounded once to f64, norms in long double.",
          every_even_to, whole(many - 1)),
      .blocks = joined(
          {even(m),
           odd(m),
           others(m),
           apart(m),
           derived(m),
           {PageVerdict{
               "Yes for even widths: the radius is √(d/2). "
               "For odd widths it depends on what fills the last column: with zeros, yes, with radius √((d-1)/2); with a sine without its cosine, no."}},
           experiments::references({experiments::vaswani_2017, experiments::tensor2tensor_2018})})};
}

}  // namespace

const Experiment entry{
    .question = "Do all sinusoidal rows lie on one sphere?",
    .method =
        "Measure the norm of every row over many positions, for even widths, for three ways to fill an odd one, and for other encodings.",
    .run = &run,
    .asked_by = Asker::understanding,
};

}  // namespace posproof::experiments_constant_norm_and_the_sphere
