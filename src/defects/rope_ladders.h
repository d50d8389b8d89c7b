#pragma once
// Other frequencies than base^(-2i/d), and scalings that are none or another.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "defects/rope_made.h"

namespace posproof::wrong_ropes {

inline Encoding frequencies_never_initialised(const Parameters& p) {
  return with_pairs(p, [](Pair& pair) { pair.frequency = 0; });
}

inline Encoding base_ignored(const Parameters& p) {
  refuse_unless(p.real("base") != 10000 && right(p).pairs.size() > 1,
                "the same where `base=10000` or one pair rotates");
  Parameters other = p;
  other.set("base", 10000.0);
  return encodings::rope.make(other);
}

inline Encoding exponent_off_by_one(const Parameters& p) {
  const double over = p.word("exponent") == "dim" ? p.real("dim") : static_cast<double>(rotating(right(p)));
  const double factor = std::pow(p.real("base"), 2 / over);
  return with_pairs(p, [factor](Pair& pair) { pair.frequency *= factor; });
}

// w_i = base^(-x(i)), from the number of the pair and how many there are.
inline Encoding with_exponents(const Parameters& p, double (*exponent)(double i, double pairs)) {
  const auto pairs = static_cast<double>(right(p).pairs.size());
  refuse_unless(pairs > 1, "one pair has no ladder");
  return with_pairs(p, [=, base = p.real("base")](Pair& pair) {
    pair.frequency = static_cast<double>(
        std::pow(static_cast<long double>(base), -exponent(static_cast<double>(pair.index), pairs)));
  });
}

inline Encoding exponent_one_ahead(const Parameters& p) {
  return with_exponents(p, [](double i, double pairs) { return (i + 1) / pairs; });
}

inline Encoding exponent_halved(const Parameters& p) {
  return with_exponents(p, [](double i, double pairs) { return i / (2 * pairs); });
}

inline Encoding exponent_doubled(const Parameters& p) {
  return with_exponents(p, [](double i, double pairs) { return 2 * i / pairs; });
}

inline Encoding exponent_over_pairs_minus_one(const Parameters& p) {
  return with_exponents(p, [](double i, double pairs) { return i / (pairs - 1); });
}

// ---- scaling

inline bool scaled(const Parameters& p, const char* kind) {
  return p.word("scaling") == kind && p.real("factor") > 1;
}

inline Parameters unscaled(Parameters p) {
  p.set("scaling", "none");
  return p;
}

// The rotation of other parameters, under the name of these.
inline Encoding turning_as(const Parameters& p, const Parameters& other) {
  Rotary rotary = right(p);
  rotary.rotate = right(other).rotate;
  return rotary;
}

inline Encoding scaling_ignored(const Parameters& p) {
  const Parameters other = unscaled(p);
  const Rotary scaled_one = right(p), plain = right(other);
  bool differs = scaled_one.amplitude != 1;
  for (const Pair& pair : plain.pairs)
    differs = differs || pair.frequency != scaled_one.pairs[pair.index].frequency;
  refuse_unless(differs, "there is no scaling, or it leaves every pair as it is");
  return turning_as(p, other);
}

inline Encoding linear_scale_in_exponent(const Parameters& p) {
  refuse_unless(scaled(p, "linear"), "the same unless `scaling=linear`");
  const std::vector<Pair> pairs = right(unscaled(p)).pairs;
  return with_pairs(p, [pairs, factor = p.real("factor")](Pair& pair) {
    const double w = std::abs(pairs[pair.index].frequency);
    pair.frequency = std::copysign(std::pow(w, 1 / factor), pair.frequency);
  });
}

// At the short end, where a pair ought to keep its speed, it is divided by the factor.
inline Encoding llama3_smoothing_in_wavelength(const Parameters& p) {
  refuse_unless(scaled(p, "llama3"), "the same unless `scaling=llama3`");
  const std::vector<Pair> pairs = right(unscaled(p)).pairs;
  const double length = p.real("original_length"), factor = p.real("factor");
  const double longest = length / p.real("low_freq_factor"), shortest = length / p.real("high_freq_factor");
  bool differs = false;
  Encoding out = with_pairs(p, [&](Pair& pair) {
    const double w = pairs[pair.index].frequency, wavelength = 2 * std::numbers::pi / std::abs(w);
    if (wavelength <= shortest || wavelength >= longest) return;
    differs = true;
    const double smooth = (wavelength - shortest) / (longest - shortest);
    pair.frequency = w / ((1 - smooth) * factor + smooth);
  });
  refuse_unless(differs, "the same where no wavelength is between original_length / high and / low");
  return out;
}

inline Encoding yarn_attention_factor_ignored(const Parameters& p) {
  refuse_unless(right(p).amplitude != 1, "the attention factor is 1 by right");
  Parameters other = p;
  other.set("attention_factor", 1.0);
  return turning_as(p, other);
}

// The ramp falls where it ought to rise: fast pairs are slowed and slow ones kept.
inline Encoding yarn_betas_swapped(const Parameters& p) {
  refuse_unless(scaled(p, "yarn"), "the same unless `scaling=yarn`");
  const std::vector<Pair> pairs = right(unscaled(p)).pairs;
  const double base = p.real("base"), length = p.real("original_length"), factor = p.real("factor");
  const auto turning_width = static_cast<double>(rotating(right(p)));
  const double d = p.word("exponent") == "dim" ? p.real("dim") : turning_width;
  const auto index_of = [&](double rotations) {
    return d * std::log(length / (rotations * 2 * std::numbers::pi)) / (2 * std::log(base));
  };
  const double first = std::max(0.0, std::floor(index_of(p.real("beta_slow"))));
  double last = std::min(d - 1, std::ceil(index_of(p.real("beta_fast"))));
  if (first == last) last += 0.001;
  bool differs = false;
  Encoding out = with_pairs(p, [&](Pair& pair) {
    const double w = pairs[pair.index].frequency, right_one = pair.frequency;
    const double ramp = std::clamp((static_cast<double>(pair.index) - first) / (last - first), 0.0, 1.0);
    pair.frequency = w / factor * ramp + w * (1 - ramp);
    differs = differs || std::abs(pair.frequency / right_one - 1) > 1e-3;
  });
  refuse_unless(differs, "every pair is past both ramps");
  return out;
}

}  // namespace posproof::wrong_ropes
