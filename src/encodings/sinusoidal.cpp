#include <cmath>

#include "catalogue/encodings/sinusoidal.h"
#include "catalogue/oracle/sinusoidal.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/keeps_constant_sequences_constant.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/score/decays_with_distance.h"
#include "catalogue/properties/score/depends_on_offset.h"
#include "catalogue/properties/table/composes_translations.h"
#include "catalogue/properties/table/distance_depends_on_offset.h"
#include "catalogue/properties/table/distinguishes_neighbours_in_bf16.h"
#include "catalogue/properties/table/distinguishes_neighbours_in_f16.h"
#include "catalogue/properties/table/dot_product_depends_on_offset.h"
#include "catalogue/properties/table/has_bounded_entries.h"
#include "catalogue/properties/table/has_constant_norm.h"
#include "catalogue/properties/table/has_different_dot_products_near_and_far.h"
#include "catalogue/properties/table/has_geometric_wavelengths.h"
#include "catalogue/properties/table/has_one_shift_for_all_lengths.h"
#include "catalogue/properties/table/has_translations_of_determinant_one.h"
#include "catalogue/properties/table/inverts_translation_by_transposing.h"
#include "catalogue/properties/table/keeps_pairs_on_the_unit_circle.h"
#include "catalogue/properties/table/rotates_clockwise.h"
#include "catalogue/properties/table/shifts_base_by_a_rotation.h"
#include "catalogue/properties/table/translates_by_a_rotation.h"
#include "core/declare.h"
#include "core/hard.h"
#include "encodings/facts.h"
#include "encodings/ladder.h"

namespace posproof::encodings_sinusoidal {
namespace {

// How many frequencies a width has, and how an odd width comes by its last column.
struct Columns {
  std::size_t dim;
  std::size_t frequencies;
  std::size_t exponent_width;  // d in 2i/d
  bool cut;                    // the last cosine is missing
};

Columns columns(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const std::string& odd = p.word("odd");
  Columns out{dim, dim / 2, dim, false};
  if (dim % 2 == 1) {
    if (odd == "zero_pad") out.exponent_width = dim - 1;
    if (odd == "truncate") out.frequencies = dim / 2 + 1, out.cut = true;
    if (odd == "round_up") out.frequencies = dim / 2 + 1, out.cut = true, out.exponent_width = dim + 1;
  }
  return out;
}

// Where the sine and the cosine of frequency i stand.
Pair place(const std::string& layout, const Columns& columns, std::size_t i, long double w) {
  const double frequency = static_cast<double>(w);
  const std::size_t cosines = columns.frequencies - (columns.cut ? 1 : 0);
  if (layout == "interleaved") return {2 * i, 2 * i + 1, frequency, i};
  if (layout == "sin_cos") return {i, columns.frequencies + i, frequency, i};
  return {cosines + i, i, frequency, i};
}

// A scale is rounded, and so is the product with it. The power's own error counts |ln w|, which is at most
// |ln scale| more than that of the scaled frequency.
FrequencyError scaled_by(double scale) {
  if (scale == 1) return {};
  return {.condition = 1, .roundings = 2 + 3 * std::abs(std::log(scale))};
}

// How many times what one power or one exponential of a product loses. Over the number of frequencies less
// one, MLX forms the exponent as a sum: exp((1 - x) ln b - ln b), x = i / (n - 1). Absolutely, the quotient
// is a rounding of x ln b; 1 - x and its product with ln b are two of (1 - x) ln b; ln b is the same number
// in both terms, so that its rounding counts x ln b, as that of the sum does. power_error grants 3 |ln w| = 3
// x ln b: 2 (1 - x) ln b are left.
double lost_by_a_sum(double base, double x, double w) {
  return 1 + 2 * (1 - x) * std::abs(std::log(base)) / (4 + 3 * std::abs(std::log(w)));
}

Encoding make(const Arguments& p) {
  const Columns c = columns(p);
  const double base = p.real("base"), amplitude = p.real("amplitude"), scale = p.real("scale");
  const bool half = p.is("divisor", "half");
  const std::string& layout = p.word("layout");
  const std::int64_t padding_row = p.whole("padding_row");
  // offset - t is t - offset backwards.
  const std::int64_t sign = p.is("direction", "forward") ? 1 : -1, offset = sign * p.whole("offset");

  Table table{.dim = c.dim, .amplitude = amplitude, .offset = static_cast<double>(offset)};
  std::vector<long double> w;
  for (std::size_t i = 0; i < c.frequencies; ++i) {
    const long double power = half ? ladder::frequency(base, 2 * i, c.exponent_width)
                                   : ladder::frequency(base, i, c.frequencies - 1);
    w.push_back(static_cast<long double>(sign) * scale * power);
    Pair pair = place(layout, c, i, w.back());
    pair.frequency_error = scaled_by(scale);
    if (!half)
      pair.frequency_error.condition = lost_by_a_sum(
          base, static_cast<double>(i) / static_cast<double>(c.frequencies - 1), std::abs(pair.frequency));
    if (c.cut && i + 1 == c.frequencies)
      table.lone = pair;
    else
      table.pairs.push_back(pair);
  }
  table.positions.hard = hard_positions(table.pairs, table.positions.lo, table.positions.hi);
  table.rows = [w, pairs = table.pairs, lone = table.lone, dim = c.dim, sign, offset, padding_row, amplitude](
                   std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r) {
      if (padding_row >= 0 && sign * (positions[r] + offset) == padding_row) continue;
      const long double t = static_cast<long double>(positions[r]) + static_cast<long double>(offset);
      for (const Pair& pair : pairs) {
        rows.at(r, pair.first) = static_cast<double>(amplitude * std::sin(t * w[pair.index]));
        rows.at(r, pair.second) = static_cast<double>(amplitude * std::cos(t * w[pair.index]));
      }
      if (lone) rows.at(r, lone->first) = static_cast<double>(amplitude * std::sin(t * w[lone->index]));
    }
    return rows;
  };
  return table;
}

using namespace properties;

// Every sine has its cosine, in every row.
const Condition whole_pairs{{{"odd", {"refuse", "zero_pad"}}, {"padding_row", {-1.0}}}};
// Of width 1 there is no other; its sine has steps that are nearly 0.
const Condition sine_and_cosine{{{"odd", {"refuse", "zero_pad"}}}},
    a_sine_alone{{{"odd", {"truncate", "round_up"}}}};
const Condition no_padding{{{"padding_row", {-1.0}}}};
const Condition as_in_the_paper{{{"padding_row", {-1.0}}, {"scale", {1.0}}}};
const Condition paper_direction{{{"padding_row", {-1.0}}, {"direction", {"forward"}}}};

}  // namespace

