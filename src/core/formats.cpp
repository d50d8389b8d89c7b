#include "core/formats.h"

#include <algorithm>
#include <cmath>
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
  // Scaling by a power of two is exact here: the spacing of every narrower format is far above that of
  // double's subnormals.
  const int place = spacing(target, x);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -place)), place);
  const bool overflows = std::abs(rounded) >= std::ldexp(1.0, target.largest + 1);
  return overflows ? std::copysign(std::numeric_limits<double>::infinity(), x) : rounded;
}

double half_ulp(Format format, double x) {
  return std::ldexp(0.5, spacing(shape(format), x));
}

}  // namespace posproof
