#include "core/hard.h"
#include "exact/numbers.h"
#include "oracle/asked.h"
#include "oracle/oracle.h"

namespace posproof::oracle {

using namespace exact;

Encoding learned(const Parameters& parameters) {
  const Asked asked(parameters, "learned", {"dim", "length", "table", "table_seed", "std", "offset"});
  const std::size_t dim = asked.width("dim", 64);
  const std::int64_t length = asked.whole("length", 512, 1, widest);
  const bool seeded_table = asked.word("table", {"index", "seeded"}) == "seeded";
  const std::int64_t seed = asked.whole("table_seed", 1, -largest_whole, largest_whole);
  const double deviation = asked.positive("std", 0.02);
  const std::int64_t offset = asked.whole("offset", 0, -largest_whole, largest_whole);

  Table table{.dim = dim, .offset = static_cast<double>(offset)};
  const Position lo = offset < 0 ? -offset : 0, hi = length - 1 - offset;
  if (hi < lo) asked.refuse("`offset` leaves no position that has a row of its own");
  table.positions = {lo, hi, hard_positions(std::span<const Pair>{}, lo, hi)};
  table.positions.ends = true;
  table.rows = [=](std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r) {
      within("learned", positions[r], -offset, hi);
      const auto first = static_cast<std::uint64_t>(positions[r] + offset) * dim;
      for (std::size_t c = 0; c < dim; ++c)
        rows.at(r, c) = seeded_table ? seeded(deviation, seed, first + c) : static_cast<double>(first + c);
    }
    return rows;
  };
  return table;
}

}  // namespace posproof::oracle
