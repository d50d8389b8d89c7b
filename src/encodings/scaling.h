#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/parameter.h"
#include "encodings/ladder.h"

// The frequencies of a rotary ladder that is stretched to `factor` times the positions it was trained on, in
// long double, as the models' own code has them.
namespace posproof::scaling {

struct Scaling {
  std::string kind;
  long double factor, original_length;
  long double low, high;             // llama3
  long double beta_slow, beta_fast;  // by_parts, yarn
  bool truncate;                     // yarn
  std::vector<double> factors;       // longrope
  long double amplitude;             // of cosine and sine
  long double length = 0;            // of the sequence that they are made for: dynamic_ntk
};

// For a sequence of so many tokens.
inline Scaling scaling_of(const Arguments& p, Position length) {
  Scaling out{p.word("scaling"),          p.real("factor"),
              p.real("original_length"),  p.real("low_freq_factor"),
              p.real("high_freq_factor"), p.real("beta_slow"),
              p.real("beta_fast"),        p.flag("truncate"),
              p.list("factors"),          1};
  out.length = static_cast<long double>(length);
  if (const auto& of_short = p.list("short_factors");
      out.kind == "longrope" && !of_short.empty() && out.length <= out.original_length)
    out.factors = of_short;
  const long double given = p.real("attention_factor"), tenth = 0.1L * std::log(out.factor);
  if (out.kind == "yarn")
    out.amplitude =
        given == 0 ? (p.real("mscale") * tenth + 1) / (p.real("mscale_all_dim") * tenth + 1) : given;
  if (out.kind == "longrope")
    out.amplitude = given == 0 ? std::sqrt(1 + std::log(out.factor) / std::log(out.original_length)) : given;
  return out;
}

// A frequency, and what forming it loses.
struct Made {
  long double w;
  FrequencyError frequency_error;
};

constexpr long double two_pi = 2 * std::numbers::pi_v<long double>;

// The dimension index at which so many rotations are made in the original length.
inline long double index_of(const Scaling& s, double base, std::size_t d, long double rotations) {
  return static_cast<long double>(d) * std::log(s.original_length / (rotations * two_pi)) /
         (2 * std::log(static_cast<long double>(base)));
}

// YaRN's ramp: frequencies are kept up to index `first` and divided from `last` on. `error`: by how much an
// end may be off that is not a whole number.
struct Ramp {
  long double first, last;
  double error;

  // How much of a frequency is divided, where it is not clamped.
  long double share(std::size_t i) const { return (static_cast<long double>(i) - first) / (last - first); }
  // What forming v from w loses, at this index.
  Made made(const Scaling& s, long double w, long double v, long double index) const {
    const auto plain = [](long double x) { return static_cast<double>(x); };
    return {v, by_index(plain(w), plain(v), plain(s.factor), plain(index), plain(first), plain(last), error)};
  }
};

inline Ramp ramp_of(const Scaling& s, double base, std::size_t d) {
  long double first = index_of(s, base, d, s.beta_fast), last = index_of(s, base, d, s.beta_slow);
  if (s.truncate) first = std::floor(first), last = std::ceil(last);
  first = std::max(first, 0.0L);
  last = std::min(last, static_cast<long double>(d) - 1);
  if (first == last) last += 0.001L;
  const auto farthest = static_cast<double>(std::max(std::abs(first), std::abs(last)));
  return {first, last, s.truncate ? 0 : ramp_end_error(static_cast<double>(d), base, farthest)};
}

inline Made yarn(const Scaling& s, double base, std::size_t d, std::size_t i, long double w) {
  const Ramp ramp = ramp_of(s, base, d);
  const long double divided = std::clamp(ramp.share(i), 0.0L, 1.0L);
  return ramp.made(s, w, w / s.factor * divided + w * (1 - divided), static_cast<long double>(i));
}

// By wavelengths, as Llama 3.1 has it.
inline Made llama3(const Scaling& s, long double w) {
  const long double wavelength = two_pi / w, rotations = s.original_length / wavelength;
  long double v = w;
  if (wavelength > s.original_length / s.low)
    v = w / s.factor;
  else if (wavelength >= s.original_length / s.high) {
    const long double smooth = (rotations - s.low) / (s.high - s.low);
    v = (1 - smooth) * w / s.factor + smooth * w;
  }
  return {v, by_rotations(static_cast<double>(w), static_cast<double>(v), static_cast<double>(s.factor),
                          static_cast<double>(rotations), static_cast<double>(s.low),
                          static_cast<double>(s.high))};
}

// Peng et al. 2023, YaRN, definition 2: gamma is 0 below beta_slow (alpha) rotations and 1 above beta_fast
// (beta).
inline Made by_parts(const Scaling& s, long double w) {
  const long double rotations = s.original_length * w / two_pi;
  const long double gamma = std::clamp((rotations - s.beta_slow) / (s.beta_fast - s.beta_slow), 0.0L, 1.0L);
  const long double v = (1 - gamma) * (w / s.factor) + gamma * w;
  return {v, by_rotations(static_cast<double>(w), static_cast<double>(v), static_cast<double>(s.factor),
                          static_cast<double>(rotations), static_cast<double>(s.beta_slow),
                          static_cast<double>(s.beta_fast))};
}

// Of another base, b s^(d/(d-2)): the long double power, and the exponent of s in the frequency.
inline std::pair<long double, double> from_base_times(long double s, double base, std::size_t d,
                                                      std::size_t i) {
  const long double over = static_cast<long double>(d) / static_cast<long double>(d - 2);
  const long double other = static_cast<long double>(base) * std::pow(s, over);
  const long double share = 2 * static_cast<long double>(i) / static_cast<long double>(d);
  return {std::pow(other, -share), static_cast<double>(share * over)};
}

// The frequency of pair i.
inline Made frequency(const Scaling& s, double base, std::size_t d, std::size_t i) {
  const long double w = ladder::frequency(base, 2 * i, d);
  if (s.kind == "linear") return {w / s.factor, divided()};
  if (s.kind == "longrope")
    return {w / (s.factors.empty() ? 1 : s.factors[std::min(i, s.factors.size() - 1)]), divided_by_each()};
  if (s.kind == "yarn") return yarn(s, base, d, i, w);
  if (s.kind == "llama3") return llama3(s, w);
  if (s.kind == "by_parts") return by_parts(s, w);
  if (s.kind == "ntk") {
    const auto [v, x] = from_base_times(s.factor, base, d, i);
    return {v, from_scaled_base(x, static_cast<double>(s.factor))};
  }
  if (s.kind == "dynamic_ntk" && s.length > s.original_length) {
    const long double lengths = s.length / s.original_length;
    const auto [v, x] = from_base_times(s.factor * lengths - (s.factor - 1), base, d, i);
    return {v, from_length(x, static_cast<double>(s.factor), static_cast<double>(lengths))};
  }
  return {w, {}};
}

}  // namespace posproof::scaling
