#include "run/packed.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <stdexcept>

#include "subject/dtype.h"

namespace posproof {
namespace {

template <class Word>
void put(std::byte* at, Word word) {
  std::memcpy(at, &word, sizeof word);
}

}  // namespace

Format format_of(double unit) {
  if (unit == unit_f64) return Format::f64;
  if (unit == unit_f32) return Format::f32;
  if (unit == unit_bf16) return Format::bf16;
  if (unit == unit_f16) return Format::f16;
  throw std::invalid_argument(fmt::format("{} is the unit roundoff of no format", unit));
}

bool pack(Format format, std::span<const double> values, std::vector<std::byte>& bytes) {
  const std::size_t size = posproof::bytes(format);
  bytes.resize(values.size() * size);
  for (std::size_t n = 0; n < values.size(); ++n) {
    const double x = values[n] + 0.0;  // -0 + 0 is 0
    std::byte* at = bytes.data() + n * size;
    if (format == Format::f64) {
      put(at, x);
    } else if (format == Format::f32) {
      const auto narrow = static_cast<float>(x);
      put(at, narrow);
      if (static_cast<double>(narrow) != x && !std::isnan(x)) return false;
    } else {
      store(format, x, at);
      if (value(format, at) != x && !std::isnan(x)) return false;
    }
  }
  return true;
}

}  // namespace posproof
