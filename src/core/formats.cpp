#include "core/formats.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace posproof {
namespace {

struct Format {
  int digits;    // of the significand, the hidden one included
  int smallest;  // exponent of the smallest normal number
  int largest;   // of the largest
};

double nearest(double x, const Format& format) {
  if (!std::isfinite(x) || x == 0) return x;
  // Below the smallest normal number the spacing stays as it is: subnormals.
  const int exponent = std::max(std::ilogb(x), format.smallest);
  const int spacing = exponent - format.digits + 1;
  // Scaling by a power of two is exact here: the spacing of every format is far above that of double's
  // subnormals.
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -spacing)), spacing);
  const bool overflows = std::abs(rounded) >= std::ldexp(1.0, format.largest + 1);
  return overflows ? std::copysign(std::numeric_limits<double>::infinity(), x) : rounded;
}

}  // namespace

double to_fp32(double x) {
  return nearest(x, {24, -126, 127});
}
double to_bf16(double x) {
  return nearest(x, {8, -126, 127});
}
double to_fp16(double x) {
  return nearest(x, {11, -14, 15});
}

}  // namespace posproof
