#pragma once

#include <cmath>
#include <cstddef>

// The geometric ladder of frequencies, in long double: x87 has the same pow, sin and cos on every machine,
// while those of glibc in double differ in the last bit from one machine to the next. Values are rounded
// once, at the end.
namespace posproof::ladder {

// w = base^(-numerator/denominator), radians per position.
inline long double frequency(double base, std::size_t numerator, std::size_t denominator) {
  return std::pow(static_cast<long double>(base),
                  -static_cast<long double>(numerator) / static_cast<long double>(denominator));
}

}  // namespace posproof::ladder
