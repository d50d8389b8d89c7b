#include "subject/recent_rows.h"

#include <algorithm>
#include <utility>

namespace posproof {
namespace {

constexpr std::size_t most_values_kept = std::size_t{1} << 19, most_rows_kept = 4096;

}  // namespace

RecentRows::RecentRows(Array array)
    : array_(std::move(array)),
      kept_(std::clamp<std::size_t>(most_values_kept / std::max<std::size_t>(array_.width(), 1), 1,
                                    most_rows_kept)) {}

void RecentRows::row(std::size_t r, std::span<double> out) const {
  const std::scoped_lock locked(asking_);
  Kept& place = kept_[r % kept_.size()];
  if (place.values.empty() || place.row != r) {
    place.values.clear();
    std::vector<double> values(array_.width());
    array_.row(r, values);
    place = {r, std::move(values)};
  }
  std::ranges::copy(place.values, out.begin());
}

}  // namespace posproof
