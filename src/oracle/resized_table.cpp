#include "catalogue/oracle/resized_table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/function.h"
#include "core/hard.h"
#include "core/outside.h"
#include "core/resampling.h"
#include "exact/numbers.h"
#include "exact/rational.h"

namespace posproof {

using namespace exact;

namespace {

// One axis: how many entries there were and are, and how weights are found.
struct Side {
  std::int64_t old_size, new_size;
  std::string method;
  bool corners, wide;
  double coefficient, more;

  Rational step() const {
    if (corners) return new_size == 1 ? Rational(0) : Rational(old_size - 1) / Rational(new_size - 1);
    return Rational(old_size) / (Rational(new_size) + Rational(more));
  }
};

// W(s): 1 - |s| within 1; or Keys 1981, eq. 15, a cubic within 2 whose two pieces are written out in full.
Rational weight_at(const Side& side, Rational s) {
  if (s < 0) s = 0 - s;
  if (side.method == "linear") return s < 1 ? 1 - s : Rational(0);
  const Rational a(side.coefficient), square = s * s, cube = square * s;
  if (s < 1) return (a + 2) * cube - (a + 3) * square + 1;
  if (s < 2) return a * cube - 5 * a * square + 8 * a * s - 4 * a;
  return 0;
}

// Weights of the entries of the old axis in entry n of the new one, exactly; of the others it is 0.
using Weights = std::map<std::int64_t, Rational>;

// Where entry n lies on the old axis, whose entries are 0, 1, ... A wide filter has their middles at halves,
// whatever the step is.
Rational place(const Side& side, std::int64_t n) {
  const Rational half = Rational(1) / 2;
  if (side.corners && !side.wide) return side.step() * Rational(n);
  return side.step() * (Rational(n) + half) - half;
}

// All entries within 2 steps and a few more.
std::pair<std::int64_t, std::int64_t> around(const Rational& at, const Rational& step) {
  const Rational reach = 2 * step + 3;
  return {static_cast<std::int64_t>(nearest(at - reach)), static_cast<std::int64_t>(nearest(at + reach))};
}

Weights weights(const Side& side, std::int64_t n) {
  if (side.method == "first") return {{n, 1}};
  if (side.method == "centre") return {{n + (side.old_size - side.new_size) / 2, 1}};
  Rational at = place(side, n);
  const Rational width = side.wide && side.step() > 1 ? side.step() : Rational(1);
  // Linear begins at the first entry; the cubic reads past both ends, where the last ones stand again.
  if (!side.wide && side.method == "linear" && at < 0) at = 0;
  Weights out;
  Rational sum = 0;
  const auto [from, to] = around(at, width);
  for (std::int64_t i = from; i <= to; ++i) {
    const bool outside = i < 0 || i >= side.old_size;
    if (side.wide && outside) continue;
    const Rational weight = weight_at(side, (Rational(i) - at) / width);
    if (weight == 0) continue;
    Rational& own = out[std::clamp<std::int64_t>(i, 0, side.old_size - 1)];
    own = own + weight;
    sum = sum + weight;
  }
  for (auto& [index, weight] : out) weight = weight / sum;
  return out;
}

Side side(const Arguments& p, std::string_view old_size, std::string_view new_size) {
  return {.old_size = p.whole(old_size),
          .new_size = p.whole(new_size),
          .method = p.word("method"),
          .corners = p.flag("align_corners"),
          .wide = p.flag("antialias"),
          .coefficient = p.real("coefficient"),
          .more = p.real("more")};
}

// The side as its bound takes it: roundings are those of a way to compute it in a format.
resampling::Axis in_doubles(const Side& side) {
  using enum resampling::Method;
  return {.before = static_cast<std::size_t>(side.old_size),
          .after = static_cast<std::size_t>(side.new_size),
          .method = side.method == "linear"  ? linear
                    : side.method == "cubic" ? cubic
                    : side.method == "first" ? first
                                             : centre,
          .align_corners = side.corners,
          .antialias = side.wide,
          .coefficient = side.coefficient,
          .more = side.more};
}

// A number of the trained table, rows that are kept first.
Function<double(std::size_t row, std::size_t channel)> trained_rows(const Arguments& p) {
  const std::size_t dim = p.width("dim"), kept = p.width("kept_rows");
  if (p.is("table", "constant"))
    return [](std::size_t, std::size_t channel) { return 1.0 + static_cast<double>(channel); };
  if (p.is("table", "index"))
    return [dim](std::size_t row, std::size_t channel) { return static_cast<double>(row * dim + channel); };
  const auto drawn = [dim, deviation = p.real("std"), seed = p.whole("table_seed")](std::size_t row,
                                                                                    std::size_t channel) {
    return seeded(deviation, seed, row * dim + channel);
  };
  if (p.is("table", "seeded")) return drawn;
  return [=, height = p.width("from_height"), width = p.width("from_width")](std::size_t row,
                                                                             std::size_t channel) {
    if (row < kept) return drawn(row, channel);
    std::size_t y = (row - kept) / width, x = (row - kept) % width;
    if (2 * y >= height) y = height - 1 - y;
    if (2 * x >= width) x = width - 1 - x;
    return drawn(kept + y * width + x, channel);
  };
}

}  // namespace

Encoding oracle::resized_table(const Arguments& p) {
  const std::size_t dim = p.width("dim"), kept = p.width("kept_rows");
  const Side rows_side = side(p, "from_height", "height"), columns_side = side(p, "from_width", "width");
  const auto trained = trained_rows(p);
  const std::size_t width = p.width("width"), last = kept + p.width("height") * width - 1;
  const auto resized = [=](std::size_t row, std::span<double> out) {
    const Weights down = weights(rows_side, static_cast<std::int64_t>(row / width)),
                  across = weights(columns_side, static_cast<std::int64_t>(row % width));
    for (std::size_t c = 0; c < dim; ++c) {
      Rational sum = 0;
      for (const auto& [i, of_row] : down)
        for (const auto& [j, of_column] : across)
          sum =
              sum + of_row * of_column *
                        Rational(trained(kept + static_cast<std::size_t>(i * columns_side.old_size + j), c));
      out[c] = nearest(sum);
    }
  };

  Table table{.dim = dim,
              .positions = {0, static_cast<Position>(last),
                            hard_positions(std::span<const Pair>{}, 0, static_cast<Position>(last))}};
  table.positions.ends = true;
  table.rows = [=](std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r) {
      refuse_outside(positions[r], 0, static_cast<Position>(last));
      const auto at = static_cast<std::size_t>(positions[r]);
      for (std::size_t c = 0; at < kept && c < dim; ++c) rows.at(r, c) = trained(at, c);
      if (at >= kept) resized(at - kept, rows.row(r));
    }
    return rows;
  };
  const resampling::Grid doubles{
      in_doubles(rows_side), in_doubles(columns_side),
      [=](std::size_t row, std::size_t channel) { return trained(kept + row, channel); }};
  table.row_error = [=](std::span<const double> position, std::span<const double> row,
                        const Precision& precision, std::span<double> error) {
    const auto at = static_cast<std::size_t>(position[0]);
    for (std::size_t c = 0; c < dim; ++c)
      error[c] = at < kept ? 2 * precision.result * std::abs(row[c])
                           : doubles.error(at - kept, c, row[c], precision);
  };
  return table;
}

}  // namespace posproof
