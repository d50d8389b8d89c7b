#include <cmath>

#include "catalogue/encodings.h"
#include "catalogue/properties.h"
#include "core/hard.h"
#include "encodings/checked.h"
#include "encodings/ladder.h"
#include "oracle/oracle.h"

namespace posproof {
namespace {

// How many frequencies a width has, and how an odd width comes by its last column.
struct Columns {
  std::size_t dim;
  std::size_t frequencies;
  std::size_t exponent_width;  // d in 2i/d
  bool cut;                    // the last cosine is missing
};

Columns columns(const Parameters& parameters) {
  const std::size_t dim = checked::width(parameters, "dim");
  const std::string& odd = checked::one_of(parameters, "odd", {"refuse", "zero_pad", "truncate", "round_up"});
  Columns out{dim, dim / 2, dim, false};
  if (dim % 2 == 1) {
    if (odd == "refuse") throw Refusal(fmt::format("`dim={} odd=refuse`: allowed are even widths", dim));
    if (odd == "zero_pad") out.exponent_width = dim - 1;
    if (odd == "truncate") out.frequencies = dim / 2 + 1, out.cut = true;
    if (odd == "round_up") out.frequencies = dim / 2 + 1, out.cut = true, out.exponent_width = dim + 1;
  }
  const bool whole_range =
      checked::one_of(parameters, "divisor", {"half", "half_minus_one"}) == "half_minus_one";
  if (out.frequencies < (whole_range ? 2u : 1u))
    throw Refusal(fmt::format("`dim={} odd={} divisor={}`: {} frequencies, allowed are {} or more", dim, odd,
                              parameters.word("divisor"), out.frequencies, whole_range ? 2 : 1));
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

Encoding make(const Parameters& parameters) {
  const Columns c = columns(parameters);
  const double base = checked::positive(parameters, "base");
  const bool half = parameters.word("divisor") == "half";
  const std::string& layout = checked::one_of(parameters, "layout", {"interleaved", "sin_cos", "cos_sin"});
  const std::int64_t offset = checked::whole(parameters, "offset", -checked::widest, checked::widest);
  const double amplitude = checked::positive(parameters, "amplitude");

  Table table{.dim = c.dim, .amplitude = amplitude, .offset = static_cast<double>(offset)};
  std::vector<long double> w;
  for (std::size_t i = 0; i < c.frequencies; ++i) {
    w.push_back(half ? ladder::frequency(base, 2 * i, c.exponent_width)
                     : ladder::frequency(base, i, c.frequencies - 1));
    const Pair pair = place(layout, c, i, w.back());
    if (c.cut && i + 1 == c.frequencies)
      table.lone = pair;
    else
      table.pairs.push_back(pair);
  }
  table.positions.hard = hard_positions(table.pairs, table.positions.lo, table.positions.hi);
  table.rows = [w, pairs = table.pairs, lone = table.lone, dim = c.dim, offset, amplitude](
                   std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r) {
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

}  // namespace

const EncodingSpec encodings::sinusoidal{
    .summary = "sine and cosine of the position at a geometric ladder of frequencies",
    .formula = "p_t[2i] = A sin(t w_i), p_t[2i+1] = A cos(t w_i), w_i = base^(-2i/dim)",
    .source =
        "Vaswani et al. 2017, Attention Is All You Need, section 3.5; divisor half_minus_one: tensor2tensor",
    .parameters = {{"dim", 64.0, {2.0, 4.0, 6.0, 3.0, 7.0, 64.0}, "width of a row, channels"},
                   {"base",
                    10000.0,
                    {10000.0, 500000.0},
                    "ratio of the slowest wavelength to the fastest, in the limit"},
                   {"layout",
                    "interleaved",
                    {"interleaved", "sin_cos", "cos_sin"},
                    "where sines and cosines stand: interleaved, sin_cos, cos_sin",
                    true},
                   {"divisor",
                    "half",
                    {"half", "half_minus_one"},
                    "half: exponent 2i/dim; half_minus_one: i/(h-1) of h frequencies",
                    true},
                   {"offset",
                    0.0,
                    {0.0, 1.0, 2.0},
                    "integer added to the position: 1 counts from one, 2 from padding_idx + 1",
                    true},
                   {"odd",
                    "refuse",
                    {"refuse", "zero_pad", "truncate", "round_up"},
                    "odd widths: refuse, zero_pad (last column 0), truncate (last cosine cut), round_up (as "
                    "dim + 1, cut)",
                    true},
                   {"amplitude", 1.0, {1.0, 0.5}, "factor of every entry"}},
    .make = &make,
    .oracle = &oracle::sinusoidal,
    .claims =
        {
            holds(table::is_prefix_stable),
            holds(table::does_not_depend_on_length),
            holds(table::has_a_step_that_does_not_depend_on_length),
            holds(table::keeps_similarity_across_lengths),
            holds(table::has_bounded_entries),
            holds(table::has_distinct_positions),
            holds(table::has_geometric_wavelengths),
            holds(table::is_defined_for_one_token),
            holds(table::keeps_pairs_on_the_unit_circle),
            holds(table::distinguishes_neighbours_in_bf16),
            holds(table::distinguishes_neighbours_in_f16),
            holds(table::distinguishes_neighbours_from_distant_tokens),
            holds(table::rotates_clockwise),
            holds(table::composes_translations, {.all = {{"odd", {"refuse", "zero_pad"}}}}),
            holds(table::inverts_translation_by_transposing, {.all = {{"odd", {"refuse", "zero_pad"}}}}),
            holds(table::has_translations_of_determinant_one, {.all = {{"odd", {"refuse", "zero_pad"}}}}),
            holds(table::has_constant_norm, {.all = {{"odd", {"refuse", "zero_pad"}}}}),
            holds(table::translates_by_a_rotation, {.all = {{"odd", {"refuse", "zero_pad"}}}}),
            holds(table::shifts_base_by_a_rotation, {.all = {{"odd", {"refuse", "zero_pad"}}}}),
            holds(table::dot_product_depends_on_offset, {.all = {{"odd", {"refuse", "zero_pad"}}}}),
            holds(table::distance_depends_on_offset, {.all = {{"odd", {"refuse", "zero_pad"}}}}),
            holds(table::has_one_shift_for_all_lengths, {.all = {{"odd", {"refuse", "zero_pad"}}}}),
            fails(table::has_constant_norm, "dim=3 odd=truncate t=730", 0.414,
                  "the norm is sqrt(1 + sin^2(730 w)) = sqrt 2: the lone sine lacks its cosine"),
            fails(table::translates_by_a_rotation, "dim=3 odd=truncate k=730 s=0 t=730", 0.586,
                  "sin(730 w) = 1 for the last frequency of width 3, and its cosine is cut off: the norm "
                  "grows to sqrt 2"),
            fails(table::shifts_base_by_a_rotation, "dim=3 odd=truncate n=2 c=730", 0.640,
                  "sin(730 w) = 1 for the last frequency of width 3, and its cosine is cut off"),
            fails(table::dot_product_depends_on_offset, "dim=3 odd=truncate k=730 s=0 t=0", 1,
                  "sin(730 w) = 1 for the last frequency of width 3, and its cosine is cut off: |p_0|^2 = 1, "
                  "|p_730|^2 = 2"),
            fails(table::distance_depends_on_offset, "dim=3 odd=truncate k=730 s=0 t=730", 0.00263,
                  "a sine alone does not change by as much from 730 to 1460 as from 0 to 730"),
            fails(table::has_one_shift_for_all_lengths, "dim=3 odd=truncate k=730 t=0 u=730 n=1461 far=1462",
                  0.00263, "no rigid motion shifts a sine without its cosine"),
            holds(score::depends_on_order),
            fails(score::depends_on_offset, "dim=2 q=[1,0] k=[0,0] i=0 j=0 t=1", 0.841,
                  "p_i.p_j depends on the offset alone, but q.p_j does not: q.p_0 = sin 0, q.p_1 = sin 1"),
            fails(score::decays_with_distance, "dim=2 q=[0,0] i=6 far=6 near=3", 1.95,
                  "cos 6 > cos 3: the pair comes round"),
            holds(attention::breaks_the_symmetry),
            holds(attention::is_causal),
            fails(attention::keeps_constant_sequences_constant, "dim=2 n=2 mask=causal x=[0,0]", 0.489,
                  "the code is added to the values: p_0, then a mean of p_0 and p_1"),
            fails(attention::has_the_symmetry_of_its_mask, "dim=2 n=2 mask=none permutation=[1,0] x=[0*4]",
                  0.136, "no mask, equal tokens, and the two answers differ: each prefers its own place"),
            fails(attention::permutation_equivariant, "dim=2 n=2 permutation=[1,0] mask=none x=[0*4]", 0.136,
                  "two equal tokens change places and nothing moves, but their answers differ"),
            fails(attention::pooled_readout_invariant, "dim=2 n=2 permutation=[1,0] x=[1,0,0,0]", 0.341,
                  "the token is added to p_0, then to p_1"),
            fails(attention::query_order_equivariant,
                  "dim=2 queries=2 keys=2 permutation=[1,0] q=[0*4] k=[0*4]", 0.136,
                  "equal queries at 0 and 1 prefer the key at their own place"),
            fails(attention::key_order_invariant,
                  "dim=2 queries=1 keys=2 permutation=[1,0] q=[0,0] k=[1,0,0,0]", 0.161,
                  "the key is added to p_0, then to p_1"),
            holds(call::agrees_in_chunks),
            holds(call::is_stateless),
            holds(call::takes_positions_in_any_order),
        },
};

}  // namespace posproof
