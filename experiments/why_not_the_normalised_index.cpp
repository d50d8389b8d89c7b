#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "catalogue/encodings/normalized_index.h"
#include "catalogue/encodings/sinusoidal.h"
#include "catalogue/experiments/why_not_the_normalised_index.h"
#include "core/formats.h"
#include "measure.h"
#include "tables.h"

namespace posproof {
namespace {

using namespace document;
using experiments::expectations;
using experiments::joined;
using experiments::rows;
using experiments::whole;
using experiments::whole_or_none;
using experiments::yes_no;

struct Range {
  std::string_view name, formula;  // of the parameter `range`
};
constexpr std::array<Range, 4> ranges = {
    {{"zero_one", "t/(L-1)"}, {"per_length", "t/L"}, {"shifted", "(t+1)/L"}, {"centred", "2t/(L-1) - 1"}}};

using Format = double (*)(double);

struct Named {
  std::string_view name;
  Format to;
};
constexpr std::array<Named, 2> narrow = {{{"bf16", &to_bf16}, {"f16", &to_f16}}};

Table index_table(std::string_view range) {
  return experiments::table(encodings::normalized_index, fmt::format("dim=1 range={}", range));
}

double value(const Table& table, Position t, Position length) {
  const std::array<Position, 1> at = {t};
  return table.rows(at, length).at(0, 0);
}

long double product(const Table& table, Position a, Position b, Position length) {
  const std::array<Position, 2> at = {a, b};
  const Tensor rows = table.rows(at, length);
  long double sum = 0;
  for (std::size_t c = 0; c < rows.width(); ++c)
    sum += static_cast<long double>(rows.at(0, c)) * static_cast<long double>(rows.at(1, c));
  return sum;
}

std::size_t distinct(const Table& table, Position length, Format to) {
  std::set<double> seen;
  for (const double x : rows(table, length).data) seen.insert(to(x));
  return seen.size();
}

// The shortest length at which two positions get the same value; 0: none up to `last`.
Position first_collision(const Table& table, Format to, Position last) {
  for (Position length = 2; length <= last; ++length)
    if (distinct(table, length, to) < static_cast<std::size_t>(length)) return length;
  return 0;
}

struct Stretched {  // two positions of a sequence
  Position a, b, length;
  double value_a, value_b;
  long double product, sinusoidal;  // of the two values; of the rows of width 16
};

struct Moves {  // when one token is added to a sequence of 10
  std::string_view formula;
  int moved = 0, sinusoidal_moved = 0;  // positions whose values change
  long double farthest = 0;
};

struct Steps {  // between neighbours, at two lengths
  Position short_length, long_length;
  long double at_short, at_long;

