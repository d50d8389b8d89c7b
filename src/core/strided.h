#pragma once

#include <cstddef>

namespace posproof {

// Numbers of `size` bytes each (2, 4 or 8) in equal steps, counted in numbers.
struct Strided {
  std::size_t size, step, count;
};

// Copies them to numbers in other steps.
void copy(const std::byte* from, const Strided& numbers, std::byte* to, std::size_t step);

// Whether they have the same bits as others in other steps.
bool have_the_same_bits(const std::byte* some, const Strided& numbers, const std::byte* others,
                        std::size_t step);

}  // namespace posproof
