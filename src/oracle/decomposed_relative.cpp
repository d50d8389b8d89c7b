#include "catalogue/oracle/decomposed_relative.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/resampling.h"
#include "oracle/formula.h"

namespace posproof {
namespace {

using exact::InFull;
using exact::Number;

// What is added up in any order, each partial sum stored. No partial sum is larger than all terms by their
// absolute values: one rounding of that for each but the first term.
Number added(const InFull&, std::span<const Number> terms) {
  Number out;
  for (const Number& term : terms) out += term;
  return out;
}
Rounded added(const InPrecision& in, std::span<const Rounded> terms) {
  Rounded out;
  for (const Rounded& term : terms)
    out = {out.value + term.value, out.size + term.size, out.error + term.error};
  for (std::size_t n = 1; n < terms.size(); ++n) out = in.stored(out);
  return out;
}

bool before_the_grid(oracle::Coordinates place) {
  return std::any_of(place.begin(), place.end(), [](Position number) { return number < 0; });
}

// One axis as its code has it: sizes of queries and keys, and the length of its trained table, which begins
// behind those of the axes before.
struct Side {
  Position q_size, k_size, length, begin;

  Position most() const { return std::max(q_size, k_size); }

  // (i max(k/q, 1) - j max(q/k, 1)) + (k - 1) max(q/k, 1), cut to a whole number: of the two factors one is
  // 1. Places past either end count as that end.
  Position coordinate(Position query, Position key) const {
    const Position i = query * q_size / most(), j = key * k_size / most();
    const Position at =
        q_size < k_size ? i * k_size / q_size + k_size - 1 - j : i + (k_size - 1 - j) * q_size / k_size;
    return std::max<Position>(0, std::min(at, 2 * most() - 2));
  }
};

std::vector<Side> sides_of(const Arguments& p) {
  std::vector<Side> sides;
  Position begin = 0;
  for (std::size_t axis = 0; axis < p.list("grid").size(); ++axis) {
    Side side{
        .q_size = static_cast<Position>(p.list("grid")[axis]), .k_size = 0, .length = 0, .begin = begin};
    side.k_size = p.list("key_grid").empty() ? side.q_size : static_cast<Position>(p.list("key_grid")[axis]);
    side.length =
        p.is("table", "fitting") ? 2 * side.most() - 1 : static_cast<Position>(p.list("table_rows")[axis]);
    begin += side.length;
    sides.push_back(side);
  }
  return sides;
}

// F.interpolate, linear, of an axis of `length` rows to 2 most - 1, whose rows are squares: entry n has its
// middle at ((2 n + 1) length - after) / (2 after), from the first row on.
struct Resized {
  const oracle::Trained& table;
  Side side;
  Position n;

  Position after() const { return 2 * side.most() - 1; }
  Position parts() const { return std::max<Position>(0, (2 * n + 1) * side.length - after()); }
  Position below() const { return parts() / (2 * after()); }
  double entry(Position row, std::size_t c) const {
    return table.row(side.begin + std::min(row, side.length - 1))[c];
  }

  std::vector<Number> in(const InFull&, std::size_t dim) const {
    const auto upper = static_cast<double>(parts() % (2 * after())), all = static_cast<double>(2 * after());
    std::vector<Number> out;
    for (std::size_t c = 0; c < dim; ++c)
      out.push_back(
          (Number(entry(below(), c)) * Number(all - upper) + Number(entry(below() + 1, c)) * Number(upper)) /
          Number(all));
    return out;
  }
  // As a row of a grid of one column, which is copied.
  std::vector<Rounded> in(const InPrecision& of, std::size_t dim) const {
    using resampling::Method;
    const auto axis = [](Position from, Position to, Method method) {
      return resampling::Axis{.before = static_cast<std::size_t>(from),
                              .after = static_cast<std::size_t>(to),
                              .method = method,
                              .align_corners = false,
                              .antialias = false,
                              .coefficient = 0,
                              .more = 0};
    };
    const resampling::Grid grid{
        axis(side.length, after(), Method::linear), axis(1, 1, Method::first),
        [&](std::size_t row, std::size_t c) { return entry(static_cast<Position>(row), c); }};
    const std::vector<Number> exact = in(InFull(), dim);
    std::vector<Rounded> out;
    for (std::size_t c = 0; c < dim; ++c) {
      const double value = exact[c].nearest();
      out.push_back({value, std::abs(value), grid.error(static_cast<std::size_t>(n), c, value, of.p)});
    }
    return out;
  }
};

}  // namespace

// Attn = (Q K^T + E) / sqrt(d), E_ij = Q_i . (R^h_h(i),h(j) + R^w_w(i),w(j) + R^t_t(i),t(j)): MViTv2,
// equations 4 and 5; in its code, and Segment Anything's, Q K^T / sqrt(d) + E, the vector of an axis as
// get_rel_pos finds it.
Encoding oracle::decomposed_relative(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const std::vector<Side> sides = sides_of(p);
  const Trained table(static_cast<std::size_t>(sides.back().begin + sides.back().length), dim,
                      p.whole("table_seed"));
  const bool key_minus_query = p.is("relative", "key_minus_query"), all_scaled = p.is("query", "scaled"),
             classed = p.is("class_token", "apart"), interpolated = p.is("table", "linear");

  // A row that is resized is asked for by every query and key that are as far apart.
  const auto vector = [=, resized = KeptNumbers<Number>()](const auto& in, std::size_t axis, Position n) {
    const Side& side = sides[axis];
    if (!interpolated || side.length == 2 * side.most() - 1) return trained(in, table.row(side.begin + n));
    const auto number = n * static_cast<Position>(sides.size()) + static_cast<Position>(axis);
    return resized(in, number, [&](const auto& of, Position) { return Resized{table, side, n}.in(of, dim); });
  };
  Contextual relative = contextual_on_a_grid(
      "decomposed_relative", dim, 1, sides.size(), AsGiven(),
      [=](const auto& in, const auto& q, const auto& k, Coordinates i, Coordinates j) {
        using All = NumbersOf<std::decay_t<decltype(in)>>;
        const auto content = in.dot(q, k);
        if (classed && (before_the_grid(i) || before_the_grid(j))) return All{in.over_root(content, dim)};
        All terms = {all_scaled ? content : in.over_root(content, dim)};
        for (std::size_t axis = 0; axis < sides.size(); ++axis) {
          const Side& side = sides[axis];
          const Position from_first = side.coordinate(i[axis], j[axis]);
          terms.push_back(
              in.dot(q, vector(in, axis, key_minus_query ? 2 * side.most() - 2 - from_first : from_first)));
        }
        const auto sum = added(in, terms);
        return All{all_scaled ? in.over_root(sum, dim) : sum};
      });
  for (const Side& side : sides) relative.positions.last_on_axis.push_back(side.most() - 1);
  relative.positions.hi =
      *std::max_element(relative.positions.last_on_axis.begin(), relative.positions.last_on_axis.end());
  if (classed) relative.positions.lo = -1, relative.positions.class_token = -1;
  return relative;
}

}  // namespace posproof
