#include "catalogue/oracle/raw_index.h"
#include "oracle/whole.h"

namespace posproof {

Encoding oracle::raw_index(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const std::int64_t offset = p.whole("offset");
  Table table{.dim = dim, .positions = whole_domain(0, usual_end), .offset = static_cast<double>(offset)};
  table.rows = rows_from(dim, [offset](Position t, std::size_t, Position) {
    refuse_outside(t, -largest_whole / 2, largest_whole / 2);
    return static_cast<double>(t + offset);
  });
  return table;
}

}  // namespace posproof
