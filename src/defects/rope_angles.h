#pragma once
// Angles, cosines and sines in too few digits, or in each other's place.
#include <cmath>
#include <limits>

#include "catalogue/properties/rotary/composes.h"
#include "catalogue/properties/rotary/is_identity_at_zero.h"
#include "catalogue/properties/rotary/preserves_norm.h"
#include "catalogue/properties/score/depends_on_offset.h"
#include "core/defect.h"
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

// A table of so many positions, and zeros behind it.
template <Position length>
inline Encoding table_ends_at(const Parameters& p) {
  return with_angles(p, [](Position t, double w) {
    return t < length ? exact(static_cast<long double>(t) * w) : Angle{0, 0};
  });
}

// Cosines of the first half of a row's tokens, and sines of the second, for both halves.
inline Encoding cache_split_along_tokens(const Parameters& p) {
  const Rotary rotary = right(p);
  return answered_by(rotary, [rotary](const Call& call) {
    const std::size_t n = operators::tokens_of_a_row(call), half = n / 2;
    if (n % 2 == 1) return answer(rotary, call);
    return rotated(rotary, call, [&](std::size_t token, const Pair& pair) {
      const auto angle = [&](std::size_t first) {
        const Position t = call.positions.whole[token / n * n + first + token % n % half];
        return static_cast<long double>(t) * pair.frequency;
      };
      return Angle{exact(angle(0)).cosine, exact(angle(half)).sine};
    });
  });
}

inline Encoding fast_trig(const Parameters& p) {
  return with_angles(
      p, [](Position t, double w) { return exact(static_cast<long double>(t) * w * (1 + 1e-7L)); });
}

constexpr Precision bf16_over_f32{unit_f32, unit_bf16};
constexpr Precision f32_over_f64{unit_f64, unit_f32};

inline const std::vector<Defect> angles = {
    {.name = "positions_in_bf16",
     .wrong = "cos(bf16(t) w_i): above 256 some neighbouring positions are equal",
     .sources = "keras-hub#1494",
     .recorded = {"rope-bf16-positions"},
     .make = &positions_in_bf16,
     .setting = "dim=4",
     .refuted_by = &properties::rotary::composes,
     .precision = bf16_over_f32},
    {.name = "angles_in_bf16",
     .wrong = "cos(bf16(bf16(t) w_i)): position and product in bf16",
     .sources = "kin of candle#3520",
     .make = &angles_in_bf16,
     .setting = "dim=4",
     .refuted_by = &properties::score::depends_on_offset,
     .precision = bf16_over_f32},
    {.name = "frequencies_in_bf16",
     .wrong =
         "cos(t bf16(w_i)): each pair rotates exactly, at a frequency that is off by up to 2^-8 of itself",
     .sources = "sglang-jax#1472",
     .recorded = {"rope-bf16-invfreq-sglang-jax"},
     .make = &frequencies_in_bf16,
     .setting = "dim=4"},
    {.name = "angle_products_in_bf16",
     .wrong = "cos(bf16(t w_i)): the product, made in f32, is kept in bf16",
     .sources = "kin of candle#3520",
     .make = &angle_products_in_bf16,
     .setting = "dim=4",
     .precision = bf16_over_f32},
    {.name = "angles_all_in_bf16",
     .wrong = "cos(bf16(bf16(t) bf16(w_i))): position, frequency and product in bf16",
     .sources = "candle#3520, transformers#29496, transformers#29285",
     .make = &angles_all_in_bf16,
     .setting = "dim=4",
     .precision = bf16_over_f32},
    {.name = "angle_products_in_f16",
     .wrong = "cos(f16(t w_i)): the product is kept in f16, and overflows from 65520 on",
     .sources = "kin of flashinfer#585, transformers#29285",
     .make = &angle_products_in_f16,
     .setting = "dim=4"},
    {.name = "positions_in_f16",
     .wrong = "cos(f16(t) w_i): above 2048 some neighbouring positions are equal",
     .sources = "kin of keras-hub#1494",
     .make = &positions_in_f16,
     .setting = "dim=4"},
    {.name = "frequencies_in_f16",
     .wrong =
         "cos(t f16(w_i)): each pair rotates exactly, at a frequency that is off by up to 2^-11 of itself, and by more below 2^-14",
     .sources = "kin of sglang-jax#1472",
     .make = &frequencies_in_f16,
     .setting = "dim=4"},
    {.name = "angles_in_tf32",
     .wrong = "cos(tf32(t) tf32(w_i)): the outer product of positions and frequencies runs in tf32",
     .sources = "transformers#48428",
     .make = &angles_in_tf32,
     .setting = "dim=2"},
    {.name = "frequencies_in_f32",
     .wrong = "cos(t f32(w_i)) in a subject that declares f64",
     .sources = "xformers@51aa071",
     .recorded = {"rope-f64-mode-powers-in-f32"},
     .make = &frequencies_in_f32,
     .setting = "dim=4",
     .precision = all_f64},
    {.name = "cos_sin_in_bf16",
     .wrong = "bf16(cos(t w_i)), bf16(sin(t w_i)): c^2 + s^2 is not 1",
     .sources = "modded-nanogpt#39",
     .recorded = {"rope-cossin-bf16"},
     .make = &cos_sin_in_bf16,
     .setting = "dim=2",
     .refuted_by = &properties::rotary::preserves_norm},
    {.name = "cos_sin_swapped",
     .wrong = "x_a sin(t w_i) - x_b cos(t w_i): cosine and sine are exchanged",
     .sources = "kin of ark-nlp#47",
     .make = &cos_sin_swapped,
     .setting = "dim=2",
     .refuted_by = &properties::rotary::is_identity_at_zero},
    // An angle that is a product in f32 may be off by more than this; only one that is known better shows
    // it.
    {.name = "fast_trig",
     .wrong = "sin((1 + 1e-7) t w_i): a sine that is good near 0 only, its argument reduced in f32",
     .sources = "imp#1316, imp#1304, mlxcel#1055",
     .recorded = {"rope-fast-trig-no-range-reduction"},
     .make = &fast_trig,
     .setting = "dim=2",
     .precision = f32_over_f64},
    {.name = "table_ends_at_4096",
     .wrong = "from position 4096 on, cosine and sine are read from past the end of the table: here zeros",
     .sources = "pegainfer#220, hyprstream#1546, vllm#44286, vllm-ascend#1266",
     .recorded = {"rope-table-too-short-oob"},
     .make = &table_ends_at<4096>,
     .setting = "dim=2",
     .refuted_by = &properties::rotary::preserves_norm},
    {.name = "cache_split_along_tokens",
     .wrong =
         "a cache [batch, n, cos | sin] is cut along n: cosines of the first half of the tokens, sines of the "
         "second",
     .sources = "torchtune#992",
     .recorded = {"rope-packed-cache-sliced-on-wrong-axis"},
     .make = &cache_split_along_tokens,
     .setting = "dim=2",
     .refuted_by = &properties::rotary::preserves_norm},
};

}  // namespace posproof::wrong_ropes
