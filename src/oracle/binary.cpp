#include "oracle/oracle.h"
#include "oracle/whole.h"

namespace posproof::oracle {

Encoding binary(const Parameters& parameters) {
  const Asked asked(parameters, "binary", {"dim", "order", "values"});
  const std::size_t dim = asked.width("dim", 16);
  const bool lsb_first = asked.word("order", {"lsb_first", "msb_first"}) == "lsb_first";
  const double zero = asked.word("values", {"bits", "signs"}) == "signs" ? -1 : 0;
  const Position last = dim < 63 ? (Position{1} << dim) - 1 : std::numeric_limits<Position>::max();
  Table table{.dim = dim, .positions = whole_domain(0, std::min(last, usual_end))};
  table.rows = rows_from(dim, [dim, last, lsb_first, zero](Position t, std::size_t c, Position) {
    within("binary", t, 0, last);
    const std::size_t bit = lsb_first ? c : dim - 1 - c;
    return bit < 63 && (t >> bit) % 2 == 1 ? 1 : zero;
  });
  return table;
}

}  // namespace posproof::oracle
