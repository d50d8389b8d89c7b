#include "catalogue/oracle/one_hot.h"
#include "oracle/whole.h"

namespace posproof {

Encoding oracle::one_hot(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const Position last = static_cast<Position>(dim) - 1;
  Table table{.dim = dim, .positions = whole_domain(0, last)};
  table.positions.ends = true;
  table.rows = rows_from(dim, [last](Position t, std::size_t c, Position) {
    refuse_outside(t, 0, last);
    return static_cast<Position>(c) == t ? 1.0 : 0.0;
  });
  return table;
}

}  // namespace posproof
