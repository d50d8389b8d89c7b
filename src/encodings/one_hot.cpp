#include "catalogue/encodings.h"
#include "encodings/checked.h"
#include "oracle/oracle.h"

namespace posproof {
namespace {

Encoding make(const Parameters& parameters) {
  const std::size_t dim = checked::width(parameters, "dim");

  Table table{.dim = dim, .positions = {0, static_cast<Position>(dim) - 1}};
  table.positions.ends = true;
  table.rows = [dim, last = table.positions.hi](std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r) {
      checked::position(positions[r], 0, last);
      rows.at(r, static_cast<std::size_t>(positions[r])) = 1;
    }
    return rows;
  };
  return table;
}

}  // namespace

const EncodingSpec encodings::one_hot{
    .summary = "a channel of its own for each position",
    .formula = "p_t = e_t",
    .source = "the table behind every learned encoding: a linear layer on e_t is a row of its weights",
    .parameters = {{"dim",
                    64.0,
                    {1.0, 2.0, 3.0, 8.0, 64.0},
                    "width of the code, channels; also the number of positions"}},
    .make = &make,
    .oracle = &oracle::one_hot,
    .claims = {},
};

}  // namespace posproof