const EncodingSpec entry{
    .summary = "sine and cosine of the position at a geometric ladder of frequencies",
    .formula = "p_t[2i] = A sin(t w_i), p_t[2i+1] = A cos(t w_i), w_i = base^(-2i/dim)",
    .source =
        "Vaswani et al. 2017, Attention Is All You Need, section 3.5; divisor half_minus_one: tensor2tensor",
    .parameters =
        {.all =
             {whole("dim", type::any_width, 64, {2, 4, 6, 3, 7, 64}, "width of a row", "channels"),
              above_0(
                  "base", 10000, {10000, 500000},
                  "its powers are the frequencies, before `scale`: from 1 to nearly 1/base at large widths, and to just that where divisor is half_minus_one"),
              convention("layout", {"interleaved", "sin_cos", "cos_sin"},
                         "where sines and cosines stand: interleaved, sin_cos, cos_sin"),
              convention("divisor", {"half", "half_minus_one"},
                         "half: exponent 2i/dim; half_minus_one: i/(h-1) of h frequencies"),
              disputed(whole("offset", type::any_whole, 0, {0, 1, 2},
                             "integer added to the position: 1 counts from one, 2 from padding_idx + 1",
                             "positions")),
              convention("odd", {"refuse", "zero_pad", "truncate", "round_up"},
                         "odd widths: refuse, zero_pad (last column 0), truncate (last cosine cut), "
                         "round_up (as dim + 1, cut)"),
              above_0("amplitude", 1, {1, 0.5}, "factor of every entry"),
              disputed(above_0("scale", 1, {1, 0.5},
                               "factor of every frequency: min_timescale in tensor2tensor, whose base is "
                               "max_timescale / min_timescale")),
              convention("direction", {"forward", "backward"},
                         "forward: t + offset; backward: offset - t, as flipped tables of relative positions "
                         "have it (ESPnet and Transformer-XL: the last offset comes first)"),
              disputed(whole(
                  "padding_row", {-1, type::any_whole.hi}, -1, {-1, 1},
                  "t + offset (backward: offset - t) whose row is all 0, fairseq's padding_idx; -1 for none"))},
         .relations = {{{"dim"},
                        "even widths",
                        [](const Arguments& p) { return p.width("dim") % 2 == 0; },
                        {{{"odd", {"refuse"}}}}},
                       {{"dim", "odd"},
                        "widths with a frequency",
                        [](const Arguments& p) { return columns(p).frequencies >= 1; }},
                       {{"dim", "odd"},
                        "widths with two frequencies",
                        [](const Arguments& p) { return columns(p).frequencies >= 2; },
                        {{{"divisor", {"half_minus_one"}}}}}}},
    .reference = &make,
    .exact = &oracle::sinusoidal,
    .facts = {{&facts::is_added_to_the_tokens},
              {&facts::depends_on_position_alone},
              {&facts::distinguishes_positions},
              {&facts::takes_steps_that_bf16_shows, sine_and_cosine},
              {&facts::moves_rigidly, whole_pairs},
              {&facts::moves_by_rotations, whole_pairs}},
    .witnesses =
        {
            fails(score::depends_on_offset, "dim=2 q=[1,0] k=[0,0] i=0 j=0 t=1", 0.841,
                  "p_i.p_j depends on the offset alone, but q.p_j does not: q.p_0 = sin 0, q.p_1 = sin 1"),
            fails(score::decays_with_distance, "dim=2 q=[0,0] i=6 far=6 near=3", 1.95,
                  "cos 6 > cos 3: the pair is periodic"),
            fails(attention::keeps_constant_sequences_constant, "dim=2 n=2 mask=causal x=[0,0]", 0.489,
                  "the row is added to the values: the answers are p_0, then a mean of p_0 and p_1"),
            fails(attention::has_the_symmetry_of_its_mask, "dim=2 n=2 mask=none permutation=[1,0] x=[0*4]",
                  0.136,
                  "two equal tokens without a mask have different answers: each favours its own position"),
            fails(attention::permutation_equivariant, "dim=2 n=2 permutation=[1,0] mask=none x=[0*4]", 0.136,
                  "exchanging two equal tokens changes nothing, but their answers differ"),
            fails(attention::pooled_readout_invariant, "dim=2 n=2 permutation=[1,0] x=[1,0,0,0]", 0.341,
                  "the token is added to p_0, then to p_1"),
            fails(attention::query_order_equivariant,
                  "dim=2 queries=2 keys=2 permutation=[1,0] q=[0*4] k=[0*4]", 0.136,
                  "equal queries at 0 and 1 each favour the key at their own position"),
            fails(attention::key_order_invariant,
                  "dim=2 queries=1 keys=2 permutation=[1,0] q=[0,0] k=[1,0,0,0]", 0.161,
                  "the key is added to p_0, then to p_1"),
        },
    .claims =
        {
            holds(table::has_geometric_wavelengths, as_in_the_paper),
            holds(table::has_bounded_entries, a_sine_alone),
            fails(table::distinguishes_neighbours_in_bf16, "dim=1 odd=truncate t=177 n=179", 1,
                  "sin 177 and sin 178, on either side of a maximum, are 0.87759 and 0.87758"),
            fails(table::distinguishes_neighbours_in_f16, "dim=1 odd=truncate t=177 n=179", 1,
                  "sin 177 and sin 178, on either side of a maximum, are 0.87759 and 0.87758"),
            holds(table::keeps_pairs_on_the_unit_circle, no_padding),
            holds(table::has_different_dot_products_near_and_far, no_padding),
            holds(table::rotates_clockwise, paper_direction),
            holds(table::composes_translations, whole_pairs),
            holds(table::inverts_translation_by_transposing, whole_pairs),
            holds(table::has_translations_of_determinant_one, whole_pairs),
            fails(table::has_constant_norm, "dim=3 odd=truncate t=730", 0.414,
                  "the last sine has no cosine: the norm is sqrt(1 + sin^2(730 w)), nearly sqrt 2"),
            fails(
                table::translates_by_a_rotation, "dim=3 odd=truncate k=730 s=0 t=730", 0.586,
                "the last sine of width 3 has no cosine: from 0 to 730 it grows from 0 to nearly 1, and the norm to nearly sqrt 2"),
            fails(table::shifts_base_by_a_rotation, "dim=3 odd=truncate n=2 c=730", 0.640,
                  "the last sine of width 3 has no cosine: from 0 to 730 it grows from 0 to nearly 1"),
            fails(table::dot_product_depends_on_offset, "dim=3 odd=truncate k=730 s=0 t=0", 1,
                  "the last sine of width 3 has no cosine: |p_0|^2 = 1, and |p_730|^2 is nearly 2"),
            fails(table::distance_depends_on_offset, "dim=3 odd=truncate k=730 s=0 t=730", 0.00263,
                  "a sine without its cosine changes by another amount from 730 to 1460 than from 0 to 730"),
            fails(table::has_one_shift_for_all_lengths, "dim=3 odd=truncate k=730 t=0 u=730 n=1461 far=1462",
                  0.00263, "no rigid motion shifts a sine without its cosine"),
        },
};

}  // namespace posproof::encodings_sinusoidal
