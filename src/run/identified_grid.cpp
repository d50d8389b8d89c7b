#include "run/identified_grid.h"

#include "run/catalogued.h"

namespace posproof {
namespace {

using Extents = std::vector<double>;

// Narrow ones are no images: at least 4 rows and columns, one at most 8 times the other.
std::vector<Extents> grids_of(std::size_t places) {
  std::vector<Extents> out;
  for (std::size_t rows = 4; rows * 4 <= places; ++rows) {
    const std::size_t columns = places / rows;
    if (places % rows == 0 && rows <= 8 * columns && columns <= 8 * rows)
      out.push_back({static_cast<double>(rows), static_cast<double>(columns)});
  }
  return out;
}

std::vector<Extents> grids_of(const Shape& shape) {
  if (shape.size() == 3) return {{static_cast<double>(shape[0]), static_cast<double>(shape[1])}};
  std::vector<Extents> out;
  if (shape.size() != 2) return out;
  for (const std::size_t class_tokens : {0, 1})
    if (shape[0] > class_tokens)
      for (Extents& one : grids_of(shape[0] - class_tokens)) out.push_back(std::move(one));
  return out;
}

}  // namespace

std::vector<Candidate> grid_candidates(Shape shape) {
  while (shape.size() > 2 && shape.front() == 1) shape.erase(shape.begin());
  std::vector<Candidate> out;
  for (const Extents& grid : grids_of(shape))
    for (const double base : {10000.0, 20.0})
      for (const double offset : {0.0, 1.0}) {
        Parameters given;
        given.set("dim", static_cast<double>(shape.back()));
        given.set("base", base);
        given.set("offset", offset);
        given.set("uneven", std::string("refuse"));
        given.set("grid", grid);
        for (Candidate& one : settings("sincos_2d", encoding_named("sincos_2d"), given, 512))
          out.push_back(std::move(one));
      }
  return out;
}

}  // namespace posproof
