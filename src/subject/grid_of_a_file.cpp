#include "subject/grid_of_a_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <variant>

namespace posproof {
namespace {

// The parameter `grid`, where the encoding has one: [rows, columns].
std::vector<std::size_t> given_grid(const Expected& expected) {
  std::vector<std::size_t> extents;
  if (const Value* given = expected.parameters.find("grid"))
    for (const double extent : std::get<std::vector<double>>(*given))
      extents.push_back(static_cast<std::size_t>(extent));
  return extents;
}

bool is_zero(const Array& array, std::size_t rows) {
  std::vector<double> row(array.width());
  for (std::size_t r = 0; r < rows; ++r) {
    array.row(r, row);
    if (std::ranges::any_of(row, [](double x) { return x != 0; })) return false;
  }
  return true;
}

}  // namespace

std::string GridOfAFile::text() const {
  return fmt::format("{}", fmt::join(extents, " x "));
}

std::size_t GridOfAFile::row(const std::string& path, std::span<const Position> place) const {
  std::size_t row = 0;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const Position t = place[axis];
    if (t < 0 || t >= static_cast<Position>(extents[axis]))
      throw Refusal(
          fmt::format("{} is of a grid of {}; number {} of axis {} was asked for", path, text(), t, axis));
    row = row * extents[axis] + static_cast<std::size_t>(t);
  }
  return before + row;
}

Domain GridOfAFile::domain(std::vector<Position> hard) const {
  Domain out(0, 0, std::move(hard));
  out.axes = extents.size();
  for (const std::size_t extent : extents) {
    out.last_on_axis.push_back(static_cast<Position>(extent) - 1);
    out.hi = std::max(out.hi, out.last_on_axis.back());
  }
  std::erase_if(out.hard, [&](Position t) { return t < 0 || t > out.hi; });
  out.ends = true;
  return out;
}

GridOfAFile grid_of(const Array& array, std::size_t axes, BeforeTheGrid before_it, const Expected& expected) {
  const std::vector<std::size_t> given = given_grid(expected);
  Shape shape(array.shape.begin(), array.shape.end() - 1);
  if (shape.size() == axes + 1 && shape[0] == 1) shape.erase(shape.begin());
  if (shape.size() == axes && (shape[0] != 1 || shape == given)) return {shape};
  if (shape.size() == axes && axes == 2) shape.erase(shape.begin());
  if (shape.size() != 1)
    throw SubjectError(fmt::format("{}: {} is neither {}, a table of a grid, nor [places, dim]", array.path,
                                   text(array.shape),
                                   axes == 2 ? "[rows, columns, dim]" : "[images, rows, columns, dim]"));
  const GridOfAFile grid{given};
  if (given.size() != axes || shape[0] < grid.places() ||
      (shape[0] > grid.places() && before_it == BeforeTheGrid::nothing))
    throw std::invalid_argument(fmt::format(
        "{}: it holds {} rows, the grid of `{}` with {} has {}: `grid` is to say how many rows and columns",
        array.path, shape[0], expected.encoding, expected.parameters.text(),
        given.size() == axes ? fmt::format("{} places", grid.places()) : "none"));
  const std::size_t before = shape[0] - grid.places();
  if (!is_zero(array, before))
    throw std::invalid_argument(fmt::format(
        "{}: it holds {} rows, the grid of `{}` with {} has {} places: the first {} are no zeros, as those "
        "of class tokens are",
        array.path, shape[0], expected.encoding, expected.parameters.text(), grid.places(), before));
  return {given, before};
}

}  // namespace posproof
