#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "catalogue/encodings/rope.h"
#include "encodings/scaling.h"
#include "misreadings/right.h"

// Ramps between kept and divided frequencies, YaRN's and Llama 3's, that are read otherwise.
namespace posproof::misread {

// Pair i of a ladder of width d, in a head of another width where not all channels rotate, which rotates at w
// where nothing is scaled.
struct Step {
  double base;
  std::size_t head, d, i;
  double w;
};

// The frequency of a pair, and what forming it loses.
using ScaledBy = scaling::Made (*)(const scaling::Scaling&, const Step&);

// The same pairs, each at another frequency.
inline Rotary at_frequencies(Rotary out) {
  out.rotate = [own = out](const Tensor& x, std::span<const Position> positions, Role) {
    const std::size_t n = x.shape[2];
    Tensor rotated = x;
    for (std::size_t row = 0; row < x.rows(); ++row) {
      const Real t = positions[row / (own.heads * n) * n + row % n];
      for (const Pair& pair : own.pairs) {
        const Real a = x.at(row, pair.first), b = x.at(row, pair.second);
        const Real c = own.amplitude * std::cos(t * pair.frequency),
                   s = own.amplitude * std::sin(t * pair.frequency);
        rotated.at(row, pair.first) = static_cast<double>(a * c - b * s);
        rotated.at(row, pair.second) = static_cast<double>(a * s + b * c);
      }
    }
    return in_order(own, std::move(rotated));
  };
  return out;
}

template <ScaledBy frequency>
Encoding scaled_by(const Parameters& given, const std::string& kind) {
  const Arguments p = arguments(encodings::rope, given);
  if (!p.is("scaling", kind) || p.whole("kept_pairs") != 0)
    throw Refusal("a misreading of the ramp of " + kind);
  Parameters plain = p.parameters();
  plain.set("scaling", std::string("none"));
  const Rotary unscaled = encodings::rope.make<Rotary>(plain);
  Rotary out = encodings::rope.make<Rotary>(given);
  const std::size_t d = p.is("exponent", "dim") ? p.width("dim") : 2 * out.pairs.size();
  const scaling::Scaling scaled = scaling::scaling_of(p, 0);
  bool differs = false;
  for (std::size_t i = 0; i < out.pairs.size(); ++i) {
    Pair& pair = out.pairs[i];
    const double w = unscaled.pairs[i].frequency;
    const auto [v, lost] = frequency(scaled, {p.real("base"), p.width("dim"), d, i, std::abs(w)});
    const double read = static_cast<double>(w < 0 ? -v : v);  // what is not clamped may be below 0
    differs = differs || std::abs(read / pair.frequency - 1) > 1e-12;
    pair.frequency = read;
    pair.frequency_error = lost;
  }
  if (!differs) throw Refusal("the same frequencies");
  return at_frequencies(std::move(out));
}

// ---- Llama 3: w/s below `low` rotations in the trained length, w from `high` on

inline Real rotations(const scaling::Scaling& s, const Step& at) {
  return s.original_length * at.w / scaling::two_pi;
}

inline scaling::Made by_rotations(const scaling::Scaling& s, const Step& at, Real frequency, Real r) {
  const auto plain = [](Real x) { return static_cast<double>(x); };
  return {frequency, posproof::by_rotations(at.w, std::abs(plain(frequency)), plain(s.factor), plain(r),
                                            plain(s.low), plain(s.high))};
}

// `kept(r)` of a pair between the two is the share of w, the rest of w/s.
template <Real (*kept)(Real share)>
scaling::Made between(const scaling::Scaling& s, const Step& at) {
  const Real r = rotations(s, at);
  const Real share = r < s.low ? 0 : r > s.high ? 1 : kept((r - s.low) / (s.high - s.low));
  return by_rotations(s, at, (1 - share) * at.w / s.factor + share * at.w, r);
}

// With another number for 2 pi: 1 or 2.
template <int turn>
scaling::Made with_turn(const scaling::Scaling& s, const Step& at) {
  scaling::Scaling other = s;
  other.original_length *= scaling::two_pi / turn;
  return scaling::llama3(other, at.w);
}

inline scaling::Made between_wavelengths(const scaling::Scaling& s, const Step& at) {
  const Real r = rotations(s, at), share = std::clamp((r - s.low) / (s.high - s.low), Real{0}, Real{1});
  return by_rotations(s, at, 1 / ((1 - share) * s.factor / at.w + share / at.w), r);
}

inline Real none_of_it(Real) {
  return 0;
}
inline Real all_of_it(Real) {
  return 1;
}
inline Real what_is_left(Real share) {
  return 1 - share;
}
// (r - high)/(high - low)
inline Real from_high(Real share) {
  return share - 1;
}

template <ScaledBy frequency>
Encoding llama3(const Parameters& given) {
  return scaled_by<frequency>(given, "llama3");
}

// ---- YaRN: w up to index `first`, w/s from `last` on

// Off by as much as in its middle, wherever the pair is.
inline scaling::Made by_ramp(const scaling::Scaling& s, const Step& at, Real frequency) {
  const scaling::Ramp ramp = scaling::ramp_of(s, at.base, at.d);
  return {frequency, ramp.made(s, at.w, std::abs(frequency), (ramp.first + ramp.last) / 2).frequency_error};
}

inline scaling::Made not_clamped(const scaling::Scaling& s, const Step& at) {
  const Real share = scaling::ramp_of(s, at.base, at.d).share(at.i);
  return by_ramp(s, at, share * at.w / s.factor + (1 - share) * at.w);
}

inline scaling::Made ramp_of_wavelengths(const scaling::Scaling& s, const Step& at) {
  const Real share = std::clamp(scaling::ramp_of(s, at.base, at.d).share(at.i), Real{0}, Real{1});
  return by_ramp(s, at, 1 / (share * s.factor / at.w + (1 - share) / at.w));
}

// The width of the head in the place of that of the channels that rotate.
inline scaling::Made ramp_of_head(const scaling::Scaling& s, const Step& at) {
  const Real share = std::clamp(scaling::ramp_of(s, at.base, at.head).share(at.i), Real{0}, Real{1});
  return by_ramp(s, at, share * at.w / s.factor + (1 - share) * at.w);
}

template <ScaledBy frequency>
Encoding yarn(const Parameters& given) {
  return scaled_by<frequency>(given, "yarn");
}

}  // namespace posproof::misread
