#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/function.h"

namespace posproof {

// A permutation of columns, channels or heads: place c holds what belongs to place of(c).
struct NamedOrder {
  std::string words;
  Function<std::size_t(std::size_t)> of;
};

// Those of `count` places that have a name. Halves are swapped where there are two of one size: of an odd
// number the same is a rotation by places, which the caller names.
std::vector<NamedOrder> named_orders(std::size_t count);

}  // namespace posproof
