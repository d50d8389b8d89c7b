#include <algorithm>

#include "catalogue/encodings/music_transformer.h"
#include "catalogue/oracle/music_transformer.h"
#include "catalogue/properties/attention/breaks_the_symmetry.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/contextual/adds_content_and_position.h"
#include "catalogue/properties/contextual/saturates.h"
#include "catalogue/properties/score/decays_with_distance.h"
#include "core/declare.h"
#include "encodings/facts.h"
#include "encodings/inside_attention.h"

namespace posproof::encodings_music_transformer {
namespace {

using namespace inside;

Encoding make(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const Position length = p.whole("length");
  const bool zero = p.is("beyond", "zero");
  const Tensor table = trained(p.width("length"), dim, p.whole("table_seed"));

  Contextual music = contextual(
      dim, 1, [=](std::span<const double> q, std::span<const double> k, Position i, Position j, std::size_t) {
        // Keys after the query are hidden by the mask: what the skewed matrix holds there means nothing.
        const Position back = std::clamp<Position>(i - j, 0, zero ? length : length - 1);
        Real logit = dot(q, k);
        if (back < length) logit += dot(q, table.row(static_cast<std::size_t>(length - 1 - back)));
        return logit / root(dim);
      });
  music.causal = true;
  music.error = BoundOf<Contextual>(&oracle::music_transformer, p);
  return music;
}

using namespace properties;

}  // namespace

const EncodingSpec entry{
    .summary = "a trained vector for each distance into the past, met by the query (skewed relative logits)",
    .formula = "s(q,k; i,j) = (q.k + q.e_(j - i)) / sqrt(dim), j <= i",
    .source = "Huang et al. 2018, Music Transformer, equation 3 and section 3.4; tensor2tensor",
    .parameters = {{whole("dim", type::any_width, 64, {1, 2, 4}, "width of a head", "channels"),
                    whole("length", {1, 1 << 16}, 64, {3, 6},
                          "number of distances, from 0 on, that have a vector", "tokens"),
                    convention("beyond", {"zero", "repeat"},
                               "beyond these: no vector (tensor2tensor), or that of the largest distance"),
                    whole("table_seed", type::any_whole, 1, {1, 2},
                          "seed of the table [length, dim], which holds the largest distance first")}},
    .reference = &make,
    .exact = &oracle::music_transformer,
    .facts = {{&facts::acts_on_logits_alone},
              {&facts::depends_on_offset_alone},
              {&facts::distinguishes_positions, {}, {&attention::breaks_the_symmetry}}},
    .witnesses =
        {
            fails(attention::has_the_symmetry_of_its_mask,
                  "dim=4 n=4 mask=padding kept=2 permutation=[0,1,3,2] x=[1,0*7,1,0*7]", 0.156,
                  "two queries after the last key are exchanged, and with them their distances to the keys"),
            fails(attention::permutation_equivariant,
                  "dim=2 n=3 permutation=[0,2,1] mask=block block=2 x=[0*2,1,0*3]", 0.0767,
                  "moving a query away from the other key of its block changes the vector of their distance"),
            fails(attention::pooled_readout_invariant, "dim=2 n=2 permutation=[1,0] x=[1,0*3]", 0.409,
                  "the first token is seen by both, the second by itself"),
            fails(attention::query_order_equivariant,
                  "dim=2 queries=2 keys=2 permutation=[1,0] q=[1,0*3] k=[1,0*3]", 0.0937,
                  "the distances depend on the query's position"),
            fails(attention::key_order_invariant,
                  "dim=2 queries=1 keys=2 permutation=[1,0] q=[1,0] k=[1,0*3]", 0.326,
                  "moving a key changes the vector of its offset"),
        },
    .claims =
        {
            holds(contextual::saturates),
            fails(contextual::adds_content_and_position, "dim=1 length=3 i=0 j=0 a=1 b=0 q=[1] k=[0]", 1.99,
                  "the vector of the distance is multiplied with the query"),
            holds(attention::breaks_the_symmetry, {{{"dim", {2.0, 4.0}}}}),
            fails(attention::breaks_the_symmetry, "dim=1 length=6 n=6 permutation=[0,2,3,5,1,4]", 0.0000426,
                  "with one channel, the vectors change no answer by the threshold, 2^-11"),
            fails(score::decays_with_distance, "dim=2 q=[1,0] i=3 far=3 near=2", 0.206,
                  "trained vectors are not ordered by distance"),
        },
};

}  // namespace posproof::encodings_music_transformer
