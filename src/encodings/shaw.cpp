#include "catalogue/encodings/shaw.h"
#include "catalogue/oracle/shaw.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/contextual/adds_content_and_position.h"
#include "catalogue/properties/contextual/saturates.h"
#include "catalogue/properties/score/decays_with_distance.h"
#include "core/declare.h"
#include "encodings/clipped.h"
#include "encodings/facts.h"
#include "encodings/inside_attention.h"

namespace posproof::encodings_shaw {
namespace {

using namespace inside;

Encoding make(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const clipped::Rows rows(p);
  const Tensor table = trained(rows.count(), dim, p.whole("table_seed"));

  Contextual shaw = contextual(
      dim, 1, [=](std::span<const double> q, std::span<const double> k, Position i, Position j, std::size_t) {
        const auto row = rows.of(i, j);
        Real sum = 0;
        for (std::size_t c = 0; c < dim; ++c)
          sum += q[c] * (static_cast<Real>(k[c]) + clipped::entry(table, row, c));
        return sum / root(dim);
      });
  shaw.error = BoundOf<Contextual>(&oracle::shaw, p);
  return shaw;
}

using namespace properties;

}  // namespace

const EncodingSpec entry{
    .summary = "a trained vector added to the key, one for each offset up to a largest one",
    .formula = "s(q,k; i,j) = q.(k + a_clip(j - i)) / sqrt(dim), clip to [-K, K], or a = 0 beyond",
    .source = "Shaw et al. 2018, Self-Attention with Relative Position Representations, section 3",
    .parameters = {{whole("dim", type::any_width, 64, {1, 2, 4}, "width of a head", "channels"),
                    clipped::clip(), clipped::clip_right(), clipped::relative(), clipped::last_offset(),
                    clipped::beyond(),
                    whole("table_seed", type::any_whole, 1, {1, 2},
                          "seed of the table [rows, dim], the smallest offset first")}},
    .reference = &make,
    .exact = &oracle::shaw,
    .facts = {{&facts::acts_on_logits_alone},
              {&facts::depends_on_offset_alone},
              {&facts::distinguishes_positions}},
    .witnesses =
        {
            fails(attention::has_the_symmetry_of_its_mask, "dim=2 n=2 mask=none permutation=[1,0] x=[1,0*3]",
                  0.181, "keys before a query have other vectors than keys after it"),
            fails(attention::permutation_equivariant, "dim=2 n=2 permutation=[1,0] mask=none x=[1,0*3]",
                  0.181, "keys before a query have other vectors than keys after it"),
            fails(attention::pooled_readout_invariant, "dim=2 n=2 permutation=[1,0] x=[1,0*3]", 0.0903,
                  "the later of two keys has another vector than the earlier"),
            fails(attention::query_order_equivariant,
                  "dim=2 queries=2 keys=2 permutation=[1,0] q=[1,0*3] k=[1,0*3]", 0.375,
                  "the offsets depend on the query's position"),
            fails(attention::key_order_invariant,
                  "dim=2 queries=1 keys=2 permutation=[1,0] q=[1,0] k=[1,0*3]", 0.502,
                  "moving a key changes the vector of its offset"),
        },
    .claims =
        {
            holds(contextual::saturates),
            fails(contextual::adds_content_and_position, "dim=1 clip=2 i=0 j=0 a=0 b=1 q=[1] k=[0]", 0.236,
                  "the vector of the offset is multiplied with the query"),
            fails(
                score::decays_with_distance, "dim=2 q=[1,0] i=1 far=1 near=0", 0.377,
                "trained vectors are not ordered by distance: that of offset -1 gives a larger logit than that of 0"),
        },
};

}  // namespace posproof::encodings_shaw
