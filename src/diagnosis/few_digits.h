#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "core/formats.h"
#include "core/precision.h"
#include "diagnosis/clipped_formats.h"

namespace posproof {

// The upper half of an f32.
inline double cut_to_bf16(double x) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(static_cast<float>(x)) & 0xffff0000u);
}

// What numbers are kept in, where that is fewer digits than they have, and what one may lose, relative to
// itself.
struct FewDigits {
  std::string_view words;  // `rounded to f16`
  double (*of)(double);
  double unit;
};

inline constexpr FewDigits few_digits[] = {
    {"rounded to f32", [](double x) { return to_f32(x); }, unit_f32},
    {"rounded to f16", [](double x) { return to_f16(x); }, unit_f16},
    {"rounded to f16, and past 65504 they are that", &to_f16_at_most, unit_f16},
    {"rounded to bf16", [](double x) { return to_bf16(x); }, unit_bf16},
    {"cut to bf16, towards 0", &cut_to_bf16, 2 * unit_bf16},
};

}  // namespace posproof
