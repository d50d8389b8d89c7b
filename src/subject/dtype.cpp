#include "subject/dtype.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace posproof {
namespace {

static_assert(std::endian::native == std::endian::little, "files and frames are read as they lie in memory");

struct Format {
  std::string_view name;
  std::size_t size;
  std::string_view precision = {};
  int bits = 0;     // of the significand, the hidden one included
  int least = 0;    // every value is a multiple of 2^least
  double most = 0;  // the largest finite value
};

constexpr std::array<Format, 15> formats = {{
    {"F64", 8, "fp64", 53, -1074, std::numeric_limits<double>::max()},
    {"F32", 4, "fp32", 24, -149, std::numeric_limits<float>::max()},
    {"BF16", 2, "bf16", 8, -133, 0x1.fep127},
    {"F16", 2, "fp16", 11, -24, 65504},
    {"I64", 8},
    {"I32", 4},
    {"I16", 2},
    {"I8", 1},
    {"U64", 8},
    {"U32", 4},
    {"U16", 2},
    {"U8", 1},
    {"BOOL", 1},
    {"F8_E4M3", 1},
    {"F8_E5M2", 1},
}};

const Format& format(Dtype dtype) {
  return formats[static_cast<std::size_t>(dtype)];
}

template <class T>
T load(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

double half(std::uint16_t bits) {
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  if (exponent == 31) return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

double value(Dtype dtype, const char* at) {
  switch (dtype) {
    case Dtype::F64:
      return load<double>(at);
    case Dtype::F32:
      return static_cast<double>(load<float>(at));
    case Dtype::BF16:
      return static_cast<double>(
          std::bit_cast<float>(static_cast<std::uint32_t>(load<std::uint16_t>(at)) << 16));
    default:
      return half(load<std::uint16_t>(at));
  }
}

}  // namespace

std::optional<Dtype> dtype(std::string_view name) {
  for (std::size_t i = 0; i < formats.size(); ++i)
    if (formats[i].name == name) return static_cast<Dtype>(i);
  return std::nullopt;
}

std::string_view name(Dtype dtype) {
  return format(dtype).name;
}
std::size_t size(Dtype dtype) {
  return format(dtype).size;
}
bool is_float(Dtype dtype) {
  return format(dtype).bits != 0;
}
std::string_view precision_word(Dtype dtype) {
  return format(dtype).precision;
}

std::vector<double> decode(Dtype dtype, std::string_view bytes) {
  if (!is_float(dtype))
    throw std::invalid_argument(fmt::format("{} is none of F64, F32, BF16, F16", name(dtype)));
  const std::size_t each = size(dtype);
  if (bytes.size() % each != 0)
    throw std::length_error(
        fmt::format("{} bytes are no whole number of {} values", bytes.size(), name(dtype)));
  std::vector<double> values(bytes.size() / each);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = value(dtype, bytes.data() + i * each);
  return values;
}

bool holds(Dtype dtype, double value) {
  const Format& f = format(dtype);
  if (!std::isfinite(value) || value == 0) return f.bits != 0;
  if (std::abs(value) > f.most) return false;
  const int last =
      std::max(std::ilogb(value) - f.bits + 1, f.least);  // the exponent of the format's last place here
  const double places = std::ldexp(value, -last);
  return places == std::floor(places);
}

}  // namespace posproof
