#include <cstddef>

#include "catalogue/encodings/resized_table.h"
#include "catalogue/misreadings/resized_table.h"
#include "misreadings/right.h"

namespace posproof::misreadings_resized_table {
namespace {

// Interpolation answers [dim, height, width]. Whoever reshapes that to [height width, dim], without moving
// the first axis behind the others, reads entry n of all as that of channel n mod dim in cell n / dim.
Encoding not_permuted(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::resized_table, given);
  const std::size_t kept = p.width("kept_rows"), cells = p.width("height") * p.width("width");
  Table out = misread::right<Table>(encodings::resized_table, given);
  if (out.dim == 1 || cells == 1) throw Refusal("the same with one channel or in one cell");
  out.rows = [=, own = out.rows, dim = out.dim](const Positions& positions, Position length) {
    Tensor rows = own(positions, length);
    for (std::size_t r = 0; r < positions.size(); ++r) {
      const auto at = static_cast<std::size_t>(positions[r]);
      if (at < kept) continue;
      for (std::size_t c = 0; c < dim; ++c) {
        const std::size_t n = (at - kept) * dim + c;
        const Position cell[] = {static_cast<Position>(kept + n % cells)};
        rows.at(r, c) = own(cell, length).at(0, n / cells);
      }
    }
    return rows;
  };
  return out;
}

}  // namespace

const MisreadingFamily entry{{
    {"channels are not moved behind rows and columns: [dim, height, width] is read as [height width, dim]",
     &not_permuted, "dim=4 from_height=3 from_width=2 height=4 width=3 kept_rows=1 table=seeded"},
}};

}  // namespace posproof::misreadings_resized_table
