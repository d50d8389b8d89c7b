#include "catalogue/encodings.h"
#include "core/hard.h"
#include "encodings/checked.h"
#include "oracle/oracle.h"

namespace posproof {
namespace {

Encoding make(const Parameters& parameters) {
  const std::size_t dim = checked::width(parameters, "dim");
  const std::int64_t offset = checked::whole(parameters, "offset", -checked::widest, checked::widest);

  Table table{.dim = dim, .offset = static_cast<double>(offset)};
  // Among them where bf16 and fp16 stop holding every integer.
  table.positions.hard = hard_positions(std::span<const Pair>{}, table.positions.lo, table.positions.hi);
  table.rows = [dim, offset](std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r)
      for (double& x : rows.row(r)) x = static_cast<double>(static_cast<long double>(positions[r]) + offset);
    return rows;
  };
  return table;
}

}  // namespace

const EncodingSpec encodings::raw_index{
    .summary = "the position itself in every channel",
    .formula = "p_t[c] = t + offset",
    .source =
        "the straw man of every introduction; see Vaswani et al. 2017, section 3.5, for what replaced it",
    .parameters =
        {{"dim", 1.0, {1.0, 2.0, 3.0, 8.0}, "width of the code, channels"},
         {"offset", 0.0, {0.0, 1.0, 2.0}, "integer added to the position: 1 counts from one", true}},
    .make = &make,
    .oracle = &oracle::raw_index,
    .claims = {},
};

}  // namespace posproof
