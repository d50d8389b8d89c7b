#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "catalogue/encodings/normalized_index.h"
#include "catalogue/encodings/raw_index.h"
#include "catalogue/encodings/sinusoidal.h"
#include "catalogue/experiments/why_not_the_normalised_index.h"
#include "core/bounded.h"
#include "core/formats.h"
#include "measure.h"
#include "references.h"
#include "tables.h"

namespace posproof::experiments_why_not_the_normalised_index {
namespace {

using namespace document;
using experiments::expectations;
using experiments::joined;
using experiments::proved;
using experiments::rows;
using experiments::whole;
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
  int digits;  // significant bits
};
constexpr std::array<Named, 2> narrow = {{{"bf16", &to_bf16, 8}, {"f16", &to_f16, 11}}};

constexpr Position searched = 5000;  // lengths in which equal values are looked for

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

// The shortest length at which two positions get the same value.
Position first_collision(const Table& table, Format to) {
  for (Position length = 2; length <= searched; ++length)
    if (distinct(table, length, to) < static_cast<std::size_t>(length)) return length;
  throw std::logic_error(bounded("no two values are equal at any length up to {}", searched));
}

// How many positions of a sequence have a value t/(L-1) of 1/2 or more: more than the 2^(p-1) + 1 numbers of
// p bits from 1/2 to 1 from L = 2^p + 3 on, so two of them are equal at every length from there on.
bool too_many_for_the_upper_half(Position length, int digits) {
  return (length - 1) / 2 + 1 > (Position{1} << (digits - 1)) + 1;
}

// Is i/(n-1) at length n, bit for bit, c i/(c (n-1)) at length c (n-1) + 1? For every n to 33, i < n, c to
// 16.
bool stretched_are_equal(const Table& index) {
  for (Position n = 2; n <= 33; ++n)
    for (Position i = 0; i < n; ++i)
      for (Position c = 2; c <= 16; ++c)
        if (value(index, i, n) != value(index, c * i, c * (n - 1) + 1)) return false;
  return true;
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
  Position raw_collision;      // length, of the index t itself
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
             first_collision(index, format.to),
             first_collision(experiments::table(encodings::raw_index, "dim=1"), format.to),
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

// What the page says in words.
void prove(const Measured& m, const Table& index) {
  proved(stretched_are_equal(index), "stretched sequences have the same values");
  for (std::size_t n = 0; n < narrow.size(); ++n) {
    const Position first = (Position{1} << narrow[n].digits) + 3;
    proved(m.narrow[n].first_collision == first &&
               !too_many_for_the_upper_half(first - 1, narrow[n].digits) &&
               too_many_for_the_upper_half(first, narrow[n].digits),
           "the first equal values are where [1/2, 1] has too few numbers");
    proved(m.narrow[n].raw_collision == first - 1, "the index itself has equal values one length earlier");
  }
  for (const auto& [length, step] : m.step_of_index.points)
    proved(step == 1 / (length - 1), "the step is 1/(L-1)");
  for (const auto& [length, step] : m.step_of_sinusoidal.points)
    proved(step == m.step_of_sinusoidal.points[0].second, "the sinusoidal step is level");
  for (const Moves& one : m.moves)
    proved(one.moved >= 9 && one.sinusoidal_moved == 0, "an added token changes all values but position 0's");
  proved(m.zeros == 100, "every product with position 0 is 0");
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
  prove(m, index);
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
          "Position `i` of a sequence of `n` tokens and position `c·i` of a sequence of `c·(n-1) + 1` tokens have the same value t/(L-1). "
          "Neighbours in the one are `c` positions apart in the other."},
      grid,
      Paragraph{fmt::format(
          "Both quotients are the same rational number, so they round to the same f64: checked for every n to 33, every i and every c to 16. "
          "Positions that are not stretched by the same factor have other values. "
          "The product of a value with that of position 0 is 0: at length 100 for {} of 100 positions.",
          m.zeros)}};
}

