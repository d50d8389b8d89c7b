#include <cmath>
#include <optional>

#include "catalogue/oracle/sinusoidal.h"
#include "core/hard.h"
#include "exact/exact_table.h"
#include "exact/shared_ladder.h"

namespace posproof {

using namespace exact;

namespace {

// Which frequency each column has, and whether it is a sine. A column of no frequency stays 0.
struct Plan {
  std::size_t dim;
  std::vector<Exponent> exponents;
  std::vector<std::size_t> sine_column;
  std::vector<std::optional<std::size_t>> cosine_column;  // none: it was cut off
  std::vector<Run> runs;                                  // the same, as stretches of columns
};

Plan plan_of(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const std::string& layout = p.word("layout");
  const bool released = p.is("divisor", "half_minus_one");
  const bool is_odd = dim % 2 == 1, padded = p.is("odd", "zero_pad");
  const bool cut = is_odd && !padded;

  const std::size_t cosines = dim / 2;
  const std::size_t sines = cut ? cosines + 1 : cosines;

  // The width that the exponent 2i/width is over.
  std::size_t width = dim;
  if (is_odd && padded) width = dim - 1;
  if (is_odd && p.is("odd", "round_up")) width = dim + 1;

  Plan plan{.dim = dim, .exponents = {}, .sine_column = {}, .cosine_column = {}, .runs = {}};
  for (std::size_t i = 0; i < sines; ++i) {
    const auto n = static_cast<std::int64_t>(i);
    plan.exponents.push_back(released ? Exponent{n, static_cast<std::int64_t>(sines) - 1}
                                      : Exponent{2 * n, static_cast<std::int64_t>(width)});
    const bool interleaved = layout == "interleaved";
    plan.sine_column.push_back(interleaved ? 2 * i : layout == "sin_cos" ? i : cosines + i);
    if (i < cosines)
      plan.cosine_column.push_back(interleaved ? 2 * i + 1 : layout == "sin_cos" ? sines + i : i);
    else
      plan.cosine_column.push_back(std::nullopt);
  }
  if (layout == "interleaved") {
    if (cosines > 0) plan.runs.push_back({Run::Part::sines_and_cosines, 0, 0, cosines});
    if (cut) plan.runs.push_back({Run::Part::sines, 2 * cosines, cosines, 1});
  } else {
    plan.runs.push_back({Run::Part::sines, plan.sine_column[0], 0, sines});
    if (cosines > 0) plan.runs.push_back({Run::Part::cosines, *plan.cosine_column[0], 0, cosines});
  }
  return plan;
}

// The number of the first row, and the row that stays 0.
struct Places {
  std::int64_t offset;
  std::optional<Position> padding;  // a position
};

// Position t stands for t + offset, or for offset - t, which is -(t - offset).
Places places_of(const Arguments& p) {
  const std::int64_t offset = p.whole("offset"), padding = p.whole("padding_row");
  if (p.is("direction", "backward"))
    return {-offset, padding < 0 ? std::nullopt : std::optional(offset - padding)};
  return {offset, padding < 0 ? std::nullopt : std::optional(padding - offset)};
}

Tensor rows_of(const Plan& plan, const Ladder& ladder, const Places& places,
               std::span<const Position> positions) {
  Tensor rows({positions.size(), plan.dim});
  for (std::size_t r = 0; r < positions.size(); ++r) {
    Position t = 0;
    if (__builtin_add_overflow(positions[r], places.offset, &t))
      throw Refusal("sinusoidal: position + offset overflows");
    if (places.padding == positions[r]) continue;
    const auto points = ladder.points(t);
    for (std::size_t i = 0; i < points.size(); ++i) {
      rows.at(r, plan.sine_column[i]) = points[i].sine;
      if (plan.cosine_column[i]) rows.at(r, *plan.cosine_column[i]) = points[i].cosine;
    }
  }
  return rows;
}

// What is hard is t + offset.
std::vector<Position> hard_before_offset(const Table& table, std::int64_t offset) {
  std::vector<Pair> rotating = table.pairs;
  if (table.lone) rotating.push_back(*table.lone);
  auto hard = hard_positions(rotating, table.positions.lo + offset, table.positions.hi + offset);
  for (Position& t : hard) t -= offset;
  return hard;
}

}  // namespace

Encoding oracle::sinusoidal(const Arguments& p) {
  const Plan plan = plan_of(p);
  const Places places = places_of(p);
  const std::int64_t offset = places.offset;
  const double amplitude = p.real("amplitude"), scale = p.real("scale");
  const auto ladder = shared_ladder(Frequencies{.ladder = Geometric{p.real("base"), plan.exponents},
                                                .backward = p.is("direction", "backward"),
                                                .multiple = scale},
                                    amplitude);
  // The scale is rounded, and its product; the power's error counts ln w of the power itself.
  FrequencyError error =
      scale == 1 ? FrequencyError{} : FrequencyError{.roundings = 2 + 3 * std::abs(std::log(scale))};
  const bool summed = p.is("divisor", "half_minus_one");

  Table table{.dim = plan.dim, .amplitude = amplitude, .offset = static_cast<double>(offset)};
  for (std::size_t i = 0; i < ladder->size(); ++i) {
    const std::size_t sine = plan.sine_column[i];
    if (summed) {  // 2 (1 - x) ln b roundings more: the exponent may be formed as (1 - x) ln b - ln b
      const auto& [numerator, denominator] = plan.exponents[i];
      const double x = static_cast<double>(numerator) / static_cast<double>(denominator),
                   logarithm = std::abs(std::log(p.real("base")));
      error.condition =
          1 + 2 * (1 - x) * logarithm / (4 + 3 * std::abs(std::log(std::abs(ladder->frequency(i)))));
    }
    if (plan.cosine_column[i])
      table.pairs.push_back({sine, *plan.cosine_column[i], ladder->frequency(i), i, error});
    else
      table.lone = Pair{sine, sine, ladder->frequency(i), i, error};
  }
  table.positions.hard = hard_before_offset(table, offset);
  table.rows = [plan, ladder, places](std::span<const Position> positions, Position) {
    return rows_of(plan, *ladder, places, positions);
  };
  if (!places.padding) table.exact = std::make_shared<const ExactTable>(ladder, plan.runs, plan.dim, offset);
  return table;
}

}  // namespace posproof
