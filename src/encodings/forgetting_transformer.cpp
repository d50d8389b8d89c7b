#include "catalogue/encodings/forgetting_transformer.h"
#include "catalogue/oracle/forgetting_transformer.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/attention/weighs_keys_alike_from_every_later_query.h"
#include "core/declare.h"
#include "encodings/facts.h"
#include "encodings/forgetting.h"

namespace posproof::encodings_forgetting_transformer {
namespace {

using namespace inside;

Encoding make(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const Real bias = p.real("gate_bias");
  const Tensor gate = trained(1, dim, p.whole("table_seed"), p.real("gate_std"));
  Attention fox = forgetting(dim, 1 / root(dim), [=](std::span<const double> key) {
    const Real x = dot(gate.row(0), key) + bias;
    return x < 0 ? x - std::log1p(std::exp(x)) : -std::log1p(std::exp(-x));
  });
  fox.errors = BoundOf<Attention>(&oracle::forgetting_transformer, p);
  return fox;
}

using namespace properties;

}  // namespace

const EncodingSpec entry{
    .summary = "forget gates of the tokens between key and query, multiplied up",
    .formula = "s_ij = q_i.k_j / sqrt(dim) + sum over j < l <= i of ln f_l, f_l = 1 / (1 + e^-(w.k_l + b))",
    .source =
        "Lin et al. 2025, Forgetting Transformer: Softmax Attention with a Forget Gate; "
        "zhixuan-lin/forgetting-transformer, whose gates are computed from tokens: here from keys",
    .parameters = {{whole("dim", type::any_width, 64, {1, 2, 4}, "width of a head", "channels"),
                    {"gate_std",
                     type::Real{0, true},
                     1.0,
                     {1.0, 0.0},
                     "standard deviation of w; 0: every gate is 1 / (1 + e^-b)"},
                    {"gate_bias", type::Real{-1e6, true}, 0.0, {0.0, 2.0}, "b"},
                    whole("table_seed", type::any_whole, 1, {1, 2}, "seed of w [dim]")}},
    .reference = &make,
    .exact = &oracle::forgetting_transformer,
    .facts = {{&facts::acts_on_logits_alone},
              {&facts::distinguishes_positions, {}, {&attention::query_order_equivariant}}},
    .witnesses =
        {
            fails(attention::has_the_symmetry_of_its_mask,
                  "dim=4 n=3 mask=last_sees_all permutation=[1,0,2] x=[1,0*11]", 0.134,
                  "of two keys that are exchanged, the last query forgets the nearer less"),
            fails(attention::permutation_equivariant,
                  "dim=2 n=3 permutation=[0,2,1] mask=block block=2 x=[1,0*5]", 0.133,
                  "a token between the two of a block forgets the first, although the mask hides it"),
            fails(attention::pooled_readout_invariant, "dim=2 n=2 permutation=[1,0] x=[1,0*3]", 0.255,
                  "the first token is seen by both, the second by itself"),
            fails(attention::key_order_invariant,
                  "dim=2 queries=1 keys=2 permutation=[1,0] q=[0*2] k=[1,0*3]", 0.25,
                  "the later of two keys is forgotten less"),
        },
    .claims =
        {
            holds(attention::weighs_keys_alike_from_every_later_query),
            holds(attention::query_order_equivariant),
        },
};

}  // namespace posproof::encodings_forgetting_transformer
