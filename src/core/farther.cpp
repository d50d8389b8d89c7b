#include "core/farther.h"

#include <cmath>

namespace posproof {

// Without a branch, so that several are looked at together.
bool any_farther(std::span<const double> there, std::span<const double> here, std::span<const double> most) {
  bool any = false;
  for (std::size_t n = 0; n < there.size(); ++n) any |= std::abs(there[n] - here[n]) > most[n];
  return any;
}

}  // namespace posproof
