#pragma once
// Other frequencies than base^(-2i/d), and scalings that are none or another.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "catalogue/properties/call/agrees_in_chunks.h"
#include "catalogue/properties/score/depends_on_order.h"
#include "core/by_row.h"
#include "core/defect.h"
#include "core/function.h"
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
  refuse_some_pairs(p);
  const double over = p.word("exponent") == "dim" ? p.real("dim") : static_cast<double>(rotating(right(p)));
  const double factor = std::pow(p.real("base"), 2 / over);
  return with_pairs(p, [factor](Pair& pair) { pair.frequency *= factor; });
}

// w_i = base^(-x(i)), from the number of the pair and how many there are.
inline Encoding with_exponents(const Parameters& p, double (*exponent)(double i, double pairs)) {
  refuse_some_pairs(p);
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

inline bool same_rotation(const Parameters& p, const Parameters& other) {
  const Rotary one = right(p), two = right(other);
  return one.amplitude == two.amplitude &&
         std::ranges::equal(one.pairs, two.pairs, {}, &Pair::frequency, &Pair::frequency);
}

inline Encoding scaling_ignored(const Parameters& p) {
  refuse_unless(!same_rotation(p, unscaled(p)), "there is no scaling, or it leaves every pair as it is");
  return turning_as(p, unscaled(p));
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

// The blend is one of wavelengths over 2 pi, and what their mean is becomes the base of all pairs: none is
// scaled alone.
inline Encoding llama3_mean_as_base(const Parameters& p) {
  refuse_unless(scaled(p, "llama3"), "the same unless `scaling=llama3`");
  const double length = p.real("original_length"), factor = p.real("factor");
  const double longest = length / p.real("low_freq_factor"), shortest = length / p.real("high_freq_factor");
  double sum = 0;
  const std::vector<Pair> pairs = right(unscaled(p)).pairs;
  for (const Pair& pair : pairs) {
    const double inverse = 1 / std::abs(pair.frequency), wavelength = 2 * std::numbers::pi * inverse;
    const double smooth = (wavelength - shortest) / (longest - shortest);
    sum += wavelength < shortest  ? inverse
           : wavelength > longest ? inverse * factor
                                  : inverse * (1 - smooth) * factor + smooth;
  }
  Parameters other = unscaled(p);
  other.set("base", sum / static_cast<double>(pairs.size()));
  return turning_as(p, other);
}

inline Encoding yarn_attention_factor_ignored(const Parameters& p) {
  refuse_unless(right(p).amplitude != 1, "the attention factor is 1 by right");
  Parameters other = p;
  other.set("attention_factor", 1.0);
  return turning_as(p, other);
}

// The numerator of YaRN's quotient of two scales, or what it is without a factor that is given.
inline Encoding attention_factor_of_the_scaling(const Parameters& p) {
  refuse_unless(p.word("scaling") == "yarn", "the same unless `scaling=yarn`");
  Parameters other = p;
  other.set("attention_factor", 0.0);
  other.set("mscale_all_dim", 0.0);
  refuse_unless(!same_rotation(p, other), "it is 0.1 mscale ln factor + 1 by right");
  return turning_as(p, other);
}

inline Encoding yarn_as_position_clamp(const Parameters& p) {
  refuse_unless(scaled(p, "yarn"), "the same unless `scaling=yarn`");
  const std::vector<Pair> pairs = right(unscaled(p)).pairs;
  const long double factor = p.real("factor"), last = p.real("original_length") - 1;
  return token_by_token(p, [=](auto x, auto out, Position t) {
    for (const Pair& pair : pairs) {
      const auto [c, s] = exact(std::min(static_cast<long double>(t) / factor, last) * pair.frequency);
      out[pair.first] = x[pair.first] * c - x[pair.second] * s;
      out[pair.second] = x[pair.first] * s + x[pair.second] * c;
    }
  });
}

inline Encoding linear_factor_inverted_in_decode(const Parameters& p) {
  refuse_unless(scaled(p, "linear"), "the same unless `scaling=linear`");
  const double squared = p.real("factor") * p.real("factor");
  return operators::where(right(p), with_pairs(p, [squared](Pair& pair) { pair.frequency *= squared; }),
                          &operators::is_one_token);
}

// Past what the factor was meant for, the factor becomes what the length needs.
inline Encoding linear_factor_follows_the_length(const Parameters& p) {
  refuse_unless(scaled(p, "linear"), "the same unless `scaling=linear`");
  const double factor = p.real("factor"), meant_for = p.real("original_length") * factor;
  return answered_by(right(p), [rotary = right(p), meant_for](const Call& call) {
    double length = meant_for;
    for (const Position t : call.positions.whole) length = std::max(length, static_cast<double>(t) + 1);
    return rotated(rotary, call, [&](std::size_t token, const Pair& pair) {
      return exact(static_cast<long double>(call.positions.whole[token]) * pair.frequency * meant_for /
                   length);
    });
  });
}

inline Encoding llama3_constants_ignored(const Parameters& p) {
  refuse_unless(p.word("scaling") == "llama3", "the same unless `scaling=llama3`");
  Parameters other = p;
  other.set("factor", 8.0);
  other.set("high_freq_factor", 4.0);
  refuse_unless(!same_rotation(p, other), "no pair differs from `factor=8 high_freq_factor=4`");
  return turning_as(p, other);
}

// Dynamic NTK for a sequence of twice the length that was trained on, with a factor of 2: base times
// (2 * 2 - 1)^(d/(d-2)).
inline Parameters with_dynamic_base(const Parameters& p) {
  refuse_unless(p.word("scaling") == "none" && p.real("base") > 1 && right(p).pairs.size() > 1,
                "the same where one pair rotates, or not what another scaling does");
  Parameters other = p;
  other.set("scaling", "ntk");
  other.set("factor", 3.0);
  return other;
}

inline Encoding dynamic_base_for_short_sequences(const Parameters& p) {
  return turning_as(p, with_dynamic_base(p));
}

inline Encoding dynamic_base_is_kept(const Parameters& p) {
  constexpr Position trained_on = 4096;
  return operators::where(right(p), turning_as(p, with_dynamic_base(p)),
                          [longest = std::make_shared<Position>(0)](const Call& call) {
                            const bool was_long = *longest >= trained_on;
                            for (const Position t : call.positions.whole) *longest = std::max(*longest, t);
                            return was_long;
                          });
}

// The length is that of the longest call yet, until one is so short that it starts anew.
inline Encoding longest_call_is_kept(const Parameters& p, Position short_call) {
  refuse_unless(scaled(p, "dynamic_ntk") && p.integer("length") == 0,
                "the same unless `scaling=dynamic_ntk` takes the length of each call");
  Rotary rotary = right(p);
  rotary.rotate = [in_call = rotary.in_call, short_call, longest = std::make_shared<Position>(0)](
                      const Tensor& x, std::span<const Position> positions, Role role) {
    const Position last = positions.empty() ? 0 : std::ranges::max(positions);
    *longest = last < short_call ? last : std::max(*longest, last);
    return in_call(*longest)->rotate(x, positions, role);
  };
  return is_by_row(rotary) ? by_row(std::move(rotary)) : rotary;
}

inline Encoding dynamic_length_only_grows(const Parameters& p) {
  return longest_call_is_kept(p, 0);
}

inline Encoding dynamic_length_is_kept_past_training(const Parameters& p) {
  const auto trained = static_cast<Position>(std::ceil(p.real("original_length")));
  return longest_call_is_kept(p, trained - 1);
}

// LongRoPE, of two lists, with the one that belongs to another length than the call's.
inline Encoding with_factors_of(const Parameters& p, Function<Position(std::span<const Position>)> last) {
  const auto list = [&](std::string_view name) { return std::get<std::vector<double>>(*p.find(name)); };
  refuse_unless(p.word("scaling") == "longrope" && p.integer("length") == 0 && !list("short_factors").empty(),
                "there are no two lists of factors");
  Rotary rotary = right(p);
  const auto frequencies = [&](double t) {
    std::vector<double> out;
    const auto made = rotary.in_call(static_cast<Position>(t));
    for (const Pair& pair : made->pairs) out.push_back(pair.frequency);
    return out;
  };
  refuse_unless(frequencies(0) != frequencies(std::ceil(p.real("original_length"))),
                "both lists are the same");
  rotary.rotate = [in_call = rotary.in_call, last = std::move(last)](
                      const Tensor& x, std::span<const Position> positions, Role role) {
    return in_call(positions.empty() ? 0 : last(positions))->rotate(x, positions, role);
  };
  return rotary;
}

inline Encoding long_factors_at_the_boundary(const Parameters& p) {
  const auto trained = static_cast<Position>(std::floor(p.real("original_length")));
  return with_factors_of(p, [trained](std::span<const Position> positions) {
    const Position last = std::ranges::max(positions);
    return last + 1 == trained ? last + 1 : last;
  });
}

inline Encoding factors_by_cache_offset(const Parameters& p) {
  return with_factors_of(p, [](std::span<const Position> positions) { return positions.front(); });
}

// The ramp falls where it ought to rise: fast pairs are slowed and slow ones kept.
inline Encoding yarn_betas_swapped(const Parameters& p) {
  refuse_some_pairs(p);
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

inline const std::vector<Defect> ladders = {
    {.name = "frequencies_never_initialised",
     .wrong = "w_i = 0: the buffer of frequencies is allocated and never filled, so that nothing rotates",
     .sources = "executorch#19627, torchtune#612, vllm#30413",
     .recorded = {"rope-invfreq-never-initialised", "rope-missing-entirely"},
     .make = &frequencies_never_initialised,
     .setting = "dim=2 heads=2",
     .refuted_by = &properties::score::depends_on_order},
    {.name = "base_ignored",
     .wrong = "w_i = 10000^(-2i/d), whatever the base",
     .sources = "airllm#369, SpecForge#265, vllm#9503, TensorRT-LLM#785",
     .recorded = {"rope-theta-ignored"},
     .make = &base_ignored,
     .setting = "dim=4 base=500000"},
    {.name = "exponent_off_by_one",
     .wrong = "w_i = base^(-2(i-1)/d) with i from 0: the first frequency is base^(2/d), not 1",
     .sources = "llama-from-scratch#8",
     .recorded = {"rope-exponent-i-minus-1"},
     .make = &exponent_off_by_one,
     .setting = "dim=2"},
    {.name = "exponent_one_ahead",
     .wrong = "w_i = base^(-2(i+1)/d) with i from 0: the first frequency is base^(-2/d), not 1",
     .sources = "kin of llama-from-scratch#8",
     .make = &exponent_one_ahead,
     .setting = "dim=4"},
    {.name = "exponent_halved",
     .wrong = "w_i = base^(-i/d): the slowest pair rotates too fast",
     .sources = "kin of llama-from-scratch#8",
     .make = &exponent_halved,
     .setting = "dim=4"},
    {.name = "exponent_doubled",
     .wrong = "w_i = base^(-4i/d): the 2 of the exponent is taken twice",
     .sources = "kin of llama-from-scratch#8",
     .make = &exponent_doubled,
     .setting = "dim=6"},
    {.name = "exponent_over_pairs_minus_one",
     .wrong = "w_i = base^(-i/(d/2 - 1)), as some sinusoidal tables have it",
     .sources = "kin of llama-from-scratch#8",
     .make = &exponent_over_pairs_minus_one,
     .setting = "dim=6"},
    {.name = "scaling_ignored",
     .wrong = "w_i = base^(-2i/d), whatever `scaling` says",
     .sources = "mlxcel#1355, unsloth#6197, llama.cpp#8676, mlx-vlm#1709",
     .recorded = {"linear-scale-ignored", "llama3-scaling-ignored"},
     .make = &scaling_ignored,
     .setting = "dim=4 scaling=linear"},
    {.name = "linear_scale_in_exponent",
     .wrong = "w_i = base^(-2i/(d factor)): the first pair is not scaled at all",
     .sources = "keras-hub#1605",
     .recorded = {"linear-scale-in-exponent"},
     .make = &linear_scale_in_exponent,
     .setting = "dim=4 scaling=linear"},
    {.name = "llama3_smoothing_in_wavelength",
     .wrong =
         "llama3's blend is linear in the wavelength, not in its inverse, and reversed: it jumps at both ends",
     .sources = "kin of mlx-examples#907",
     .make = &llama3_smoothing_in_wavelength,
     .setting = "dim=64 scaling=llama3"},
    {.name = "llama3_mean_as_base",
     .wrong =
         "a blend of 1/w_i, linear in the wavelength and reversed, is formed for every pair, and its mean becomes the base: no pair is scaled by itself",
     .sources = "mlx-examples#907, mlx-swift-examples#152",
     .recorded = {"llama3-smoothing-wrong-domain"},
     .make = &llama3_mean_as_base,
     .setting = "dim=64 scaling=llama3"},
    {.name = "yarn_attention_factor_ignored",
     .wrong = "cosine and sine are not multiplied by the attention factor",
     .sources = "daScript#3479",
     .recorded = {"yarn-attention-factor-ignored", "yarn-mscale-dropped-in-one-layout"},
     .make = &yarn_attention_factor_ignored,
     .setting = "dim=4 scaling=yarn"},
    {.name = "yarn_betas_swapped",
     .wrong = "beta_fast and beta_slow are exchanged: the ramp is reversed",
     .sources = "kin of torchtitan#3787",
     .make = &yarn_betas_swapped,
     .setting = "dim=64 scaling=yarn"},
    {.name = "attention_factor_of_the_scaling",
     .wrong =
         "cosine and sine are multiplied by 0.1 mscale ln factor + 1, whatever `mscale_all_dim` or `attention_factor` says (exllamav3#259 argues for that reading)",
     .sources = "imp#880, vllm#48623, llama.cpp#17945, vllm#46280, vllm#48351, mlx-lm#1507",
     .recorded = {"yarn-mscale-ratio-vs-single", "kshift-reapplies-yarn-magnitude"},
     .make = &attention_factor_of_the_scaling,
     .setting = "dim=2 scaling=yarn mscale_all_dim=1"},
    {.name = "yarn_as_position_clamp",
     .wrong =
         "cos(min(t / factor, original_length - 1) w_i): every pair is slower, and late positions are equal",
     .sources = "LLMs-from-scratch#940",
     .recorded = {"yarn-as-position-clamp"},
     .make = &yarn_as_position_clamp,
     .setting = "dim=2 scaling=yarn"},
    {.name = "linear_factor_inverted_in_decode",
     .wrong = "a call of one token multiplies its position by the factor, where a prefill divides",
     .sources = "llm-awq#334",
     .recorded = {"linear-factor-inverted"},
     .make = &linear_factor_inverted_in_decode,
     .setting = "dim=2 scaling=linear",
     .refuted_by = &properties::call::agrees_in_chunks},
    {.name = "linear_factor_follows_the_length",
     .wrong = "past original_length times factor, the factor becomes the call's length over original_length",
     .sources = "kin of TransformerEngine#2240",
     .make = &linear_factor_follows_the_length,
     .setting = "dim=2 scaling=linear",
     .refuted_by = &properties::call::agrees_in_chunks},
    {.name = "llama3_constants_ignored",
     .wrong = "factor 8 and high_freq_factor 4, whatever the parameters say",
     .sources = "llama-models#322",
     .recorded = {"llama3-scaling-constants-hardcoded"},
     .make = &llama3_constants_ignored,
     .setting = "dim=6 scaling=llama3 factor=16"},
    {.name = "dynamic_base_for_short_sequences",
     .wrong =
         "the base is multiplied by 3^(d/(d-2)), as dynamic NTK by 2 does at twice the trained length, in sequences that need none",
     .sources = "vllm#41236, vllm#5093, TensorRT-LLM#1299",
     .recorded = {"dynamic-ntk-length-independent", "dynamic-base-unconditional"},
     .make = &dynamic_base_for_short_sequences,
     .setting = "dim=4"},
    {.name = "dynamic_base_is_kept",
     .wrong =
         "after a call that reached position 4096, the base of every later one is multiplied by 3^(d/(d-2)), dynamic NTK's factor for twice the length at `factor` 2",
     .sources = "transformers#25306, transformers#27226, transformers#46624",
     .recorded = {"dynamic-ntk-not-reset"},
     .make = &dynamic_base_is_kept,
     .setting = "dim=4"},
    {.name = "dynamic_length_only_grows",
     .wrong = "dynamic NTK's base is that of the longest call yet: a short one after it has that, too",
     .sources = "kin of transformers#25306",
     .make = &dynamic_length_only_grows,
     .setting = "dim=4 scaling=dynamic_ntk original_length=64"},
    {.name = "dynamic_length_is_kept_past_training",
     .wrong = "dynamic NTK's base is that of the longest call since one below original_length",
     .sources = "kin of transformers#46624",
     .make = &dynamic_length_is_kept_past_training,
     .setting = "dim=4 scaling=dynamic_ntk original_length=64"},
    {.name = "long_factors_at_the_boundary",
     .wrong = "LongRoPE takes its long factors at original_length already, not only past it",
     .sources = "unsloth#10681",
     .recorded = {"longrope-boundary"},
     .make = &long_factors_at_the_boundary,
     .setting = "dim=2 scaling=longrope original_length=64 short_factors=[1] factors=[4]"},
    {.name = "factors_by_cache_offset",
     .wrong =
         "LongRoPE chooses its factors by the number of cached tokens: a long prompt gets the short ones",
     .sources = "EricLBuehler/mistral.rs#251, EricLBuehler/mistral.rs#456",
     .recorded = {"longrope-by-cache-offset"},
     .make = &factors_by_cache_offset,
     .setting = "dim=2 scaling=longrope original_length=64 short_factors=[1] factors=[4]"},
};

}  // namespace posproof::wrong_ropes
