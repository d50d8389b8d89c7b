#include "subject/dtype.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>

#include "core/short_numbers.h"

namespace posproof {
namespace {

static_assert(std::endian::native == std::endian::little, "files and frames are read as they lie in memory");

struct Entry {
  std::string_view name;
  std::size_t size;
  std::string_view precision = {};
};

constexpr std::array<Entry, 15> dtypes = {{
    {"F64", 8, "f64"},
    {"F32", 4, "f32"},
    {"BF16", 2, "bf16"},
    {"F16", 2, "f16"},
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

// The four are the same ones in the same order.
static_assert(static_cast<int>(Dtype::F64) == static_cast<int>(Format::f64) &&
              static_cast<int>(Dtype::F32) == static_cast<int>(Format::f32) &&
              static_cast<int>(Dtype::BF16) == static_cast<int>(Format::bf16) &&
              static_cast<int>(Dtype::F16) == static_cast<int>(Format::f16));

const Entry& entry(Dtype dtype) {
  return dtypes[static_cast<std::size_t>(dtype)];
}

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T>
void put(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

}  // namespace

std::optional<Dtype> dtype(std::string_view name) {
  for (std::size_t i = 0; i < dtypes.size(); ++i)
    if (dtypes[i].name == name) return static_cast<Dtype>(i);
  return std::nullopt;
}

std::string_view name(Dtype dtype) {
  return entry(dtype).name;
}
std::size_t size(Dtype dtype) {
  return entry(dtype).size;
}
bool is_float(Dtype dtype) {
  return !entry(dtype).precision.empty();
}
std::string_view precision_word(Dtype dtype) {
  return entry(dtype).precision;
}

std::optional<Format> format(Dtype dtype) {
  if (!is_float(dtype)) return std::nullopt;
  return static_cast<Format>(dtype);
}
Dtype dtype(Format format) {
  return static_cast<Dtype>(format);
}

double value(Format format, const std::byte* at) {
  switch (format) {
    case Format::f64:
      return load<double>(at);
    case Format::f32:
      return static_cast<double>(load<float>(at));
    case Format::bf16:
      return static_cast<double>(
          std::bit_cast<float>(static_cast<std::uint32_t>(load<std::uint16_t>(at)) << 16));
    default:
      return value_of(Format::f16, load<std::uint16_t>(at));
  }
}

void store(Format format, double value, std::byte* at) {
  const double x = nearest(format, value);
  switch (format) {
    case Format::f64:
      return put(at, x);
    case Format::f32:
      return put(at, static_cast<float>(x));
    case Format::bf16:
      return put(at, static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(x)) >> 16));
    default:
      return put(at, bits_of(Format::f16, x));
  }
}

void unpack(Format format, const std::byte* bytes, std::span<double> values) {
  const auto each = [&](auto one) {  // the two formats that the machine has itself
    for (std::size_t n = 0; n < values.size(); ++n) {
      std::memcpy(&one, bytes + n * sizeof one, sizeof one);
      values[n] = static_cast<double>(one);
    }
  };
  if (format == Format::f32) return each(float{});
  if (format == Format::f64) return each(double{});
  unpack_short(format, bytes, values);
}

std::vector<double> decode(Dtype dtype, std::string_view bytes) {
  const auto format = posproof::format(dtype);
  if (!format) throw std::invalid_argument(fmt::format("{} is none of F64, F32, BF16, F16", name(dtype)));
  const std::size_t each = size(dtype);
  if (bytes.size() % each != 0)
    throw std::length_error(
        fmt::format("{} bytes are no whole number of {} values", bytes.size(), name(dtype)));
  std::vector<double> values(bytes.size() / each);
  unpack(*format, std::as_bytes(std::span(bytes)).data(), values);
  return values;
}

bool holds(Dtype dtype, double value) {
  const auto own = format(dtype);
  return own && (!std::isfinite(value) || nearest(*own, value) == value);
}

std::optional<double> first_not_held(Dtype dtype, std::span<const double> values) {
  if (dtype == Dtype::F64) return std::nullopt;
  // What is asked most, at speed.
  if (dtype == Dtype::F32 && std::ranges::all_of(values, [](double value) {
        return static_cast<double>(static_cast<float>(value)) == value;
      }))
    return std::nullopt;
  const auto found = std::ranges::find_if(values, [dtype](double value) { return !holds(dtype, value); });
  return found == values.end() ? std::nullopt : std::optional(*found);
}

}  // namespace posproof
