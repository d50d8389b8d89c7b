#include <algorithm>
#include <cmath>

#include "catalogue/encodings/binary.h"
#include "catalogue/encodings/learned.h"
#include "catalogue/encodings/normalized_index.h"
#include "catalogue/encodings/one_hot.h"
#include "catalogue/encodings/raw_index.h"
#include "catalogue/encodings/sinusoidal.h"
#include "catalogue/experiments/constant_norm_and_the_sphere.h"
#include "measure.h"
#include "tables.h"

namespace posproof {
namespace {

using namespace document;
using experiments::expectations;
using experiments::Extent;
using experiments::joined;
using experiments::norm;
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
std::string constant(const Extent& e) {
  return yes_no(e.width() <= 0x1p-43L);
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
  return m;
}

std::vector<Block> even(const Measured& m) {
  Grid grid{.columns = {"width", "√(d/2)", "smallest norm", "largest norm", "constant"},
            .rows = {},
            .caption = fmt::format("Sinusoidal rows of positions 0 to {}.", whole(many - 1))};
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
      .title = "At an odd width the norm is constant only if the last column is zero",
      .description =
          "Norm of the row against the position, 0 to 20000. "
          "Width 8 is a level line at 2; width 7 padded with zero is a level line at the square root of 3. "
          "Width 7 truncated and width 7 rounded up oscillate between the square roots of 3 and 4, the second several times while the first does so once.",
      .x = {"position", false, {{0, static_cast<double>(drawn)}}},
      .y = {"norm of the row", false, {{1.6, 2.1}}},
      .curves = m.by_position};
  Grid grid{.columns = {"width", "last column", "√((d-1)/2)", "smallest norm", "largest norm", "constant"},
            .rows = {}};
  for (const Odd& one : m.odd)
    grid.rows.push_back({std::to_string(one.dim), one.said, fixed(one.radius(), 4), fixed(one.norms.least, 4),
                         fixed(one.norms.most, 4), constant(one.norms)});
  return {
      Section{"Odd widths"},
      Paragraph{
          "For odd d one column has no partner; implementations fill it in three ways. "
          "A last sine without its cosine makes the squared norm `(d-1)/2 + sin²`; a zero column keeps the norm of width d - 1."},
      plot, grid};
}

std::vector<Block> others(const Measured& m) {
  Grid grid{.columns = {"encoding", "smallest norm", "largest norm", "constant"},
            .rows = {},
            .caption = fmt::format("Positions 0 to {}.", few - 1)};
  for (const Other& one : m.others)
    grid.rows.push_back({one.name, fixed(one.norms.least, 4), fixed(one.norms.most, 4), constant(one.norms)});
  return {Section{"Other encodings"}, Paragraph{"Not every table has rows of constant norm."}, grid};
}

std::vector<Block> apart(const Measured& m) {
  Grid grid{
      .columns = {"width", "radius", "D(1)", "radius / √d", "D(1) / √d"},
      .rows = {},
      .caption =
          "D(1) is the distance of two neighbouring positions; √d is the norm of a token whose entries have variance 1."};
  for (const Neighbours& one : m.neighbours) {
    const auto d = static_cast<long double>(one.dim);
    const long double root = std::sqrt(d), radius = std::sqrt(d / 2);
    grid.rows.push_back({std::to_string(one.dim), fixed(radius, 3), fixed(one.distance, 3),
                         fixed(radius / root, 4), fixed(one.distance / root, 4)});
  }
  return {
      Section{"Does a wide encoding move tokens further apart?"},
      Paragraph{
          "In absolute terms, yes: the radius grows with √d, and so, at large widths, does the distance of neighbours. "
          "Relative to tokens whose entries have variance 1, no: their own norm grows at the same rate."},
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
      {"radius / √d", "0.7071", fixed(std::sqrt(1024.0L / 2) / std::sqrt(1024.0L), 4)},
  });
}

Document run() {
  const Measured m = measure();
  const Extent& lone = m.of(7, "truncate").norms;
  return {
      .title = "Constant norm and the sphere",
      .finding = fmt::format(
          "Sinusoidal rows of an even width d have norm √(d/2); rows of an odd width have constant norm only if the last column is zero: at width 7 a sine without its cosine makes the norm vary between {} and {}.",
          fixed(lone.least, 3), fixed(lone.most, 3)),
      .condition = fmt::format(
          "Base 10000, divisor d, positions 0 to {}; reference encodings rounded once to f64, norms in long double.",
          whole(many - 1)),
      .blocks = joined(
          {even(m),
           odd(m),
           others(m),
           apart(m),
           derived(m),
           {Verdict{"Yes for even widths. "
                    "For odd widths it depends on the convention, and the convention is rarely stated."}}})};
}

}  // namespace

const Experiment experiments::constant_norm_and_the_sphere{
    .question = "Do all sinusoidal rows lie on one sphere?",
    .method =
        "Measure the norm of every row over many positions, for even widths, for three ways to fill an odd one, and for other encodings.",
    .run = &run,
};

}  // namespace posproof
