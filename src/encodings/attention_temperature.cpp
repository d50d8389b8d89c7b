#include <algorithm>
#include <cmath>

#include "catalogue/encodings/attention_temperature.h"
#include "catalogue/oracle/attention_temperature.h"
#include "catalogue/properties/attention/breaks_the_symmetry.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/call/treats_heads_alike.h"
#include "catalogue/properties/rotary/composes.h"
#include "catalogue/properties/rotary/inverts_at_the_opposite_position.h"
#include "catalogue/properties/rotary/is_identity_at_zero.h"
#include "catalogue/properties/rotary/is_linear.h"
#include "catalogue/properties/rotary/layouts_agree_after_one_permutation.h"
#include "catalogue/properties/rotary/preserves_norm.h"
#include "catalogue/properties/rotary/preserves_pair_norms.h"
#include "catalogue/properties/rotary/role_does_not_matter.h"
#include "catalogue/properties/score/decays_with_distance.h"
#include "catalogue/properties/score/depends_on_offset.h"
#include "catalogue/properties/score/depends_on_order.h"
#include "core/declare.h"
#include "core/hard.h"
#include "core/rotation.h"
#include "encodings/facts.h"
#include "encodings/rotary_widths.h"

namespace posproof::encodings_attention_temperature {
namespace {

// What multiplies the query at a position.
struct Temperature {
  bool steps;
  long double scale, length, offset;

  // How many whole lengths lie before a position.
  long double lengths(double t) const { return std::floor((static_cast<long double>(t) + offset) / length); }

  long double at(double t) const {
    if (steps) return 1 + scale * std::log(lengths(t) + 1);
    return std::max(1.0L, std::log(std::max(1.0L, static_cast<long double>(t) + offset)) / std::log(length));
  }

