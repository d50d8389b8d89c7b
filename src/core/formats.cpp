#include "core/formats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace posproof {
namespace {

constexpr std::array<std::string_view, 4> names = {"f64", "f32", "bf16", "f16"};

// The exponent of the last place of the format at the magnitude of x. Below the smallest normal number the
// spacing stays as it is: subnormals.
int spacing(const FormatShape& format, double x) {
  const int exponent = x == 0 ? format.smallest : std::max(std::ilogb(x), format.smallest);
  return exponent - format.digits + 1;
}

}  // namespace

std::string_view name(Format format) {
  return names.at(static_cast<std::size_t>(format));
}

std::optional<Format> format(std::string_view name) {
  for (const Format one : every_format)
    if (posproof::name(one) == name) return one;
  return std::nullopt;
}

double nearest(Format format, double x) {
  if (format == Format::f64 || !std::isfinite(x) || x == 0) return x;
  const FormatShape target = shape(format);
  // Where neither the number nor what it is rounded to leaves the normal ones, the digits to drop are the
  // last of double's own, and a carry out of the others is the next exponent.
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  if (exponent >= target.smallest && exponent < target.largest) {
    const int dropped = 53 - target.digits;
    const std::uint64_t place = std::uint64_t{1} << dropped, odd = bits >> dropped & 1;
    return std::bit_cast<double>((bits + (place / 2 - 1 + odd)) & ~(place - 1));
  }
  // Scaling by a power of two is exact here: the spacing of every narrower format is far above that of
  // double's subnormals.
  const int place = spacing(target, x);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -place)), place);
  const bool overflows = std::abs(rounded) >= std::ldexp(1.0, target.largest + 1);
  return overflows ? std::copysign(std::numeric_limits<double>::infinity(), x) : rounded;
}

std::uint16_t bits_of(Format format, double held) {
  const FormatShape target = shape(format);
  const int fraction_bits = target.digits - 1;
  const int exponents = target.largest - target.smallest + 2;  // and 0, and what is not finite
  const auto sign = static_cast<std::uint16_t>(std::signbit(held) ? 0x8000 : 0);
  const double size = std::abs(held);
  const auto word = [&](int exponent, double fraction) {
    return static_cast<std::uint16_t>(sign | (exponent << fraction_bits) | static_cast<int>(fraction));
  };
  if (std::isnan(held)) return word(exponents, std::ldexp(1, fraction_bits - 1));
  if (std::isinf(held)) return word(exponents, 0);
  // A subnormal is its fraction alone; a normal number has a first digit that is not written.
  const double places = std::ldexp(size, -spacing(target, held));
  const double first = std::ldexp(1, fraction_bits);
  if (places < first) return word(0, places);
  return word(std::ilogb(size) - target.smallest + 1, places - first);
}

double value_of(Format format, std::uint16_t bits) {
  const FormatShape target = shape(format);
  const int fraction_bits = target.digits - 1;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  const int exponent = (bits & 0x7fff) >> fraction_bits, fraction = bits & ((1 << fraction_bits) - 1);
  // A normal number is one of double with a longer exponent and a longer fraction.
  if (exponent > 0 && exponent < target.largest - target.smallest + 2)
    return std::bit_cast<double>(static_cast<std::uint64_t>(bits & 0x8000) << 48 |
                                 static_cast<std::uint64_t>(exponent - 1 + target.smallest + 1023) << 52 |
                                 static_cast<std::uint64_t>(fraction) << (52 - fraction_bits));
  if (exponent == target.largest - target.smallest + 2)
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  return sign * std::ldexp(fraction, target.smallest - fraction_bits);  // a subnormal, or 0
}

namespace {

// Eight bytes of numbers at a time. An infinity and NaN have all bits of the exponent: where one has, adding
// its last bit carries into the sign, and no further, as nothing else of the number is added to.
bool have_no_full_exponent(std::uint64_t exponents, std::uint64_t signs, std::span<const std::byte> numbers) {
  const std::uint64_t last = exponents & ~(exponents << 1);
  std::uint64_t sum = 0, word = 0;
  const std::size_t whole = numbers.size() / sizeof word;
  for (std::size_t n = 0; n < whole; ++n) {
    std::memcpy(&word, numbers.data() + n * sizeof word, sizeof word);
    sum |= (word & exponents) + last;
  }
  word = 0;
  const auto rest = numbers.subspan(whole * sizeof word);
  if (!rest.empty()) std::memcpy(&word, rest.data(), rest.size());
  sum |= (word & exponents) + last;
  return (sum & signs) == 0;
}

}  // namespace

bool are_finite(Format format, std::span<const std::byte> numbers) {
  switch (format) {
    case Format::f64:
      return have_no_full_exponent(0x7ff0000000000000, 0x8000000000000000, numbers);
    case Format::f32:
      return have_no_full_exponent(0x7f8000007f800000, 0x8000000080000000, numbers);
    case Format::bf16:
      return have_no_full_exponent(0x7f807f807f807f80, 0x8000800080008000, numbers);
    default:
      return have_no_full_exponent(0x7c007c007c007c00, 0x8000800080008000, numbers);
  }
}

double half_ulp(Format format, double x) {
  return std::ldexp(0.5, spacing(shape(format), x));
}

}  // namespace posproof
