#include <algorithm>
#include <cmath>
#include <numeric>

#include "catalogue/encodings.h"
#include "catalogue/experiments.h"
#include "measure.h"

namespace posproof {
namespace {

using namespace document;
using experiments::expectations;
using experiments::whole;

Table table(const EncodingSpec& spec, std::string_view parameters) {
  return std::get<Table>(spec.make(with(spec, Case::parse(parameters))));
}

Tensor rows(const Table& row, Position number) {
  std::vector<Position> positions(static_cast<std::size_t>(number));
  std::iota(positions.begin(), positions.end(), Position{0});
  return row.rows(positions, number);
}

long double norm(std::span<const double> row) {
  long double sum = 0;
  for (const double x : row) sum += static_cast<long double>(x) * static_cast<long double>(x);
  return std::sqrt(sum);
}

struct Extent {
  long double least, most;
};

Extent norms(const Table& row, Position number) {
  const Tensor p = rows(row, number);
  Extent out{norm(p.row(0)), norm(p.row(0))};
  for (std::size_t t = 0; t < p.rows(); ++t)
    out = {std::min(out.least, norm(p.row(t))), std::max(out.most, norm(p.row(t)))};
  return out;
}

// Entries rounded once move a norm of a row of d entries by no more than sqrt(d) 2^-53, for any width below
// 10^6.
std::string constant(const Extent& e) {
  return e.most - e.least <= 0x1p-43L ? "yes" : "no";
}

Plot by_position() {
  Plot plot{
      .name = "norm_by_position",
      .title = "An odd width leaves the sphere, unless its last column is zero",
      .description =
          "Norm of the code against the position, 0 to 20000. Width 8 is a level line at 2; width 7 padded "
          "with "
          "zero is a level line at the square root of 3. Width 7 truncated and width 7 rounded up swing "
          "between the square roots of 3 and 4, the second several times while the first does so once.",
      .x = {"position", false, {{0, 20000}}},
      .y = {"norm of the code", false, {{1.6, 2.1}}},
      .curves = {}};
  for (const auto& [parameters, label] :
       {std::pair{"dim=8", "width 8"}, std::pair{"dim=7 odd=truncate", "7, truncated"},
        std::pair{"dim=7 odd=zero_pad", "7, zero column"},
        std::pair{"dim=7 odd=round_up", "7, rounded up"}}) {
    const Table row = table(encodings::sinusoidal, parameters);
    Curve curve{label, {}};
    for (Position t = 0; t <= 20000; t += 50) {
      const Position at[] = {t};
      curve.points.emplace_back(static_cast<double>(t),
                                static_cast<double>(norm(row.rows(at, t + 1).row(0))));
    }
    plot.curves.push_back(curve);
  }
  return plot;
}

long double distance(std::size_t dim, Position a, Position b) {
  const Position at[] = {a, b};
  const Tensor p = table(encodings::sinusoidal, fmt::format("dim={}", dim)).rows(at, std::max(a, b) + 1);
  long double sum = 0;
  for (std::size_t c = 0; c < dim; ++c) {
    const long double off = static_cast<long double>(p.at(0, c)) - static_cast<long double>(p.at(1, c));
    sum += off * off;
  }
  return std::sqrt(sum);
}

Document run() {
  constexpr Position many = 10000;
  Grid even{.columns = {"width", "√(d/2)", "smallest norm", "largest norm", "constant"},
            .rows = {},
            .caption = fmt::format("Sinusoidal codes of positions 0 to {}.", whole(many - 1))};
  for (const std::size_t dim : {2u, 4u, 8u, 64u, 512u}) {
    const Extent e = norms(table(encodings::sinusoidal, fmt::format("dim={}", dim)), many);
    even.rows.push_back({std::to_string(dim), fixed(std::sqrt(static_cast<long double>(dim) / 2), 6),
                         fixed(e.least, 6), fixed(e.most, 6), constant(e)});
  }

  Grid odd{.columns = {"width", "last column", "√((d-1)/2)", "smallest norm", "largest norm", "constant"},
           .rows = {}};
  for (const std::size_t dim : {3u, 5u, 7u, 65u})
    for (const auto& [word, said] :
         {std::pair{"truncate", "a sine without its cosine"}, std::pair{"zero_pad", "zero"},
          std::pair{"round_up", "as width d + 1, cosine cut off"}}) {
      const Extent e = norms(table(encodings::sinusoidal, fmt::format("dim={} odd={}", dim, word)), many);
      odd.rows.push_back({std::to_string(dim), said,
                          fixed(std::sqrt(static_cast<long double>(dim - 1) / 2), 4), fixed(e.least, 4),
                          fixed(e.most, 4), constant(e)});
    }

  Grid others{.columns = {"code", "smallest norm", "largest norm", "constant"},
              .rows = {},
              .caption = "Positions 0 to 255."};
  const auto other = [&](std::string_view name, const Table& row) {
    const Extent e = norms(row, 256);
    others.rows.push_back({std::string(name), fixed(e.least, 4), fixed(e.most, 4), constant(e)});
  };
  other("sinusoidal, width 16", table(encodings::sinusoidal, "dim=16"));
  other("raw index, width 1", table(encodings::raw_index, "dim=1"));
  other("normalised index t/(L-1), width 1", table(encodings::normalized_index, "dim=1"));
  other("binary digits 0 and 1, width 8", table(encodings::binary, "dim=8"));
  other("binary signs -1 and +1, width 8", table(encodings::binary, "dim=8 values=signs"));
  other("one-hot, width 256", table(encodings::one_hot, "dim=256"));
  other("learned table, random, standard deviation 0.02, width 64",
        table(encodings::learned, "dim=64 length=256 table=seeded"));

  Grid apart{
      .columns = {"width", "radius", "D(1)", "radius / √d", "D(1) / √d"},
      .rows = {},
      .caption =
          "D(1) is the distance of two neighbouring positions; √d is the norm of a token whose entries have "
          "variance 1."};
  std::vector<std::string> neighbours;
  for (const std::size_t dim : {4u, 16u, 64u, 256u, 512u, 1024u}) {
    const long double root = std::sqrt(static_cast<long double>(dim));
    const long double d1 = distance(dim, 5, 6), radius = std::sqrt(static_cast<long double>(dim) / 2);
    if (dim != 4 && dim != 256) neighbours.push_back(fixed(d1, 3));
    apart.rows.push_back(
        {std::to_string(dim), fixed(radius, 3), fixed(d1, 3), fixed(radius / root, 4), fixed(d1 / root, 4)});
  }

  const Extent four = norms(table(encodings::sinusoidal, "dim=8"), 4);
  const Extent seven = norms(table(encodings::sinusoidal, "dim=7 odd=truncate"), many);
  const Extent padded = norms(table(encodings::sinusoidal, "dim=7 odd=zero_pad"), many);
  return {
      .title = "Constant norm and the sphere",
      .finding = fmt::format("Sinusoidal codes of an even width d lie on the sphere of radius √(d/2); of an "
                             "odd width only if the last "
                             "column is zero: at width 7 a lone sine lets the norm swing between {} and {}.",
                             fixed(seven.least, 3), fixed(seven.most, 3)),
      .condition = fmt::format(
          "Base 10000, divisor d, positions 0 to {}; reference encodings rounded once to f64, norms in long "
          "double.",
          whole(many - 1)),
      .blocks = {
          Section{"Even widths"},
          Paragraph{"In each pair `sin² + cos² = 1`, and there are d/2 pairs: every code has norm `√(d/2)`, "
                    "whatever the position. "
                    "Adding the code moves every token by the same length, in a direction of its own."},
          even,
          Section{"Odd widths"},
          Paragraph{"An odd width has a column too many, and programs disagree on it. A last sine without "
                    "its cosine leaves the "
                    "squared norm at `(d-1)/2 + sin²`; a zero column keeps the sphere of width d - 1."},
          by_position(),
          odd,
          Section{"Other codes"},
          Paragraph{"Constant norm is not a matter of course."},
          others,
          Section{"Does a wide code push tokens further apart?"},
          Paragraph{"In absolute terms, yes: the radius grows with √d, and so, in the end, does the distance "
                    "of neighbours. Against "
                    "tokens whose entries have variance 1 it does not: their own norm grows as fast."},
          apart,
          Section{"Against paper"},
          expectations({
              {"width 8, positions 0 to 3: all norms", "2.000000 to 2.000000",
               fmt::format("{} to {}", fixed(four.least, 6), fixed(four.most, 6))},
              {"width 7, zero column: √3", fixed(std::sqrt(3.0L), 6), fixed(padded.most, 6)},
              {"width 7, lone sine: √3 to √4", "1.732 to 2.000",
               fmt::format("{} to {}", fixed(seven.least, 3), fixed(seven.most, 3))},
              {"D(1) at widths 16, 64, 512, 1024", "1.015, 1.472, 3.714, 5.208",
               fmt::format("{}", fmt::join(neighbours, ", "))},
              {"radius against √d", "0.7071", apart.rows.back()[3]},
          }),
          Verdict{"True for even widths. For odd widths it depends on the convention, and the convention is "
                  "rarely stated."},
      }};
}

}  // namespace

const Experiment experiments::constant_norm_and_the_sphere{
    .question = "Do all sinusoidal codes lie on one sphere?",
    .method =
        "Measure the norm of every code over many positions, for even widths, for three ways to fill an odd "
        "one, and for "
        "other codes.",
    .run = &run,
};

}  // namespace posproof
