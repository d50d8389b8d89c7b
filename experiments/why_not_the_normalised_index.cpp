#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "catalogue/encodings.h"
#include "catalogue/experiments.h"
#include "core/formats.h"
#include "measure.h"

namespace posproof {
namespace {

using namespace document;
using experiments::expectations;
using experiments::whole;

Table index_row(std::string_view range) {
  return std::get<Table>(encodings::normalized_index.make(
      with(encodings::normalized_index, Case::parse(fmt::format("dim=1 range={}", range)))));
}

Table sinusoid() {
  return std::get<Table>(encodings::sinusoidal.make(with(encodings::sinusoidal, Case::parse("dim=16"))));
}

double row(const Table& table, Position t, Position length) {
  const std::array<Position, 1> at = {t};
  return table.rows(at, length).at(0, 0);
}

std::vector<double> rows(const Table& table, Position length) {
  std::vector<Position> all(static_cast<std::size_t>(length));
  std::iota(all.begin(), all.end(), Position{0});
  return table.rows(all, length).data;
}

long double product(const Table& table, Position a, Position b, Position length) {
  const std::array<Position, 2> at = {a, b};
  const Tensor rows = table.rows(at, length);
  long double sum = 0;
  for (std::size_t c = 0; c < rows.width(); ++c)
    sum += static_cast<long double>(rows.at(0, c)) * static_cast<long double>(rows.at(1, c));
  return sum;
}

using Format = double (*)(double);

std::size_t distinct(const Table& table, Position length, Format to) {
  std::set<double> seen;
  for (const double x : rows(table, length)) seen.insert(to(x));
  return seen.size();
}

// The shortest length at which two positions get the same code; 0: none up to `last`.
Position first_collision(Format to, Position last) {
  const Table table = index_row("zero_one");
  for (Position length = 2; length <= last; ++length)
    if (distinct(table, length, to) < static_cast<std::size_t>(length)) return length;
  return 0;
}

struct Named {
  std::string_view name;
  Format to;
};
constexpr std::array<Named, 2> narrow = {{{"bf16", &to_bf16}, {"f16", &to_f16}}};

Plot survivors() {
  Plot plot{
      .name = "distinct_codes",
      .title = "In a narrow format, positions of a long text fall together",
      .description =
          "Number of distinct codes t/(L-1) against the length L, both logarithmic. The dashed line is one "
          "code for "
          "each position. bf16 leaves it early and f16 eight times as late; from there both grow ever more "
          "slowly.",
      .x = {"length of the sequence, tokens", true, {{16, 65536}}, 2},
      .y = {"distinct codes", true, {{16, 65536}}, 2},
      .curves = {}};
  const Table table = index_row("zero_one");
  for (const auto& [name, to] : narrow) {
    Curve curve{std::string(name), {}};
    for (int half = 8; half <= 32; ++half) {
      const auto length =
          static_cast<Position>(std::llround(std::pow(2.0L, static_cast<long double>(half) / 2)));
      curve.points.emplace_back(static_cast<double>(length),
                                static_cast<double>(distinct(table, length, to)));
    }
    plot.curves.push_back(curve);
  }
  plot.curves.push_back({.label = "all distinct", .points = {{16, 16}, {65536, 65536}}, .dashed = true});
  return plot;
}

Plot steps() {
  Plot plot{.name = "step_by_length",
            .title = "How far apart neighbours are depends on the length of the text",
            .description =
                "Distance of the codes of two neighbouring positions against the length of the sequence, "
                "both logarithmic. "
                "The normalised index falls in proportion to one over the length; the sinusoidal code of "
                "width 16 is a "
                "level line.",
            .x = {"length of the sequence, tokens", true, {{2, 4096}}, 2},
            .y = {"distance of the codes of neighbours", true, {{1e-4, 3}}},
            .curves = {}};
  const Table index = index_row("zero_one"), phasors = sinusoid();
  Curve falling{"t/(L-1)", {}}, level{"sinusoidal, width 16", {}};
  for (int power = 1; power <= 12; ++power) {
    const Position length = Position{1} << power;
    falling.points.emplace_back(static_cast<double>(length), row(index, 1, length) - row(index, 0, length));
    const long double d2 =
        product(phasors, 0, 0, length) + product(phasors, 1, 1, length) - 2 * product(phasors, 0, 1, length);
    level.points.emplace_back(static_cast<double>(length), static_cast<double>(std::sqrt(d2)));
  }
  plot.curves = {falling, level};
  return plot;
}

Document run() {
  const Table index = index_row("zero_one"), phasors = sinusoid();

  Grid dilation{.columns = {"positions", "length", "codes", "product", "the same pair, sinusoidal"},
                .rows = {},
                .caption = "Sinusoidal: product of the codes of width 16 at the same positions."};
  for (const auto& [a, b, length] : std::vector<std::array<Position, 3>>{
           {1, 2, 3}, {2, 4, 5}, {5, 10, 11}, {50, 100, 101}, {500, 1000, 1001}})
    dilation.rows.push_back(
        {fmt::format("{} and {}", a, b), std::to_string(length),
         fmt::format("{} and {}", fixed(row(index, a, length), 4), fixed(row(index, b, length), 4)),
         fixed(product(index, a, b, length), 4), fixed(product(phasors, a, b, length), 4)});

  Grid prefix{.columns = {"code", "positions that move", "farthest move", "sinusoidal: positions that move"},
              .rows = {},
              .caption = "One token is added to a sequence of 10: how many of the 10 codes change?"};
  for (const auto& [range, said] : {std::pair{"zero_one", "t/(L-1)"}, std::pair{"per_length", "t/L"},
                                    std::pair{"shifted", "(t+1)/L"}, std::pair{"centred", "2t/(L-1) - 1"}}) {
    const Table table = index_row(range);
    int moved = 0, control = 0;
    long double farthest = 0;
    for (Position t = 0; t < 10; ++t) {
      const long double move =
          std::abs(static_cast<long double>(row(table, t, 11)) - static_cast<long double>(row(table, t, 10)));
      moved += move > 0;
      farthest = std::max(farthest, move);
      const std::array<Position, 1> at = {t};
      control += phasors.rows(at, 10) != phasors.rows(at, 11);
    }
    prefix.rows.push_back(
        {said, fmt::format("{} of 10", moved), fixed(farthest, 4), fmt::format("{} of 10", control)});
  }

  Grid shift{.columns = {"lengths", "step of the one", "step of the other", "a common step is wrong by",
                         "in positions of the longer"},
             .rows = {},
             .caption =
                 "The next code is `p + 1/(L-1)`: a map to it knows the length. Of all common steps the "
                 "middle one is the "
                 "least wrong."};
  for (const auto& [a, b] : std::vector<std::array<Position, 2>>{{10, 11}, {10, 20}, {10, 100}, {10, 1000}}) {
    const long double one = row(index, 1, a), two = row(index, 1, b);
    const long double wrong = std::abs(one - two) / 2;
    shift.rows.push_back({fmt::format("{} and {}", a, whole(b)), fixed(one, 4), fixed(two, 4),
                          fixed(wrong, 4), fixed(wrong / two, 2)});
  }

  Grid formats{.columns = {"format", "first length with two equal codes", "distinct codes of 4,096 positions",
                           "of 65,536"},
               .rows = {}};
  std::vector<std::string> collide;
  for (const auto& [name, to] : narrow) {
    const Position at = first_collision(to, 5000);
    collide.push_back(at ? whole(at) : "none");
    formats.rows.push_back({std::string(name), collide.back(),
                            whole(static_cast<Position>(distinct(index, 4096, to))),
                            whole(static_cast<Position>(distinct(index, 65536, to)))});
  }

  Grid one{.columns = {"code", "of the one position of a sequence of length 1"}, .rows = {}};
  for (const auto& [range, said] : {std::pair{"zero_one", "t/(L-1)"}, std::pair{"per_length", "t/L"},
                                    std::pair{"shifted", "(t+1)/L"}, std::pair{"centred", "2t/(L-1) - 1"}}) {
    std::string answer;
    try {
      answer = fixed(row(index_row(range), 0, 1), 1);
    } catch (const Refusal&) {
      answer = "0/0: refused";
    }
    one.rows.push_back({said, answer});
  }

  std::size_t zeros = 0;
  for (Position t = 0; t < 100; ++t) zeros += product(index, 0, t, 100) == 0;
  const long double near = product(index, 1, 2, 3), far = product(index, 50, 100, 101);
  return {.title = "Why not the normalised index?",
          .finding = fmt::format("A position divided by the length means another thing in every length: "
                                 "neighbours in a text of 3 and positions "
                                 "50 apart in a text of 101 have the same codes, adding a token moves the "
                                 "others, and in bf16 two positions "
                                 "fall together from length {} on.",
                                 collide[0]),
          .condition =
              "Code t/(L-1) in one channel unless said otherwise; control: the sinusoidal code of width 16; "
              "f64 unless said "
              "otherwise.",
          .blocks = {
              Section{"Stretched texts look the same"},
              Paragraph{"Position `i` of a text of `n` tokens and position `c·i` of a text of `c·(n-1) + 1` "
                        "tokens have the same code. "
                        "What was next to each other in the one is far apart in the other."},
              dilation,
              Paragraph{fmt::format("It is exact along such stretchings, not a law for all pairs. One more "
                                    "product says nothing: that with "
                                    "position 0, which is 0 for {} of 100 positions.",
                                    zeros)},
              Section{"The step depends on the length"},
              steps(),
              shift,
              Section{"Adding a token moves the others"},
              Paragraph{"Whatever was computed for the earlier tokens is void with every token that is "
                        "added: no cache, no streaming."},
              prefix,
              Section{"Narrow formats run out"},
              Paragraph{"The step shrinks until the format has no number between two positions. This happens "
                        "near 1 first, where numbers "
                        "of a format are farthest apart."},
              survivors(),
              formats,
              Section{"A text of one token"},
              one,
              Section{"Against paper"},
              expectations({
                  {"positions 1 and 2 of 3, 50 and 100 of 101: product", "0.5 and 0.5",
                   fmt::format("{} and {}", fixed(near, 1), fixed(far, 1))},
                  {"the two products are equal to the last bit", "yes", near == far ? "yes" : "no"},
                  {"sinusoidal, width 16: positions 5 and 6 in a text of 7, 105 and 106 in a text of 107",
                   "7.4852 and 7.4852",
                   fmt::format("{} and {}", fixed(product(phasors, 5, 6, 7), 4),
                               fixed(product(phasors, 105, 106, 107), 4))},
                  {"token added to 10: codes t/(L-1) that move", "9 of 10", prefix.rows[0][1]},
              }),
              Verdict{"A code of position has to be a function of the position alone. The normalised index "
                      "is not, and every failure on "
                      "this page follows from the length in its divisor."},
          }};
}

}  // namespace

const Experiment experiments::why_not_the_normalised_index{
    .question = "Why not simply divide the position by the length?",
    .method =
        "Count what goes wrong: equal codes of unequal places, codes that move, steps that shrink, positions "
        "that a narrow "
        "format cannot tell apart.",
    .run = &run,
};

}  // namespace posproof