std::vector<Block> steps(const Measured& m) {
  Plot plot{
      .name = "step_by_length",
      .title = "The step of t/(L-1) shrinks with the length; that of the sinusoidal row does not",
      .description = fmt::format(
          "Distance of the values of two neighbouring positions against the length L of the sequence, both logarithmic. "
          "The normalised index falls as 1/(L-1), from {} at L = 2 to {} at L = {}; the sinusoidal encoding of width 16 is a level line at {}.",
          fixed(m.step_of_index.points.front().second, 0),
          scientific(m.step_of_index.points.back().second, 2),
          whole(static_cast<Position>(m.step_of_index.points.back().first)),
          fixed(m.step_of_sinusoidal.points[0].second, 3)),
      .x = {"length of the sequence, tokens", true, {{2, 4096}}, 2},
      .y = {"distance of neighbours", true, {{1e-4, 3}}},
      .curves = {m.step_of_index, m.step_of_sinusoidal},
      .caption =
          "Distance of positions 0 and 1 at the lengths 2, 4, 8, ..., 4,096: the absolute difference of "
          "t/(L-1) in one channel, the 2-norm of the difference of sinusoidal rows of width 16, base 10000."};
  Grid grid{
      .columns = {"lengths", "step at the shorter", "step at the longer", "error of the midpoint",
                  "in positions of the longer"},
      .rows = {},
      .caption =
          "The next value is `p + 1/(L-1)`, so a map to it depends on the length. "
          "One step s for both lengths has a worst-case error of max(|s - a|, |s - b|), where a and b are "
          "the two steps; the midpoint minimises it. The last column is that error over the step at the longer length."};
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
      .caption =
          "One token is added to a sequence of 10: how many of the 10 values change, and the largest of "
          "the changes. Sinusoidal: rows of width 16."};
  for (const Moves& one : m.moves)
    grid.rows.push_back({std::string(one.formula), fmt::format("{} of 10", one.moved), fixed(one.farthest, 4),
                         fmt::format("{} of 10", one.sinusoidal_moved)});
  return {
      Section{"An added token changes earlier values"},
      Paragraph{
          "When a token is added, the values of the earlier tokens change, except that of position 0 where it is constant. "
          "What was computed from them has to be computed again: keys and values cannot be kept in a cache."},
      grid};
}

std::vector<Block> formats(const Measured& m) {
  Plot plot{
      .name = "distinct_values",
      .title = "In bf16 and f16, positions of a long sequence share a value",
      .description = fmt::format(
          "Number of distinct values t/(L-1) against the length L, both logarithmic. "
          "The dashed line is one value for each position. "
          "bf16 leaves it at length {} and ends at {} values for 65,536 positions; f16 leaves it at {} and ends at {}.",
          whole(m.narrow[0].first_collision), whole(m.narrow[0].of_65536), whole(m.narrow[1].first_collision),
          whole(m.narrow[1].of_65536)),
      .x = {"length of the sequence, tokens", true, {{16, 65536}}, 2},
      .y = {"distinct values", true, {{16, 65536}}, 2},
      .curves = {},
      .caption =
          "Distinct values of t/(L-1), computed in f64 and rounded to the format, at lengths L from "
          "16 to 65,536 in steps of a factor of √2."};
  Grid grid{
      .columns = {"format", "t/(L-1): first length with two equal values",
                  "distinct values of 4,096 positions", "of 65,536", "t: first length with two equal values"},
      .rows = {},
      .caption =
          "Values computed in f64 and rounded to the format. The last column is the index t itself, "
          "without a length in it."};
  for (const Narrow& one : m.narrow) {
    plot.curves.push_back({one.name, one.by_length});
    grid.rows.push_back({one.name, whole(one.first_collision), whole(one.of_4096), whole(one.of_65536),
                         whole(one.raw_collision)});
  }
  plot.curves.push_back({.label = "all distinct", .points = {{16, 16}, {65536, 65536}}, .dashed = true});
  return {
      Section{"Narrow formats have too few numbers between 1/2 and 1"},
      Paragraph{
          "A format with p significant bits has 2^(p-1) + 1 numbers from 1/2 to 1, and half of the positions have values there. "
          "From length 2^p + 3 on these positions are more than the numbers, so two of them share one: 259 for bf16 (p = 8), 2,051 for f16 (p = 11). "
          "At every shorter length all values differ; that was enumerated. "
          "The length in the divisor is not the cause: the index t itself, rounded to the format, has equal values from length 2^p + 2 on."},
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
          "t/(L-1) depends on the sequence length L: neighbours in a sequence of 3 and positions 50 apart in a sequence of 101 have the same values, adding a token changes the value of every earlier one but the first, and in bf16 two positions share a value from length {} on.",
          whole(m.narrow[0].first_collision)),
      .condition =
          "Value t/(L-1) in one channel unless said otherwise; control: the sinusoidal encoding (Vaswani et al. 2017, section 3.5) of width 16, base 10000; f64 unless said otherwise.",
      .blocks = joined(
          {stretched(m),
           steps(m),
           adding(m),
           formats(m),
           one_token(m),
           derived(m),
           {PageVerdict{fmt::format(
               "The normalised index is not a function of the position alone. "
               "Equal values of stretched sequences, steps that depend on the length and values that change when a token is added follow from the length in its divisor. "
               "Equal values in bf16 and f16 do not: they follow from the spacing of the format. From 1/2 to 1, where half of the positions lie, bf16 has {} numbers and f16 {}.",
               whole((Position{1} << (narrow[0].digits - 1)) + 1),
               whole((Position{1} << (narrow[1].digits - 1)) + 1))}},
           experiments::references({experiments::vaswani_2017})})};
}

}  // namespace

const Experiment entry{
    .question = "Why not simply divide the position by the length?",
    .method =
        "Count the failures: equal values at different positions, values that change, steps that shrink, positions that a narrow format cannot separate.",
    .run = &run,
    .asked_by = Asker::choosing,
};

}  // namespace posproof::experiments_why_not_the_normalised_index
