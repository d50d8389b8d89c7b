#include "subject/recent_rows.h"

#include <algorithm>
#include <utility>

#include "subject/dtype.h"

namespace posproof {
namespace {

// A group costs little more to read than a row, as long as it is about a page.
constexpr std::size_t bytes_of_a_group = 4096, most_rows_of_a_group = 8;
constexpr std::size_t most_bytes_kept = std::size_t{1} << 20, most_groups_kept = 512;

}  // namespace

RecentRows::RecentRows(Array array)
    : array_(std::move(array)),
      row_bytes_(array_.width() * bytes(array_.format)),
      rows_of_a_group_(std::clamp<std::size_t>(bytes_of_a_group / std::max<std::size_t>(row_bytes_, 1), 1,
                                               most_rows_of_a_group)),
      kept_(std::clamp<std::size_t>(most_bytes_kept / std::max<std::size_t>(rows_of_a_group_ * row_bytes_, 1),
                                    1, most_groups_kept)) {}

void RecentRows::row(std::size_t r, std::span<double> out) const {
  const std::size_t group = r / rows_of_a_group_, first = group * rows_of_a_group_;
  const std::scoped_lock locked(asking_);
  Kept& place = kept_[group % kept_.size()];
  if (place.rows.empty() || place.group != group) {
    std::vector<std::byte> read = std::exchange(place.rows, {});
    const std::size_t rows = count(array_.shape) / std::max<std::size_t>(array_.width(), 1);
    read.resize(std::min(rows_of_a_group_, rows - first) * row_bytes_);
    array_.read(first * row_bytes_, read);
    place = {group, std::move(read)};
  }
  unpack(array_.format, place.rows.data() + (r - first) * row_bytes_, out);
}

}  // namespace posproof
