#include <algorithm>
#include <cmath>

#include "catalogue/encodings/sincos_2d.h"
#include "catalogue/misreadings/sincos_2d.h"
#include "core/axis_bases.h"
#include "core/error.h"
#include "misreadings/right.h"

namespace posproof::misreadings_sincos_2d {
namespace {

using misread::Real;

// Positions are divided by another extent than that of the declared grid, and 1e-6 more.
struct Extents {
  bool of_the_call = false;  // as far as the tokens of the call reach
  bool less_one = false;
  bool largest = false;  // of all axes
};

std::vector<double> reached(const Positions& positions, std::size_t axes) {
  std::vector<double> out(axes, 0);
  for (std::size_t r = 0; r < positions.size(); ++r)
    for (std::size_t axis = 0; axis < axes; ++axis)
      out[axis] = std::max(out[axis], static_cast<double>(positions.at(r, axis)) + 1);
  return out;
}

template <Extents of>
Encoding reads(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::sincos_2d, given);
  if (p.is("normalize", "none")) throw Refusal("a misreading of extents");
  Table table = misread::right<Table>(encodings::sincos_2d, given);
  const std::vector<double> declared = p.list("grid");
  const double most = std::ranges::max(declared), least = std::ranges::min(declared);
  if (of.largest && most == least) throw Refusal("the same on a square grid");
  if (of.less_one && least < 2) throw Refusal("an extent of 0");
  const auto extents = [declared, most](const Positions& positions) {
    std::vector<double> out = of.of_the_call ? reached(positions, declared.size()) : declared;
    if (of.largest) std::ranges::fill(out, most);
    if (of.less_one)
      for (double& one : out) one -= 1;
    return out;
  };
  table.rows = [=, dim = table.dim, pairs = table.pairs, offset = table.offset](const Positions& positions,
                                                                                Position) {
    const std::vector<double> own = extents(positions);
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r)
      for (const Pair& pair : pairs) {
        const Real by = (declared[pair.axis] + 1e-6L) / (own[pair.axis] + 1e-6L);
        const Real angle = (static_cast<Real>(positions.at(r, pair.axis)) + offset) * by * pair.frequency;
        rows.at(r, pair.first) = static_cast<double>(std::sin(angle));
        rows.at(r, pair.second) = static_cast<double>(std::cos(angle));
      }
    return rows;
  };
  // One token is within a grid of one place: its angles are the largest, by as much as the grid is larger.
  if (of.of_the_call || of.less_one)
    for (Pair& pair : table.pairs) pair.frequency *= of.of_the_call ? declared[pair.axis] : 2;
  return table;
}

// Of each axis: how many pairs it has, the base of its frequencies, and the first of them.
struct Ladder {
  std::size_t pairs = 0;
  Real base = 0, first = 0;
};

std::vector<Ladder> ladders(const Arguments& p, const Table& table) {
  std::vector<Ladder> out(table.positions.axes);
  for (const Pair& pair : table.pairs) {
    Ladder& of = out[pair.axis];
    if (of.pairs++ > 0) continue;
    of.base = base_of_axis(p.list("bases"), pair.axis).value_or(p.real("base"));
    of.first = pair.frequency;
  }
  return out;
}

// The exponent of column c is that times c / n, where an axis has n columns.
template <int times>
Encoding by_columns(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::sincos_2d, given);
  if (!p.is("divisor", "half")) throw Refusal("said of exponents over the columns");
  if (p.is("uneven", "round_up")) throw Refusal("said of parts that are not cut");
  Table table = misread::right<Table>(encodings::sincos_2d, given);
  const std::vector<Ladder> all = ladders(p, table);
  const auto frequency = [=](const Pair& pair, std::size_t column) {
    const Ladder& of = all[pair.axis];
    return of.first * std::pow(of.base, -times * static_cast<Real>(column) / static_cast<Real>(2 * of.pairs));
  };
  return misread::with_rows(table, [=, pairs = table.pairs, offset = static_cast<Real>(table.offset)](
                                       std::span<const Real> position, std::span<double> row) {
    std::ranges::fill(row, 0);
    for (const Pair& pair : pairs) {
      const Real t = position[pair.axis] + offset;
      row[pair.first] = static_cast<double>(std::sin(t * frequency(pair, 2 * pair.index)));
      row[pair.second] = static_cast<double>(std::cos(t * frequency(pair, 2 * pair.index + 1)));
    }
  });
}

// Where the sine and the cosine of number j of so many stand.
Pair columns(const std::string& layout, std::size_t j, std::size_t count) {
  if (layout == "interleaved") return {2 * j, 2 * j + 1, 0, j};
  if (layout == "cos_sin") return {count + j, j, 0, j};
  return {j, count + j, 0, j};
}

