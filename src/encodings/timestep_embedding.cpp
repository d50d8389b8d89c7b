#include "catalogue/encodings/timestep_embedding.h"

#include <cmath>

#include "catalogue/oracle/timestep_embedding.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/keeps_constant_sequences_constant.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/score/decays_with_distance.h"
#include "catalogue/properties/score/depends_on_offset.h"
#include "catalogue/properties/table/composes_translations.h"
#include "catalogue/properties/table/has_different_dot_products_near_and_far.h"
#include "catalogue/properties/table/has_geometric_wavelengths.h"
#include "catalogue/properties/table/has_translations_of_determinant_one.h"
#include "catalogue/properties/table/inverts_translation_by_transposing.h"
#include "catalogue/properties/table/keeps_pairs_on_the_unit_circle.h"
#include "catalogue/properties/table/rotates_clockwise.h"
#include "core/declare.h"
#include "core/hard.h"
#include "encodings/facts.h"
#include "encodings/ladder.h"

namespace posproof::encodings_timestep_embedding {
namespace {

// Of exp(-ln max_period i / (half - shift)) times a scale, in two ways: t times the frequency times the
// scale, or the scale with one of them first. The scale is rounded, and so is the product with it: 2
// roundings. The power's own error grows with |ln w|, and is asked for at the scaled frequency, whose
// logarithm is smaller by |ln scale| at most: 3 of these.
FrequencyError scaled_by(double scale) {
  if (scale == 1) return {};
  return {.condition = 1, .roundings = 2 + 3 * std::abs(std::log(scale))};
}

Encoding make(const Arguments& p) {
  const std::size_t dim = p.width("dim"), half = dim / 2;
  const double scale = p.real("scale");
  const auto shift = static_cast<std::size_t>(p.whole("shift"));
  const std::size_t sines = p.is("layout", "sin_cos") ? 0 : half;

  Table table{.dim = dim};
  std::vector<long double> w;
  for (std::size_t i = 0; i < half; ++i) {
    w.push_back(scale * ladder::frequency(p.real("max_period"), i, half - shift));
    table.pairs.push_back({sines + i, half - sines + i, static_cast<double>(w.back()), i, scaled_by(scale)});
  }
  table.positions.real = true;
  table.positions.hard = hard_positions(table.pairs, table.positions.lo, table.positions.hi);
  table.rows = [w, dim, pairs = table.pairs](const Positions& positions, Position) {
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r)
      for (std::size_t i = 0; i < w.size(); ++i) {
        const long double angle = static_cast<long double>(positions.at(r)) * w[i];
        rows.at(r, pairs[i].first) = static_cast<double>(std::sin(angle));
        rows.at(r, pairs[i].second) = static_cast<double>(std::cos(angle));
      }
    return rows;
  };
  return table;
}

using namespace properties;

}  // namespace

const EncodingSpec entry{
    .summary = "sine and cosine of a diffusion model's timestep, which need not be whole",
    .formula = "p_t = [sin(s t w_i) | cos(s t w_i)], w_i = max_period^(-i/(half - shift)), half = dim/2",
    .source =
        "Ho, Jain, Abbeel 2020, DDPM (shift 1); Dhariwal, Nichol 2021 and ggml (cos_sin, shift 0); "
        "diffusers get_timestep_embedding",
    .parameters =
        {.all =
             {whole("dim", type::any_width, 64, {2, 4, 6, 7, 64},
                    "width of a row; the last column of an odd one is 0", "channels"),
              above_0(
                  "max_period", 10000, {10000, 100},
                  "its powers are the frequencies, from 1 to nearly 1/max_period at large widths, and to just that where shift is 1"),
              convention("layout", {"sin_cos", "cos_sin"},
                         "which half comes first: sin_cos (DDPM), cos_sin (flip_sin_to_cos)"),
              disputed(whole("shift", {0, 1}, 1, {0, 1},
                             "subtracted from half in the exponent i/(half - shift): downscale_freq_shift")),
              above_0("scale", 1, {1, 1000}, "factor of the timestep: 1000 where it runs from 0 to 1")},
         .relations = {{{"dim"},
                        "widths with a frequency",
                        [](const Arguments& p) { return p.width("dim") >= 2; }},
                       {{"dim"},
                        "widths with two frequencies",
                        [](const Arguments& p) { return p.width("dim") >= 4; },
                        {{{"shift", {1.0}}}}}}},
    .reference = &make,
    .exact = &oracle::timestep_embedding,
    .facts = {{&facts::is_added_to_the_tokens},
              {&facts::depends_on_position_alone},
              {&facts::distinguishes_positions},
              {&facts::takes_steps_that_bf16_shows},
              {&facts::moves_rigidly},
              {&facts::moves_by_rotations}},
    .witnesses =
        {
            fails(score::depends_on_offset, "dim=2 shift=0 q=[1,0] k=[0,0] i=0 j=0 t=1", 0.841,
                  "p_i.p_j depends on the offset alone, but q.p_j does not: q.p_0 = sin 0, q.p_1 = sin 1"),
            fails(score::decays_with_distance, "dim=2 shift=0 q=[0,0] i=6 far=6 near=3", 1.95,
                  "cos 6 > cos 3: the pair is periodic"),
            fails(attention::keeps_constant_sequences_constant, "dim=2 shift=0 n=2 mask=causal x=[0,0]",
                  0.489, "the row is added to the values: the answers are p_0, then a mean of p_0 and p_1"),
            fails(attention::has_the_symmetry_of_its_mask,
                  "dim=2 shift=0 n=2 mask=none permutation=[1,0] x=[0*4]", 0.136,
                  "two equal tokens without a mask have different answers: each favours its own position"),
            fails(attention::permutation_equivariant, "dim=2 shift=0 n=2 permutation=[1,0] mask=none x=[0*4]",
                  0.136, "exchanging two equal tokens changes nothing, but their answers differ"),
            fails(attention::pooled_readout_invariant, "dim=2 shift=0 n=2 permutation=[1,0] x=[1,0,0,0]",
                  0.341, "the token is added to p_0, then to p_1"),
            fails(attention::query_order_equivariant,
                  "dim=2 shift=0 queries=2 keys=2 permutation=[1,0] q=[0*4] k=[0*4]", 0.136,
                  "equal queries at 0 and 1 each favour the key at their own position"),
            fails(attention::key_order_invariant,
                  "dim=2 shift=0 queries=1 keys=2 permutation=[1,0] q=[0,0] k=[1,0,0,0]", 0.161,
                  "the key is added to p_0, then to p_1"),
        },
    .claims =
        {
            holds(table::keeps_pairs_on_the_unit_circle),
            holds(table::has_different_dot_products_near_and_far),
            holds(table::rotates_clockwise),
            holds(table::composes_translations),
            holds(table::inverts_translation_by_transposing),
            holds(table::has_translations_of_determinant_one),
            holds(table::has_geometric_wavelengths, {{{"scale", {1.0}}}}),
            fails(table::has_geometric_wavelengths, "dim=2 shift=0 scale=1000 t=0 doublings=0", 0.0265,
                  "at whole positions 1000 radians look like 0.974: 159 turns are 999.026",
                  {{{"scale", {1000.0}}}}),
        },
};

}  // namespace posproof::encodings_timestep_embedding
