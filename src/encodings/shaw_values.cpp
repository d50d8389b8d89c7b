#include "catalogue/encodings/shaw_values.h"
#include "catalogue/oracle/shaw_values.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/keeps_constant_sequences_constant.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/attention/weighs_keys_alike_from_every_later_query.h"
#include "core/declare.h"
#include "encodings/clipped.h"
#include "encodings/facts.h"
#include "encodings/inside_attention.h"

namespace posproof::encodings_shaw_values {
namespace {

using namespace inside;

Encoding make(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const clipped::Rows rows(p);
  const Tensor of_keys = trained(rows.count(), dim, p.whole("table_seed")),
               of_values = trained(rows.count(), dim, p.whole("table_seed") + 1);

  Attention shaw = attention(dim, [=](const Tensor& q, const Tensor& k, const Tensor& v, const Mask&) {
    const auto row = [=](std::size_t i, std::size_t j) {
      return rows.of(static_cast<Position>(i), static_cast<Position>(j));
    };
    return Pairwise{[=, &q, &k](std::size_t i, std::size_t j) {
                      Real logit = dot(q.row(i), k.row(j));
                      if (const auto r = row(i, j)) logit += dot(q.row(i), of_keys.row(*r));
                      return logit / root(dim);
                    },
                    [=, &v](std::size_t i, std::size_t j, std::size_t c) {
                      return static_cast<Real>(v.at(j, c)) + clipped::entry(of_values, row(i, j), c);
                    }};
  });
  shaw.any_mask = true;
  shaw.errors = BoundOf<Attention>(&oracle::shaw_values, p);
  return shaw;
}

using namespace properties;

}  // namespace

const EncodingSpec entry{
    .summary = "trained vectors of the offset, added to keys and to values",
    .formula =
        "y_i = sum_j softmax_j(q_i.(k_j + a_n) / sqrt(dim)) (v_j + b_n), n = j - i within [-K, K], or a, b = 0 beyond",
    .source =
        "Shaw et al. 2018, Self-Attention with Relative Position Representations, equations 3 and 4; "
        "tensor2tensor",
    .parameters =
        {{whole("dim", type::any_width, 64, {1, 2, 4}, "width of a head", "channels"), clipped::clip(),
          clipped::clip_right(), clipped::relative(), clipped::last_offset(), clipped::beyond(),
          whole("table_seed", type::any_whole, 1, {1, 2},
                "seed of the keys' table [rows, dim], the smallest offset first; of the values', the next "
                "one")}},
    .reference = &make,
    .exact = &oracle::shaw_values,
    .facts = {{&facts::distinguishes_positions}},
    .witnesses =
        {
            fails(attention::has_the_symmetry_of_its_mask, "dim=2 n=2 mask=none permutation=[1,0] x=[0*4]",
                  1.01, "values before a query have other vectors than values after it"),
            fails(attention::permutation_equivariant, "dim=2 n=2 permutation=[1,0] mask=none x=[0*4]", 1.01,
                  "values before a query have other vectors than values after it"),
            fails(attention::pooled_readout_invariant, "dim=2 n=2 permutation=[1,0] x=[1,0*3]", 0.251,
                  "the later of two keys has another vector than the earlier"),
            fails(attention::query_order_equivariant,
                  "dim=2 queries=2 keys=2 permutation=[1,0] q=[0*4] k=[0*4]", 1.01,
                  "the offsets depend on the query's position"),
            fails(attention::key_order_invariant,
                  "dim=2 queries=1 keys=2 permutation=[1,0] q=[1,0] k=[1,0*3]", 0.674,
                  "moving a key changes the vectors of its offset"),
        },
    .claims =
        {
            fails(
                attention::weighs_keys_alike_from_every_later_query,
                "dim=2 n=4 i=2 near=1 far=0 k=[0*8] q=[0,0]", 0.881,
                "the vectors added to the values are those of offsets from the query: -2 and -1, then -3 and -2"),
            fails(
                attention::keeps_constant_sequences_constant, "dim=2 n=2 mask=causal x=[0*2]", 1.15,
                "the answers are means of trained vectors: that of offset 0, and those of offsets 0 and -1"),
        },
};

}  // namespace posproof::encodings_shaw_values