Encoding added_up(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::sincos_2d, given);
  Table table = misread::right<Table>(encodings::sincos_2d, given);
  const std::size_t half = table.dim / 2;
  if (table.dim % 2 != 0) throw Refusal("said of even widths");
  std::vector<Pair> pairs;
  const std::vector<Ladder> all = ladders(p, table);
  for (std::size_t axis = 0; axis < all.size(); ++axis)
    for (std::size_t j = 0; j < half && all[axis].pairs > 0; ++j) {
      Pair pair = columns(p.word("layout"), j, half);
      pair.axis = axis;
      const auto of = static_cast<Real>(p.is("divisor", "half") ? half : half - 1);
      pair.frequency =
          static_cast<double>(all[axis].first * std::pow(all[axis].base, -static_cast<Real>(j) / of));
      pairs.push_back(pair);
    }
  const double offset = table.offset;
  table.row_error = [=](std::span<const double> position, std::span<const double>, const Precision& precision,
                        std::span<double> error) {
    std::ranges::fill(error, 0);
    for (const Pair& pair : pairs)
      for (const std::size_t c : {pair.first, pair.second})
        error[c] += misread::more * (angle_error(precision, position[pair.axis] + offset, pair) +
                                     sine_error(precision, 0, pair));
  };
  table.pairs.clear();
  return misread::with_rows(table, [=](std::span<const Real> position, std::span<double> row) {
    std::ranges::fill(row, 0);
    for (const Pair& pair : pairs) {
      const Real angle = (position[pair.axis] + offset) * pair.frequency;
      row[pair.first] += static_cast<double>(std::sin(angle));
      row[pair.second] += static_cast<double>(std::cos(angle));
    }
  });
}

// Positions are divided by the factor of their axis as whole numbers are.
template <Real (*whole)(Real)>
Encoding divided_to_whole(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::sincos_2d, given);
  if (!p.is("normalize", "none")) throw Refusal("said of factors");
  Table table = misread::right<Table>(encodings::sincos_2d, given);
  const auto factor = [factors = p.list("factors"), one = p.real("factor")](std::size_t axis) {
    return static_cast<Real>(factors == std::vector<double>{0} ? one : factors.at(axis));
  };
  bool same = true;
  for (std::size_t axis = 0; axis < table.positions.axes; ++axis) same = same && factor(axis) == 1;
  if (same) throw Refusal("nothing is divided");
  return misread::with_rows(table, [=, pairs = table.pairs, offset = static_cast<Real>(table.offset)](
                                       std::span<const Real> position, std::span<double> row) {
    std::ranges::fill(row, 0);
    for (const Pair& pair : pairs) {
      const Real by = factor(pair.axis), t = whole((position[pair.axis] + offset) / by) * by;
      row[pair.first] = static_cast<double>(std::sin(t * pair.frequency));
      row[pair.second] = static_cast<double>(std::cos(t * pair.frequency));
    }
  });
}
Real down(Real x) {
  return std::floor(x);
}
Real nearest(Real x) {
  return std::nearbyint(x);
}

}  // namespace

const MisreadingFamily entry{{
    {"positions are divided by the extents of the call's own positions, not by those of the grid",
     &reads<Extents{.of_the_call = true}>, "dim=16 normalize=detr offset=1 grid=[5,3]"},
    {"positions are divided by the extents less 1", &reads<Extents{.less_one = true}>,
     "dim=16 normalize=detr offset=1 grid=[5,3]"},
    {"positions of every axis are divided by the largest extent", &reads<Extents{.largest = true}>,
     "dim=16 normalize=detr offset=1 grid=[5,3]"},
    {"sine and cosine of pair j have frequencies of their own, base^(-2c/n) with c = 2j and 2j + 1 of an "
     "axis' n columns: the number of the column stands for that of the pair",
     &by_columns<2>, "dim=16"},
    {"sine and cosine of pair j have frequencies of their own, base^(-c/n) with c = 2j and 2j + 1 of an axis' "
     "n columns: c is not rounded down to an even number",
     &by_columns<1>, "dim=16"},
    {"the embeddings of the axes, each of the whole width, are added up, not set side by side", &added_up,
     "dim=16"},
    {"positions that are divided by a factor are rounded down to whole numbers", &divided_to_whole<down>,
     "dim=16 factor=3"},
    {"positions that are divided by a factor are rounded to whole numbers", &divided_to_whole<nearest>,
     "dim=16 factor=3"},
}};

}  // namespace posproof::misreadings_sincos_2d
