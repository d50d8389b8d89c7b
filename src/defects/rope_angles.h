#pragma once
// Angles, cosines and sines in too few digits, or in each other's place.
#include <cmath>
#include <limits>

#include "core/formats.h"
#include "defects/rope_made.h"

namespace posproof::wrong_ropes {

inline Encoding positions_in_bf16(const Parameters& p) {
  return with_angles(p, [](Position t, double w) {
    return exact(static_cast<long double>(to_bf16(static_cast<double>(t))) * w);
  });
}

inline Encoding angles_in_bf16(const Parameters& p) {
  return with_angles(
      p, [](Position t, double w) { return exact(to_bf16(to_bf16(static_cast<double>(t)) * to_f32(w))); });
}

inline Encoding frequencies_in_bf16(const Parameters& p) {
  refuse_unless(right(p).pairs.size() > 1, "the first frequency is 1, which bf16 holds: `dim` above 2");
  return with_pairs(p, [](Pair& pair) { pair.frequency = to_bf16(pair.frequency); });
}

inline Encoding angle_products_in_bf16(const Parameters& p) {
  return with_angles(p, [](Position t, double w) { return exact(to_bf16(static_cast<double>(t) * w)); });
}

inline Encoding angles_all_in_bf16(const Parameters& p) {
  return with_angles(
      p, [](Position t, double w) { return exact(to_bf16(to_bf16(static_cast<double>(t)) * to_bf16(w))); });
}

inline Encoding angle_products_in_f16(const Parameters& p) {
  return with_angles(p, [](Position t, double w) {
    const double angle = to_f16(static_cast<double>(t) * w);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return std::isfinite(angle) ? exact(angle) : Angle{nan, nan};
  });
}

inline Encoding positions_in_f16(const Parameters& p) {
  return with_angles(p, [](Position t, double w) {
    const double at = to_f16(static_cast<double>(t));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return std::isfinite(at) ? exact(static_cast<long double>(at) * w) : Angle{nan, nan};
  });
}

inline Encoding frequencies_in_f16(const Parameters& p) {
  refuse_unless(right(p).pairs.size() > 1, "the first frequency is 1, which f16 holds: `dim` above 2");
  return with_pairs(p, [](Pair& pair) { pair.frequency = to_f16(pair.frequency); });
}

// 10 bits after the first: what a matrix product in tf32 makes of its factors.
inline double to_tf32(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, 11)), exponent - 11);
}

inline Encoding angles_in_tf32(const Parameters& p) {
  return with_angles(p, [](Position t, double w) {
    return exact(static_cast<long double>(to_tf32(static_cast<double>(t))) * to_tf32(w));
  });
}

inline Encoding frequencies_in_f32(const Parameters& p) {
  refuse_unless(right(p).pairs.size() > 1, "the first frequency is 1, which f32 holds: `dim` above 2");
  return with_pairs(p, [](Pair& pair) { pair.frequency = to_f32(pair.frequency); });
}

inline Encoding cos_sin_in_bf16(const Parameters& p) {
  return with_angles(p, [](Position t, double w) {
    const auto [c, s] = exact(static_cast<long double>(t) * w);
    return Angle{to_bf16(c), to_bf16(s)};
  });
}

inline Encoding cos_sin_swapped(const Parameters& p) {
  return with_angles(p, [](Position t, double w) {
    const auto [c, s] = exact(static_cast<long double>(t) * w);
    return Angle{s, c};
  });
}

inline Encoding fast_trig(const Parameters& p) {
  return with_angles(
      p, [](Position t, double w) { return exact(static_cast<long double>(t) * w * (1 + 1e-7L)); });
}

}  // namespace posproof::wrong_ropes
