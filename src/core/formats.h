#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace posproof {

// The binary floating formats in which encodings are stored: IEEE 754 binary64, binary32 and binary16, and
// bfloat16.
enum class Format { f64, f32, bf16, f16 };

constexpr std::array<Format, 4> every_format = {Format::f64, Format::f32, Format::bf16, Format::f16};

// A finite number of a format is m * 2^e with |m| < 2^digits and e >= smallest - digits + 1, below
// 2^(largest + 1).
struct FormatShape {
  int digits;    // of the significand, the hidden one included
  int smallest;  // exponent of the smallest normal number
  int largest;   // of the largest
};

constexpr FormatShape shape(Format format) {
  constexpr std::array<FormatShape, 4> shapes = {
      {{53, -1022, 1023}, {24, -126, 127}, {8, -126, 127}, {11, -14, 15}}};
  return shapes.at(static_cast<std::size_t>(format));
}

constexpr std::size_t bytes(Format format) {
  return format == Format::f64 ? 8 : format == Format::f32 ? 4 : 2;
}

std::string_view name(Format format);  // `f64`, `f32`, `bf16`, `f16`
std::optional<Format> format(std::string_view name);

// The nearest value of the format, ties to the even one, as a double. Subnormals are kept, what is too large
// becomes an infinity, NaN stays NaN. Rounded once, straight from the double.
double nearest(Format format, double x);

// The 16 bits of a number that bf16 or f16 holds, and back. NaN stays NaN.
std::uint16_t bits_of(Format format, double held);
double value_of(Format format, std::uint16_t bits);

// Whether none of these numbers of the format is an infinity or NaN.
bool are_finite(Format format, std::span<const std::byte> numbers);

// Half the distance between neighbours of the format at the magnitude of x: the largest error of one rounding
// there.
double half_ulp(Format format, double x);

inline double to_f32(double x) {
  return nearest(Format::f32, x);
}
inline double to_bf16(double x) {
  return nearest(Format::bf16, x);
}
inline double to_f16(double x) {
  return nearest(Format::f16, x);
}

}  // namespace posproof
