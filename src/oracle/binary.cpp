#include <limits>

#include "catalogue/oracle/binary.h"
#include "oracle/whole.h"

namespace posproof {

Encoding oracle::binary(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const bool lsb_first = p.is("order", "lsb_first");
  const double zero = p.is("values", "signs") ? -1 : 0;
  const Position last = dim < 63 ? (Position{1} << dim) - 1 : std::numeric_limits<Position>::max();
  Table table{.dim = dim, .positions = whole_domain(0, std::min(last, usual_end))};
  table.rows = rows_from(dim, [dim, last, lsb_first, zero](Position t, std::size_t c, Position) {
    refuse_outside(t, 0, last);
    const std::size_t bit = lsb_first ? c : dim - 1 - c;
    return bit < 63 && (t >> bit) % 2 == 1 ? 1 : zero;
  });
  return table;
}

}  // namespace posproof
