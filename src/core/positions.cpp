#include "core/positions.h"

#include <fmt/format.h>

namespace posproof {

std::span<const Position> Positions::whole() const {
  if (axes_ != 1)
    throw Refusal(fmt::format("positions of {} axes were given; one number for each token is taken", axes_));
  return flat();
}

std::span<const Position> Positions::flat() const {
  if (!are_whole()) throw Refusal("positions that are no whole numbers were given; whole ones are taken");
  return whole_;
}

}  // namespace posproof
