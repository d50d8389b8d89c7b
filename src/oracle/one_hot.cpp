#include "oracle/oracle.h"
#include "oracle/whole.h"

namespace posproof::oracle {

Encoding one_hot(const Parameters& parameters) {
  const Asked asked(parameters, "one_hot", {"dim"});
  const std::size_t dim = asked.width("dim", 64);
  const Position last = static_cast<Position>(dim) - 1;
  Table table{.dim = dim, .positions = whole_domain(0, last)};
  table.positions.ends = true;
  table.rows = rows_from(dim, [last](Position t, std::size_t c, Position) {
    within("one_hot", t, 0, last);
    return static_cast<Position>(c) == t ? 1.0 : 0.0;
  });
  return table;
}

}  // namespace posproof::oracle
