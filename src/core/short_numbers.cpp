#include "core/short_numbers.h"

#include <bit>
#include <cstdint>
#include <cstring>

namespace posproof {
namespace {

// The upper half of an f32.
float of_bf16(std::uint32_t bits) {
  return std::bit_cast<float>(bits << 16);
}

// As if its exponent were that of an f32, then scaled by what the two are apart: exact, subnormal numbers
// too.
float of_f16(std::uint32_t bits) {
  const std::uint32_t size = (bits & 0x7fff) << 13, sign = (bits & 0x8000) << 16;
  const auto finite = std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) * 0x1p112f);
  const std::uint32_t is_special = size >= 0x7c00u << 13 ? ~0u : 0;
  return std::bit_cast<float>((is_special & (size | 0x7f800000)) | (~is_special & finite) | sign);
}

}  // namespace

void unpack_short(Format format, const std::byte* numbers, std::span<double> values) {
  const auto each = [&](auto of) {
    for (std::size_t n = 0; n < values.size(); ++n) {
      std::uint16_t bits = 0;
      std::memcpy(&bits, numbers + n * sizeof bits, sizeof bits);
      values[n] = static_cast<double>(of(bits));
    }
  };
  if (format == Format::bf16) return each(of_bf16);
  each(of_f16);
}

}  // namespace posproof
