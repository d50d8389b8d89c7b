#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "catalogue/oracle/relative_table.h"
#include "core/hard.h"
#include "exact/numbers.h"
#include "exact/real.h"

namespace posproof {

using namespace exact;

namespace {

using Offset = std::array<Position, 3>;  // of frames, rows and columns; 0 of what a position has not

// Of the window; 1 of what a position has not.
struct Extents {
  Position frames, height, width;
};

// A window's offsets in the order in which the table is written down, each with its row: found by counting,
// which knows no formula of an index.
std::map<Offset, std::uint64_t> rows_of(const Extents& of, bool columns_fastest) {
  std::map<Offset, std::uint64_t> rows;
  const Position outer = columns_fastest ? of.height : of.width,
                 inner = columns_fastest ? of.width : of.height;
  for (Position t = 1 - of.frames; t < of.frames; ++t)
    for (Position a = 1 - outer; a < outer; ++a)
      for (Position b = 1 - inner; b < inner; ++b)
        rows.emplace(columns_fastest ? Offset{t, a, b} : Offset{t, b, a}, rows.size());
  return rows;
}

// The same of distances, as they appear: the first token of a window is at each of them to one other.
std::map<Offset, std::uint64_t> rows_of_distances(const Extents& of, bool columns_fastest) {
  std::map<Offset, std::uint64_t> rows;
  const Position outer = columns_fastest ? of.height : of.width,
                 inner = columns_fastest ? of.width : of.height;
  for (Position t = 0; t < of.frames; ++t)
    for (Position a = 0; a < outer; ++a)
      for (Position b = 0; b < inner; ++b)
        rows.emplace(columns_fastest ? Offset{t, a, b} : Offset{t, b, a}, rows.size());
  return rows;
}

struct Window {
  Extents extents;
  std::size_t axes;
  bool query_minus_key, distance;

  Offset offset(const Positions& queries, std::size_t i, const Positions& keys, std::size_t j) const {
    const auto along = [&](std::size_t axis, Position extent) {
      const Position query = queries.flat()[i * queries.axes() + axis],
                     key = keys.flat()[j * keys.axes() + axis];
      if (distance) return std::min(extent - 1, std::max(query, key) - std::min(query, key));
      return std::min(extent - 1, std::max(1 - extent, query_minus_key ? query - key : key - query));
    };
    return {axes > 2 ? along(0, extents.frames) : 0, axes > 1 ? along(axes - 2, extents.height) : 0,
            along(axes - 1, extents.width)};
  }
};

// Which of the three rows behind those of offsets: of a class token, which stands before the grid, as a
// query, as a key, as both. None of a pair within the grid.
std::optional<std::uint64_t> row_of_class(const Positions& queries, std::size_t i, const Positions& keys,
                                          std::size_t j) {
  const auto before = [](const Positions& all, std::size_t token) {
    return all.flat()[2 * token] < 0 || all.flat()[2 * token + 1] < 0;
  };
  if (before(queries, i) && before(keys, j)) return 2;
  if (before(keys, j)) return 1;
  if (before(queries, i)) return 0;
  return std::nullopt;
}

// scale times a trained number: the product is exact here, and rounded once.
double scaled(double scale, double entry, Format format) {
  Real product(128, entry);
  mpfr_mul_d(product.x, product.x, scale, MPFR_RNDN);
  return *rounded(format, product, 0);
}

}  // namespace

Encoding oracle::relative_table(const Arguments& p) {
  const std::size_t heads = p.width("heads");
  const bool line = p.is("axes", "line"), plane = p.is("axes", "rows_and_columns"),
             seeded_table = p.is("table", "seeded");
  const Extents extents{line || plane ? 1 : p.whole("frames"), line ? 1 : p.whole("height"),
                        p.whole("width")};
  const Window window{extents,
                      line    ? 1u
                      : plane ? 2u
                              : 3u,
                      p.is("relative", "query_minus_key"), p.is("relative", "distance")};
  const auto rows =
      (window.distance ? rows_of_distances : rows_of)(extents, !plane || p.is("fastest", "columns"));
  const std::int64_t seed = p.whole("table_seed");
  const double scale = p.real("scale");
  const bool classed = plane && p.is("class_token", "three_rows");
  const std::size_t all_rows = rows.size() + (classed ? 3 : 0);
  const auto entry = [=](std::uint64_t row, std::size_t head, Format format) {
    return scaled(
        scale,
        seeded_table ? seeded(1, seed, row * heads + head) : static_cast<double>(row + all_rows * head),
        format);
  };

  Bias bias{.heads = heads};
  bias.positions.axes = window.axes;
  if (line) {
    bias.positions.hard = {0, extents.width - 1, extents.width};
  } else {  // the window itself
    bias.positions.hi = std::max({extents.frames, extents.height, extents.width}) - 1;
    bias.positions.last_on_axis = {extents.height - 1, extents.width - 1};
    if (!plane) bias.positions.last_on_axis.insert(bias.positions.last_on_axis.begin(), extents.frames - 1);
  }
  if (classed) bias.positions.lo = -1, bias.positions.class_token = -1;
  bias.bias = [=](const Positions& queries, const Positions& keys) {
    Tensor out({heads, queries.size(), keys.size()});
    auto to = out.data.begin();
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t i = 0; i < queries.size(); ++i)
        for (std::size_t j = 0; j < keys.size(); ++j) {
          const auto own = classed ? row_of_class(queries, i, keys, j) : std::nullopt;
          *to++ =
              entry(own ? rows.size() + *own : rows.at(window.offset(queries, i, keys, j)), h, Format::f64);
        }
    return out;
  };
  return bias;
}

}  // namespace posproof
