#include <algorithm>
#include <vector>

#include "catalogue/encodings/decomposed_relative.h"
#include "catalogue/misreadings/decomposed_relative.h"
#include "encodings/decomposed.h"
#include "misreadings/right.h"

namespace posproof::misreadings_decomposed_relative {
namespace {

using namespace inside;

// Which axes are read otherwise: rows are the first, columns the last.
struct Axes {
  bool first = false, last = false;
  bool have(std::size_t axis, std::size_t count) const {
    return (first && axis == 0) || (last && axis + 1 == count);
  }
};

struct Reading {
  Axes mirrored = {};     // the offset has the other sign
  bool averaged = false;  // the products of the axes
  Axes of_keys = {};      // the row is multiplied with the key
  Axes scaled = {};       // the query is divided by sqrt(dim), of which the others know nothing
  Axes left_out = {};
  Axes clipped = {};           // the largest offset counts as the one before, in either direction
  bool align_corners = false;  // where a table is interpolated
  Axes fewer = {};             // the numbers of rows are so many less, those below 0 counted from the end
  Position less = 0;
};

// As an index below 0 is read in Python.
std::size_t so_many_less(const DecomposedAxis& axis, std::size_t row, Position less) {
  const auto all = static_cast<Position>(axis.rows());
  const Position other = static_cast<Position>(row - axis.begin) - less;
  return axis.begin + static_cast<std::size_t>(((other % all) + all) % all);
}

Encoding reads(const Parameters& given, const Reading& as) {
  const Arguments p = misread::arguments(encodings::decomposed_relative, given);
  if ((as.scaled.first || as.scaled.last) && p.is("query", "scaled")) throw Refusal("every query is scaled");
  std::vector<DecomposedAxis> axes = decomposed_axes(p);
  const std::vector<double> grid = p.list("grid");
  if ((as.clipped.first || as.clipped.last) && (!p.list("key_grid").empty() || !p.is("table", "fitting")))
    throw Refusal("said of one grid, and of a table that fits it");
  if (as.align_corners && !p.is("table", "linear")) throw Refusal("no table is interpolated");
  const auto rows = decomposed_rows(p, axes, as.align_corners);
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    if (as.mirrored.have(axis, axes.size())) axes[axis].from_query = !axes[axis].from_query;
  Contextual out = misread::right<Contextual>(encodings::decomposed_relative, given);
  out.logits = decomposed_logits(p, [=](std::span<const double> q, std::span<const double> k, Coordinates i,
                                        Coordinates j) {
                 Real met = 0;
                 for (std::size_t axis = 0; axis < axes.size(); ++axis) {
                   if (as.left_out.have(axis, axes.size())) continue;
                   auto query = i[axis];
                   if (as.clipped.have(axis, axes.size())) {
                     const auto most = static_cast<Position>(std::max(grid[axis] - 2, 0.0));
                     query = j[axis] + std::clamp<Position>(i[axis] - j[axis], -most, most);
                   }
                   std::size_t row = axes[axis].row(query, j[axis]);
                   if (as.fewer.have(axis, axes.size())) row = so_many_less(axes[axis], row, as.less);
                   const Real product = dot(as.of_keys.have(axis, axes.size()) ? k : q, rows[row]);
                   met += as.scaled.have(axis, axes.size()) ? product / root(q.size()) : product;
                 }
                 return as.averaged ? met / static_cast<Real>(axes.size()) : met;
               }).logits;
  // Rows of other offsets, and products with the key.
  out.error = [own = out.error](const auto& q, const auto& k, const auto& i, const auto& j,
                                const Precision& p) {
    return own(q, k, i, j, p) + own(q, k, j, i, p) + own(k, q, i, j, p);
  };
  return out;
}

misread::Make with(const Reading& of) {
  return [of](const Parameters& given) { return reads(given, of); };
}

constexpr std::string_view narrow = "dim=4";

}  // namespace

const MisreadingFamily entry{{
    {"the offsets of the first axis are read in the other direction", with({.mirrored = {.first = true}}),
     narrow},
    {"the offsets of the last axis are read in the other direction", with({.mirrored = {.last = true}}),
     narrow},
    {"the rows of the first axis are multiplied with the key, not with the query",
     with({.of_keys = {.first = true}}), narrow},
    {"the rows of the last axis are multiplied with the key, not with the query",
     with({.of_keys = {.last = true}}), narrow},
    {"the rows of the first and of the last axis are multiplied with the key, not with the query",
     with({.of_keys = {.first = true, .last = true}}), narrow},
    {"the query is scaled by 1/sqrt(dim) for the first axis, not for the others",
     with({.scaled = {.first = true}}), narrow},
    {"the query is scaled by 1/sqrt(dim) for the last axis, not for the others",
     with({.scaled = {.last = true}}), narrow},
    {"the product of the first axis is left out", with({.left_out = {.first = true}}), narrow},
    {"the product of the last axis is left out", with({.left_out = {.last = true}}), narrow},
    {"the largest offset of the first axis counts as the one before, in either direction",
     with({.clipped = {.first = true}}), narrow},
    {"the largest offset of the last axis counts as the one before, in either direction",
     with({.clipped = {.last = true}}), narrow},
    {"the products of the axes are averaged, not added up", with({.averaged = true}), "dim=8"},
    {"the first axis reads the row before, below 0 the last one", with({.fewer = {.first = true}, .less = 1}),
     narrow},
    {"the last axis reads the row before, below 0 the last one", with({.fewer = {.last = true}, .less = 1}),
     narrow},
    {"the first axis reads rows 2 before, below 0 those from the end",
     with({.fewer = {.first = true}, .less = 2}), narrow},
    {"the last axis reads rows 2 before, below 0 those from the end",
     with({.fewer = {.last = true}, .less = 2}), narrow},
    {"the first axis reads rows 3 before, below 0 those from the end",
     with({.fewer = {.first = true}, .less = 3}), narrow},
    {"the last axis reads rows 3 before, below 0 those from the end",
     with({.fewer = {.last = true}, .less = 3}), narrow},
    {"the tables are interpolated with align_corners: their first and last rows stay as they are",
     with({.align_corners = true}), "dim=4 grid=[5,3] table=linear table_rows=[15,9]"},
}};

}  // namespace posproof::misreadings_decomposed_relative
