#include "oracle/oracle.h"
#include "oracle/whole.h"

namespace posproof::oracle {

Encoding raw_index(const Parameters& parameters) {
  const Asked asked(parameters, "raw_index", {"dim", "offset"});
  const std::size_t dim = asked.width("dim", 1);
  const std::int64_t offset = asked.whole("offset", 0, -largest_whole / 2, largest_whole / 2);
  Table table{.dim = dim, .positions = whole_domain(0, usual_end), .offset = static_cast<double>(offset)};
  table.rows = rows_from(dim, [offset](Position t, std::size_t, Position) {
    within("raw_index", t, -largest_whole / 2, largest_whole / 2);
    return static_cast<double>(t + offset);
  });
  return table;
}

}  // namespace posproof::oracle
