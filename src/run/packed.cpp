#include "run/packed.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace posproof {
namespace {

template <class Word>
void put(std::byte* to, std::size_t n, Word word) {
  std::memcpy(to + n * sizeof word, &word, sizeof word);
}

template <class Word>
Word got(const std::byte* from, std::size_t n) {
  Word word;
  std::memcpy(&word, from + n * sizeof word, sizeof word);
  return word;
}

// Of a value of fp16.
std::uint16_t bits_of_fp16(double x) {
  const unsigned sign = std::signbit(x) ? 0x8000u : 0;
  if (std::isnan(x)) return 0x7e00;
  if (std::isinf(x)) return static_cast<std::uint16_t>(sign | 0x7c00u);
  const double size = std::abs(x);
  if (size < 0x1p-14) return static_cast<std::uint16_t>(sign | static_cast<unsigned>(std::ldexp(size, 24)));
  const int exponent = std::ilogb(size);
  const auto fraction = static_cast<unsigned>(std::ldexp(size, 10 - exponent)) - 1024u;
  return static_cast<std::uint16_t>(sign | static_cast<unsigned>(exponent + 15) << 10 | fraction);
}

double fp16_of(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  double size = 0;
  if (exponent == 0x1f)
    size = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  else if (exponent == 0)
    size = std::ldexp(fraction, -24);
  else
    size = std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

}  // namespace

Format format_of(double unit) {
  if (unit == unit_fp64) return Format::f64;
  if (unit == unit_fp32) return Format::f32;
  if (unit == unit_bf16) return Format::bf16;
  if (unit == unit_fp16) return Format::f16;
  throw std::invalid_argument(fmt::format("{} is the unit roundoff of no format", unit));
}

bool pack(Format format, std::span<const double> values, std::vector<std::byte>& bytes) {
  bytes.resize(values.size() * posproof::bytes(format));
  bool held = true;
  for (std::size_t n = 0; n < values.size(); ++n) {
    const double x = values[n] + 0.0;  // -0 + 0 is 0
    switch (format) {
      case Format::f64:
        put(bytes.data(), n, x);
        break;
      case Format::f32: {
        const auto narrow = static_cast<float>(x);
        held &= static_cast<double>(narrow) == x || std::isnan(x);
        put(bytes.data(), n, narrow);
        break;
      }
      case Format::bf16: {
        const auto narrow = static_cast<float>(x);
        std::uint32_t word;
        std::memcpy(&word, &narrow, sizeof word);
        if (std::isnan(x)) word = 0x7fc00000;
        held &= (static_cast<double>(narrow) == x && (word & 0xffff) == 0) || std::isnan(x);
        put(bytes.data(), n, static_cast<std::uint16_t>(word >> 16));
        break;
      }
      case Format::f16:
        held &= nearest(Format::f16, x) == x || std::isnan(x);
        if (!held) return false;
        put(bytes.data(), n, bits_of_fp16(x));
        break;
    }
    if (!held) return false;
  }
  return true;
}

double unpacked(Format format, const std::byte* bytes, std::size_t n) {
  switch (format) {
    case Format::f32:
      return static_cast<double>(got<float>(bytes, n));
    case Format::bf16: {
      const std::uint32_t word = static_cast<std::uint32_t>(got<std::uint16_t>(bytes, n)) << 16;
      float wide;
      std::memcpy(&wide, &word, sizeof wide);
      return static_cast<double>(wide);
    }
    case Format::f16:
      return fp16_of(got<std::uint16_t>(bytes, n));
    case Format::f64:
      break;
  }
  return got<double>(bytes, n);
}

}  // namespace posproof