  // Relative. In steps: a logarithm within 1 ulp, a product and a sum of positive terms, 4 units; a quotient
  // that rounds to the next whole number takes the step before it is due. By logarithms: two and a
  // quotient, 5.
  double error(double t, double unit) const {
    if (!steps) return 5 * unit;
    const long double quotient = (static_cast<long double>(t) + offset) / length;
    const bool early = lengths(t) + 1 - quotient < 2 * static_cast<long double>(unit) * quotient;
    const long double step = early ? scale * std::log((lengths(t) + 2) / (lengths(t) + 1)) / at(t) : 0;
    return 4 * unit + static_cast<double>(step);
  }
};

Encoding make(const Arguments& p) {
  const std::size_t dim = p.width("dim"), heads = p.width("heads");
  const Temperature temperature{p.is("form", "steps"), p.real("scale"), p.real("original_length"),
                                static_cast<long double>(p.whole("offset"))};

  Rotary rotary{.dim = dim, .heads = heads};
  // Pairs that do not rotate: each is as long as its norm says, times the temperature.
  for (std::size_t i = 0; i < dim / 2; ++i) rotary.pairs.push_back({2 * i, 2 * i + 1, 0, i});
  add_switches(rotary.positions, p.real("original_length"), 4);
  rotary.stretch = [temperature](const Pair&, double t, Role role) {
    return role == Role::query ? static_cast<double>(temperature.at(t)) : 1.0;
  };
  rotary.stretch_error = [temperature](const Pair&, double t, const Precision& precision) {
    return temperature.error(t, precision.angle) + 2 * std::max(precision.table(), precision.work());
  };
  rotary.rotate = [temperature, heads, dim](const Tensor& x, std::span<const Position> positions, Role role) {
    check_rotation(x, positions, heads, dim);
    const std::size_t n = x.shape[2];
    Tensor out = x;
    for (std::size_t row = 0; role == Role::query && row < x.rows(); ++row) {
      const Position t = positions[row / (heads * n) * n + row % n];
      const long double size = temperature.at(static_cast<double>(t));
      for (double& channel : out.row(row)) channel = static_cast<double>(size * channel);
    }
    return out;
  };
  return rotary;
}

using namespace properties;

const Condition in_steps{{{"form", {"steps"}}}};

}  // namespace

const EncodingSpec entry{
    .summary =
        "queries are multiplied by a factor that grows with the position, so that the softmax over many keys stays sharp",
    .formula =
        "steps: q (1 + scale ln(floor((t + offset) / original_length) + 1)); "
        "logarithm: q max(1, ln(t + offset) / ln(original_length))",
    .source =
        "Llama 4 (Meta 2025), attn_temperature_tuning of layers without RoPE; Qwen (Bai et al. 2023), "
        "on longer contexts: LogN-Scaling; Su 2021",
    .parameters = {.all = {whole("dim", type::any_width, 64, {2, 8}, "width of a head", "channels"),
                           whole("heads", any_heads, 1, {1, 3},
                                 "heads, all scaled alike; a gate asks with 2 unless told otherwise"),
                           convention("form", {"steps", "logarithm"},
                                      "how the factor grows: in steps, or with the logarithm"),
                           where(in_steps, above_0("scale", 0.1, {0.1, 0.5}, "factor of the logarithm")),
                           above_0("original_length", 8192, {8192, 2}, "length after which the factor grows",
                                   "positions"),
                           disputed(whole("offset", {0, 1}, 1, {1, 0}, "what the first position counts as"))},
                   .relations = {{{"dim"},
                                  "even numbers of channels",
                                  [](const Arguments& p) { return p.width("dim") % 2 == 0; }},
                                 rotary_widths::all_heads_fit,
                                 {{"original_length"},
                                  "numbers above 1",
                                  [](const Arguments& p) { return p.real("original_length") > 1; }}}},
    .reference = &make,
    .exact = &oracle::attention_temperature,
    .facts = {{&facts::acts_on_logits_alone}},
    .claims =
        {
            holds(rotary::is_linear),
            holds(rotary::is_identity_at_zero),
            holds(call::treats_heads_alike),
            holds(score::decays_with_distance),
            holds(attention::key_order_invariant),
            fails(rotary::preserves_norm, "dim=2 original_length=2 batch=1 n=1 i1=1 x=[1,0] role=query",
                  0.0693, "the query at position 1 has the norm 1 + 0.1 ln 2"),
            fails(rotary::preserves_pair_norms, "dim=2 original_length=2 batch=1 n=1 i1=1 x=[1,0] role=query",
                  0.0693, "the query at position 1 has the norm 1 + 0.1 ln 2"),
            fails(rotary::composes, "dim=2 original_length=2 batch=1 n=1 i1=1 x=[1,0] t1=1 role=query",
                  0.0741, "scaling twice gives (1 + 0.1 ln 2)^2; the factor at position 2 is 1 + 0.1 ln 2"),
            fails(rotary::inverts_at_the_opposite_position,
                  "dim=2 original_length=2 batch=1 n=1 i1=1 x=[1,0] role=query s1=0 y=[1,0]", 0.143,
                  "the factor appears squared; an inverse would cancel it"),
            fails(rotary::layouts_agree_after_one_permutation,
                  "dim=2 original_length=2 pairs=neighbours batch=1 n=1 i1=1 x=[1,0] role=query", 0.0693,
                  "each pair is multiplied by 1 + 0.1 ln 2, which is no rotation"),
            fails(rotary::role_does_not_matter, "dim=2 original_length=2 batch=1 n=2 i1=0 x=[0,0,1,0]",
                  0.0693, "only queries are scaled"),
            fails(score::depends_on_offset, "dim=2 original_length=2 q=[1,0] k=[1,0] i=0 j=0 t=1", 0.0693,
                  "the factor depends on the query's own position"),
            fails(score::depends_on_order, "dim=2 i=3", 0.000244,
                  "the key's position has no effect: effect 0, threshold 2^-12"),
            fails(attention::breaks_the_symmetry, "dim=2 original_length=2 n=3 permutation=[0,2,1]", 0.000488,
                  "positions 1 and 2 have the same factor: effect 0, threshold 2^-11"),
            fails(attention::has_the_symmetry_of_its_mask,
                  "dim=2 original_length=2 n=2 mask=none permutation=[1,0] x=[1,1,0,0]", 0.015,
                  "a token's softmax is sharper at position 1 than at position 0"),
            fails(attention::permutation_equivariant,
                  "dim=2 original_length=2 n=2 permutation=[1,0] mask=none x=[1,1,0,0]", 0.015,
                  "a token's softmax is sharper at position 1 than at position 0"),
            fails(attention::pooled_readout_invariant,
                  "dim=2 original_length=2 n=2 permutation=[1,0] x=[1,1,0,0]", 0.00748,
                  "a token's softmax is sharper at position 1 than at position 0"),
            fails(attention::query_order_equivariant,
                  "dim=2 original_length=2 queries=2 keys=2 permutation=[1,0] q=[1,0,0,0] k=[1,0,0,0]",
                  0.0107, "the query at position 1 is scaled by 1 + 0.1 ln 2, at position 0 by 1"),
        },
};

}  // namespace posproof::encodings_attention_temperature
