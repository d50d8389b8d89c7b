#include "exact/given.h"

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

#include "exact/shared_ladder.h"

namespace posproof::exact {

std::shared_ptr<const ExactTable> with_frequencies(const ExactTable& table,
                                                   std::span<const double> frequencies, Position offset) {
  if (frequencies.size() != table.ladder().size())
    throw std::invalid_argument(
        fmt::format("{} frequencies are given, the table has {}", frequencies.size(), table.ladder().size()));
  const auto ladder = shared_ladder(Frequencies{Given{{frequencies.begin(), frequencies.end()}}},
                                    table.ladder().multiprecision().amplitude());
  return std::make_shared<const ExactTable>(
      ladder, std::vector<Run>(table.runs().begin(), table.runs().end()), table.dim(), offset);
}

}  // namespace posproof::exact
