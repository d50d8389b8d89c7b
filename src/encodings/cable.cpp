#include "catalogue/encodings/cable.h"
#include "catalogue/oracle/cable.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/attention/weighs_keys_alike_from_every_later_query.h"
#include "core/declare.h"
#include "encodings/facts.h"
#include "encodings/forgetting.h"

namespace posproof::encodings_cable {
namespace {

using namespace inside;

Encoding make(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const Real bias = p.real("gate_bias"), scale = p.is("scale", "rsqrt") ? 1 / root(dim) : 1;
  const Tensor gate = trained(1, dim, p.whole("table_seed"), p.real("gate_std"));
  Attention cable = forgetting(dim, scale, [=](std::span<const double> key) {
    const Real x = dot(gate.row(0), key) + bias;
    return x > 0 ? -x - std::log1p(std::exp(-x)) : -std::log1p(std::exp(x));
  });
  cable.errors = BoundOf<Attention>(&oracle::cable, p);
  return cable;
}

using namespace properties;

}  // namespace

const EncodingSpec entry{
    .summary =
        "a penalty on the logit: the sum of the penalties of the tokens after the key, the query's own included",
    .formula = "s_ij = q_i.k_j - sum over j < l <= i of ln(1 + e^(w.k_l + b))",
    .source =
        "Veisi et al. 2025, Context-aware Biases for Length Extrapolation; axiomlab/Cable, whose penalties are "
        "computed from tokens: here from keys",
    .parameters = {{whole("dim", type::any_width, 64, {1, 2, 4}, "width of a head", "channels"),
                    {"gate_std",
                     type::Real{0, true},
                     1.0,
                     {1.0, 0.0},
                     "standard deviation of w; 0: every penalty is ln(1 + e^b)"},
                    {"gate_bias", type::Real{-1e6, true}, 0.0, {0.0, 2.0}, "b"},
                    convention("scale", {"one", "rsqrt"},
                               "one: q.k is not divided, as in the authors' code; rsqrt: by sqrt(dim)"),
                    whole("table_seed", type::any_whole, 1, {1, 2}, "seed of w [dim]")}},
    .reference = &make,
    .exact = &oracle::cable,
    .facts = {{&facts::acts_on_logits_alone},
              {&facts::distinguishes_positions, {}, {&attention::query_order_equivariant}}},
    .witnesses =
        {
            fails(attention::has_the_symmetry_of_its_mask,
                  "dim=4 n=3 mask=last_sees_all permutation=[1,0,2] x=[1,0*11]", 0.152,
                  "of two keys that are exchanged, the last query penalises the nearer less"),
            fails(attention::permutation_equivariant,
                  "dim=2 n=3 permutation=[0,2,1] mask=block block=2 x=[1,0*5]", 0.133,
                  "a token between the two of a block penalises the first, although the mask hides it"),
            fails(attention::pooled_readout_invariant, "dim=2 n=2 permutation=[1,0] x=[1,0*3]", 0.387,
                  "the first token is seen by both, the second by itself"),
            fails(attention::key_order_invariant,
                  "dim=2 queries=1 keys=2 permutation=[1,0] q=[0*2] k=[1,0*3]", 0.445,
                  "the later of two keys is penalised less"),
        },
    .claims =
        {
            holds(attention::weighs_keys_alike_from_every_later_query),
            holds(attention::query_order_equivariant),
        },
};

}  // namespace posproof::encodings_cable
