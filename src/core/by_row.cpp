#include "core/by_row.h"

#include <algorithm>
#include <span>
#include <utility>

namespace posproof {

bool is_by_row(const Rotary& rotary) {
  return rotary.in_call.holds<InEachRow>();
}

Rotary by_row(Rotary rotary) {
  rotary.in_call = InEachRow{std::move(rotary.in_call)};
  rotary.rotate = [rotate = std::move(rotary.rotate)](const Tensor& x, const Positions& positions,
                                                      Role role) {
    if (x.shape.size() != 4 || x.shape[0] < 2) return rotate(x, positions, role);
    const std::size_t batch = x.shape[0], tokens = positions.size() / batch;
    Tensor out(x.shape), row({1, x.shape[1], x.shape[2], x.shape[3]});
    for (std::size_t b = 0; b < batch; ++b) {
      const auto from = static_cast<std::ptrdiff_t>(b * row.data.size());
      std::copy_n(x.data.begin() + from, row.data.size(), row.data.begin());
      const Tensor rotated = rotate(row, positions.whole().subspan(b * tokens, tokens), role);
      std::ranges::copy(rotated.data, out.data.begin() + from);
    }
    return out;
  };
  return rotary;
}

std::shared_ptr<const Rotary> in_row(const Rotary& rotary, const Positions& positions, std::size_t batch,
                                     std::size_t row) {
  if (!rotary.in_call || positions.empty()) return in_call(rotary, 0);
  const std::span<const Position> all = positions.whole();
  const std::size_t own = all.size() / batch;
  return in_call(rotary, std::ranges::max(is_by_row(rotary) ? all.subspan(row * own, own) : all));
}

}  // namespace posproof
