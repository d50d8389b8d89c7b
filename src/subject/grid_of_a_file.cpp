#include "subject/grid_of_a_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <variant>

#include "core/function.h"

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

GridOfAFile grid_of(const Array& array, std::size_t axes, const Expected& expected) {
  const std::vector<std::size_t> given = given_grid(expected);
  Shape shape(array.shape.begin(), array.shape.end() - 1);
  if (shape.size() == axes + 1 && shape[0] == 1) shape.erase(shape.begin());
  if (shape.size() == axes && (shape == given || std::ranges::find(shape, 1U) == shape.end())) return {shape};
  if (longer_axes(shape) <= 1) shape = {posproof::count(shape)};  // [1, places] or [places, 1]
  if (shape.size() != 1)
    throw SubjectError(fmt::format("{}: {} is neither {}, a table of a grid, nor [places, dim]", array.path,
                                   text(array.shape),
                                   axes == 2 ? "[rows, columns, dim]" : "[images, rows, columns, dim]"));
  const GridOfAFile grid{given};
  if (given.size() != axes || shape[0] < grid.places())
    throw std::invalid_argument(fmt::format(
        "{}: it holds {} rows, the grid of `{}` with {} has {}: `grid` is to say how many rows and columns",
        array.path, shape[0], expected.encoding, expected.parameters.text(),
        given.size() == axes ? fmt::format("{} places", grid.places()) : "none"));
  return {given, shape[0] - grid.places()};
}

void place_class_tokens(GridOfAFile& grid, const std::string& path,
                        const Function<bool(std::size_t row)>& is_one, std::string_view what_they_do,
                        Side first) {
  const std::size_t all = grid.before + grid.behind;
  const auto stand = [&](Side side) {
    for (std::size_t r = 0; r < all; ++r)
      if (!is_one(side == Side::before ? r : grid.places() + r)) return false;
    return true;
  };
  for (const Side side : {first, first == Side::before ? Side::behind : Side::before})
    if (stand(side)) {
      grid.before = side == Side::before ? all : 0;
      grid.behind = all - grid.before;
      return;
    }
  throw std::invalid_argument(
      fmt::format("{}: it holds {} rows, a grid of {} has {}: neither before it nor behind it stand rows of "
                  "class tokens, which {}",
                  path, grid.places() + all, grid.text(), grid.places(), what_they_do));
}

std::string class_tokens_in_words(const GridOfAFile& grid, std::string_view of) {
  const std::size_t all = grid.before + grid.behind;
  if (all == 0) return "";
  return fmt::format(" {} {} {}", grid.before > 0 ? "behind" : "before",
                     all == 1 ? "a row" : fmt::format("{} rows", all), of);
}

}  // namespace posproof
