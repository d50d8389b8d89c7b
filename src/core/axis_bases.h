#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace posproof {

// What the parameter `bases` says of one axis' ladder: its own base. None where it is the one number that
// stands for no list: then `base` is that of all axes.
inline std::optional<double> base_of_axis(const std::vector<double>& bases, std::size_t axis) {
  return bases.size() > 1 && axis < bases.size() ? std::optional(bases[axis]) : std::nullopt;
}

}  // namespace posproof