  long double midpoint_error() const { return std::abs(at_short - at_long) / 2; }
};

struct Narrow {
  std::string name;
  Position first_collision;    // length
  Position of_4096, of_65536;  // distinct values
  std::vector<std::pair<double, double>> by_length;
};

struct Single {  // the one position of a sequence of length 1
  std::string_view formula;
  std::optional<double> value;  // none: refused
};

struct Measured {
  std::vector<Stretched> stretched;
  std::vector<Moves> moves;
  std::vector<Steps> steps;
  std::vector<Narrow> narrow;
  std::vector<Single> singles;
  Curve step_of_index, step_of_sinusoidal;  // distance of neighbours against the length
  std::size_t zeros;                        // of the 100 products with position 0
  std::array<long double, 2> sinusoidal;    // product of positions 5 and 6 of 7, and of 105 and 106 of 107
};

Moves moves(const Range& range, const Table& sinusoidal) {
  const Table table = index_table(range.name);
  Moves out{.formula = range.formula};
  for (Position t = 0; t < 10; ++t) {
    const long double move = std::abs(static_cast<long double>(value(table, t, 11)) -
                                      static_cast<long double>(value(table, t, 10)));
    out.moved += move > 0;
    out.farthest = std::max(out.farthest, move);
    const std::array<Position, 1> at = {t};
    out.sinusoidal_moved += sinusoidal.rows(at, 10) != sinusoidal.rows(at, 11);
  }
  return out;
}

Narrow narrowed(const Named& format, const Table& index) {
  Narrow out{std::string(format.name),
             first_collision(index, format.to, 5000),
             static_cast<Position>(distinct(index, 4096, format.to)),
             static_cast<Position>(distinct(index, 65536, format.to)),
             {}};
  for (int half = 8; half <= 32; ++half) {
    const auto length =
        static_cast<Position>(std::llround(std::pow(2.0L, static_cast<long double>(half) / 2)));
    out.by_length.emplace_back(static_cast<double>(length),
                               static_cast<double>(distinct(index, length, format.to)));
  }
  return out;
}

Single single(const Range& range) {
  try {
    return {range.formula, value(index_table(range.name), 0, 1)};
  } catch (const Refusal&) {
    return {range.formula, std::nullopt};
  }
}

void steps_by_length(Measured& m, const Table& index, const Table& sinusoidal) {
  m.step_of_index = {"t/(L-1)", {}};
  m.step_of_sinusoidal = {"sinusoidal, width 16", {}};
  for (int power = 1; power <= 12; ++power) {
    const Position length = Position{1} << power;
    const auto at = static_cast<double>(length);
    m.step_of_index.points.emplace_back(at, value(index, 1, length) - value(index, 0, length));
    const long double d2 = product(sinusoidal, 0, 0, length) + product(sinusoidal, 1, 1, length) -
                           2 * product(sinusoidal, 0, 1, length);
    m.step_of_sinusoidal.points.emplace_back(at, static_cast<double>(std::sqrt(d2)));
  }
}

Measured measure() {
  const Table index = index_table("zero_one"),
              sinusoidal = experiments::table(encodings::sinusoidal, "dim=16");
  Measured m{};
  for (const auto& [a, b, length] : std::vector<std::array<Position, 3>>{
           {1, 2, 3}, {2, 4, 5}, {5, 10, 11}, {50, 100, 101}, {500, 1000, 1001}})
    m.stretched.push_back({a, b, length, value(index, a, length), value(index, b, length),
                           product(index, a, b, length), product(sinusoidal, a, b, length)});
  for (const Range& range : ranges) {
    m.moves.push_back(moves(range, sinusoidal));
    m.singles.push_back(single(range));
  }
  for (const Position length : {11, 20, 100, 1000})
    m.steps.push_back({10, length, value(index, 1, 10), value(index, 1, length)});
  for (const Named& format : narrow) m.narrow.push_back(narrowed(format, index));
  steps_by_length(m, index, sinusoidal);
  for (Position t = 0; t < 100; ++t) m.zeros += product(index, 0, t, 100) == 0;
  m.sinusoidal = {product(sinusoidal, 5, 6, 7), product(sinusoidal, 105, 106, 107)};
  return m;
}

std::vector<Block> stretched(const Measured& m) {
  Grid grid{.columns = {"positions", "length", "values", "product", "the same pair, sinusoidal"},
            .rows = {},
            .caption = "Sinusoidal: dot product of the rows of width 16 at the same positions."};
  for (const Stretched& one : m.stretched)
    grid.rows.push_back({fmt::format("{} and {}", one.a, one.b), std::to_string(one.length),
                         fmt::format("{} and {}", fixed(one.value_a, 4), fixed(one.value_b, 4)),
                         fixed(one.product, 4), fixed(one.sinusoidal, 4)});
  return {
      Section{"A stretched sequence has the same values"},
      Paragraph{
          "Position `i` of a sequence of `n` tokens and position `c·i` of a sequence of `c·(n-1) + 1` tokens have the same value. "
          "Neighbours in the one are far apart in the other."},
      grid,
      Paragraph{fmt::format(
          "The equality is exact for positions stretched in this way; it does not hold for all pairs. "
          "A product with position 0 carries no information: it is 0 for {} of 100 positions.",
          m.zeros)}};
}

std::vector<Block> steps(const Measured& m) {
  Plot plot{
      .name = "step_by_length",
      .title = "The distance of neighbours depends on the length of the sequence",
      .description =
          "Distance of the values of two neighbouring positions against the length of the sequence, both logarithmic. "
          "The normalised index falls in proportion to one over the length; the sinusoidal encoding of width 16 is a level line.",
      .x = {"length of the sequence, tokens", true, {{2, 4096}}, 2},
      .y = {"distance of neighbours", true, {{1e-4, 3}}},
      .curves = {m.step_of_index, m.step_of_sinusoidal}};
  Grid grid{.columns = {"lengths", "step at the shorter", "step at the longer", "error of the midpoint",
                        "in positions of the longer"},
            .rows = {},
            .caption =
                "The next value is `p + 1/(L-1)`, so a map to it depends on the length. "
                "Among steps common to both lengths, the midpoint minimises the worst-case error."};
  for (const Steps& one : m.steps)
    grid.rows.push_back({fmt::format("{} and {}", one.short_length, whole(one.long_length)),
                         fixed(one.at_short, 4), fixed(one.at_long, 4), fixed(one.midpoint_error(), 4),
                         fixed(one.midpoint_error() / one.at_long, 2)});
  return {Section{"The step depends on the length"}, plot, grid};
}

std::vector<Block> adding(const Measured& m) {
  Grid grid{
      .columns = {"value", "positions that change", "largest change", "sinusoidal: positions that change"},
      .rows = {},
      .caption = "One token is added to a sequence of 10: how many of the 10 values change?"};
  for (const Moves& one : m.moves)
    grid.rows.push_back({std::string(one.formula), fmt::format("{} of 10", one.moved), fixed(one.farthest, 4),
                         fmt::format("{} of 10", one.sinusoidal_moved)});
  return {
      Section{"An added token changes the values of the others"},
      Paragraph{
          "What was computed for the earlier tokens becomes invalid with every token that is added, so neither a cache nor streaming is possible."},
      grid};
}

std::vector<Block> formats(const Measured& m) {
  Plot plot{.name = "distinct_values",
            .title = "In a narrow format, positions of a long sequence share a value",
            .description =
                "Number of distinct values t/(L-1) against the length L, both logarithmic. "
                "The dashed line is one value for each position. "
                "bf16 leaves it early and f16 eight times as late; from there both grow ever more slowly.",
            .x = {"length of the sequence, tokens", true, {{16, 65536}}, 2},
            .y = {"distinct values", true, {{16, 65536}}, 2},
            .curves = {}};
  Grid grid{.columns = {"format", "first length with two equal values", "distinct values of 4,096 positions",
                        "of 65,536"},
            .rows = {}};
  for (const Narrow& one : m.narrow) {
    plot.curves.push_back({one.name, one.by_length});
    grid.rows.push_back(
        {one.name, whole_or_none(one.first_collision), whole(one.of_4096), whole(one.of_65536)});
  }
  plot.curves.push_back({.label = "all distinct", .points = {{16, 16}, {65536, 65536}}, .dashed = true});
  return {Section{"Narrow formats have too few numbers"},
          Paragraph{"The step shrinks until the format has no number between two positions. "
                    "This happens near 1 first, where numbers of a format are farthest apart."},
          plot, grid};
}

std::vector<Block> one_token(const Measured& m) {
  Grid grid{.columns = {"formula", "value of the one position of a sequence of length 1"}, .rows = {}};
  for (const Single& one : m.singles)
    grid.rows.push_back({std::string(one.formula), one.value ? fixed(*one.value, 1) : "0/0: refused"});
  return {Section{"A sequence of one token"}, grid};
}

std::vector<Block> derived(const Measured& m) {
  const long double near = m.stretched[0].product, far = m.stretched[3].product;
  return expectations({
      {"positions 1 and 2 of 3, 50 and 100 of 101: product", "0.5 and 0.5",
       fmt::format("{} and {}", fixed(near, 1), fixed(far, 1))},
      {"the two products are equal to the last bit", "yes", yes_no(near == far)},
      {"sinusoidal, width 16: positions 5 and 6 in a sequence of 7, 105 and 106 in a sequence of 107",
       "7.4852 and 7.4852", fmt::format("{} and {}", fixed(m.sinusoidal[0], 4), fixed(m.sinusoidal[1], 4))},
      {"token added to 10: values t/(L-1) that change", "9 of 10", fmt::format("{} of 10", m.moves[0].moved)},
  });
}

Document run() {
  const Measured m = measure();
  return {
      .title = "Why not the normalised index?",
      .finding = fmt::format(
          "t/(L-1) depends on the sequence length L: neighbours in a sequence of 3 and positions 50 apart in a sequence of 101 have the same values, adding a token changes the values of the others, and in bf16 two positions share a value from length {} on.",
          whole_or_none(m.narrow[0].first_collision)),
      .condition =
          "Value t/(L-1) in one channel unless said otherwise; control: the sinusoidal encoding of width 16; f64 unless said otherwise.",
      .blocks = joined(
          {stretched(m),
           steps(m),
           adding(m),
           formats(m),
           one_token(m),
           derived(m),
           {Verdict{
               "An encoding of a position has to be a function of the position alone. "
               "The normalised index is not, and every failure on this page follows from the length in its divisor."}}})};
}

}  // namespace

const Experiment experiments::why_not_the_normalised_index{
    .question = "Why not simply divide the position by the length?",
    .method =
        "Count the failures: equal values at different positions, values that change, steps that shrink, positions that a narrow format cannot separate.",
    .run = &run,
};

}  // namespace posproof
