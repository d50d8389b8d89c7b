#include "exact/ladder.h"

#include <cmath>
#include <optional>

#include "exact/bounds.h"
#include "exact/double_double.h"

namespace posproof::exact {
Ladder::Ladder(Frequencies frequencies, Amplitude amplitude)
    : Ladder(std::move(frequencies), std::move(amplitude), best_kernel()) {}

Ladder::Ladder(Frequencies frequencies, Amplitude amplitude, const Kernel& kernel)
    : slow_(std::move(frequencies), std::move(amplitude)), kernel_(kernel) {
  for (const Real& w : slow_.with(Slow::usual_bits).frequencies) frequencies_.push_back(w.nearest());
}

const Waves* Ladder::waves() const {
  std::call_once(fast_->once, [this] {
    if (Waves::fit(slow_)) fast_->waves = std::make_unique<const Waves>(slow_, kernel_);
  });
  return fast_->waves.get();
}

std::vector<Ladder::Point> Ladder::points(Position t) const {
  std::vector<Point> points(size());
  const Waves* fast = std::abs(t) <= fast_reach ? waves() : nullptr;
  if (fast == nullptr) {
    for (std::size_t i = 0; i < size(); ++i) points[i] = slow_.point(i, t, Format::f64);
    return points;
  }
  struct Open {
    std::vector<std::size_t> lanes;
    static void tell(void* who, std::size_t, std::size_t lane, bool) {
      static_cast<Open*>(who)->lanes.push_back(lane);
    }
  } open;
  static_assert(sizeof(Point) == 2 * sizeof(double));
  Giants giants(*fast);
  fast->kernel().fill(Format::f64, giants.blocks(t, 1), {Part::sine_and_cosine, 0, size(), sizeof(Point)},
                      points.data(), false, {&Open::tell, &open});
  for (const std::size_t lane : open.lanes) points[lane] = slow_.point(lane, t, Format::f64);
  return points;
}

void Ladder::turn(Position t, std::span<const std::vector<Coordinates>> xy) const {
  const Waves* fast = std::abs(t) <= fast_reach ? waves() : nullptr;
  std::optional<Giants> giants;
  std::optional<Rows> row;
  if (fast != nullptr) {
    giants.emplace(*fast);
    row.emplace(1, fast->lanes());
    const Block& block = giants->block(t, 1);
    fast->kernel().multiply(*block.giant, block.babies[block.begin], (*row)[0], fast->lanes());
  }
  for (std::size_t i = 0; i < size(); ++i)
    for (const Coordinates& point : xy[i]) {
      const double x = *point.x, y = *point.y;
      if (fast != nullptr && splits(x) && splits(y)) {
        const Wave& at = (*row)[0];
        const Twofold sine{at.sine[i], at.sine_rest[i]}, cosine{at.cosine[i], at.cosine_rest[i]};
        const double off = turned_error(std::abs(x) + std::abs(y), std::abs(fast->amplitude()));
        const auto first = certain(sum_of_products({x, 0}, cosine, {-y, 0}, sine), off);
        const auto second = certain(sum_of_products({x, 0}, sine, {y, 0}, cosine), off);
        if (first && second) {
          *point.x = *first, *point.y = *second;
          continue;
        }
      }
      const auto [turned_x, turned_y] = slow_.turned(i, t, x, y, Format::f64);
      *point.x = turned_x, *point.y = turned_y;
    }
}

}  // namespace posproof::exact
