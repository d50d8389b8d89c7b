#include "exact/ladder.h"

#include <cmath>
#include <optional>

#include "exact/bounds.h"
#include "exact/double_double.h"

namespace posproof::exact {
Ladder::Ladder(Frequencies frequencies, Amplitude amplitude)
    : Ladder(std::move(frequencies), std::move(amplitude), best_kernel()) {}

Ladder::Ladder(Frequencies frequencies, Amplitude amplitude, const Kernel& kernel)
    : multiprecision_(std::move(frequencies), std::move(amplitude)), kernel_(kernel) {
  for (const Real& w : multiprecision_.with(Multiprecision::usual_bits).frequencies)
    frequencies_.push_back(w.nearest());
}

const PhasorTables* Ladder::phasors() const {
  std::call_once(fast_->once, [this] {
    if (PhasorTables::fit(multiprecision_))
      fast_->phasors = std::make_unique<const PhasorTables>(multiprecision_, kernel_);
  });
  return fast_->phasors.get();
}

template <class Work>
void Ladder::with_giants(const PhasorTables& fast, Work work) const {
  const std::unique_lock first(fast_->busy, std::try_to_lock);
  std::optional<Giants> own;
  std::optional<Giants>& giants = first.owns_lock() ? fast_->giants : own;
  if (!giants) giants.emplace(fast);
  work(*giants);
}

std::vector<Ladder::SineAndCosine> Ladder::points(Position t) const {
  std::vector<SineAndCosine> points(size());
  const PhasorTables* fast = std::abs(t) <= fast_reach ? phasors() : nullptr;
  if (fast == nullptr) {
    for (std::size_t i = 0; i < size(); ++i) points[i] = multiprecision_.point(i, t, Format::f64);
    return points;
  }
  struct Open {
    std::vector<std::size_t> lanes;
    static void tell(void* who, std::size_t, std::size_t lane, bool) {
      static_cast<Open*>(who)->lanes.push_back(lane);
    }
  } open;
  static_assert(sizeof(SineAndCosine) == 2 * sizeof(double));
  with_giants(*fast, [&](Giants& giants) {
    fast->kernel().fill(Format::f64, giants.blocks(t, 1),
                        {Part::sine_and_cosine, 0, size(), sizeof(SineAndCosine)}, points.data(), false,
                        {&Open::tell, &open});
  });
  for (const std::size_t lane : open.lanes) points[lane] = multiprecision_.point(lane, t, Format::f64);
  return points;
}

void Ladder::rotate(Position t, std::span<const std::vector<Coordinates>> xy) const {
  const PhasorTables* fast = std::abs(t) <= fast_reach ? phasors() : nullptr;
  std::optional<PhasorRows> row;
  if (fast != nullptr) {
    row.emplace(1, fast->lanes());
    with_giants(*fast, [&](Giants& giants) {
      const Block& block = giants.block(t, 1);
      fast->kernel().multiply(*block.giant, block.babies[block.begin], (*row)[0], fast->lanes());
    });
  }
  for (std::size_t i = 0; i < size(); ++i)
    for (const Coordinates& point : xy[i]) {
      const double x = *point.x, y = *point.y;
      if (fast != nullptr && splits(x) && splits(y)) {
        const Phasor& at = (*row)[0];
        const DoubleDouble sine{at.sine[i], at.sine_rest[i]}, cosine{at.cosine[i], at.cosine_rest[i]};
        const double off = rotated_error(std::abs(x) + std::abs(y), std::abs(fast->amplitude()));
        const auto first = certain(sum_of_products({x, 0}, cosine, {-y, 0}, sine), off);
        const auto second = certain(sum_of_products({x, 0}, sine, {y, 0}, cosine), off);
        if (first && second) {
          *point.x = *first, *point.y = *second;
          continue;
        }
      }
      const auto [rotated_x, rotated_y] = multiprecision_.rotated(i, t, x, y, Format::f64);
      *point.x = rotated_x, *point.y = rotated_y;
    }
}

}  // namespace posproof::exact
