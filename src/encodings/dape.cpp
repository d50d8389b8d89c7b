#include <array>
#include <string>

#include "catalogue/encodings/alibi.h"
#include "catalogue/encodings/dape.h"
#include "catalogue/oracle/dape.h"
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
#include "core/spec.h"
#include "encodings/facts.h"
#include "encodings/inside_attention.h"

namespace posproof::encodings_dape {
namespace {

using namespace inside;

Encoding make(const Arguments& p) {
  const std::size_t heads = p.width("heads"), width = p.width("dim"), hidden = p.width("hidden");
  const bool residual = p.is("residual", "both");
  const Tensor first = trained(hidden, 2 * heads + 1, p.whole("table_seed")),
               second = trained(heads, hidden + 1, p.whole("table_seed") + 1);
  const auto alibi =
      encodings::alibi.make<Bias>(Case::parse("form=symmetric heads=" + std::to_string(heads)));

  Contextual dape = contextual(
      width * heads, heads,
      [=](std::span<const double> q, std::span<const double> k, Position i, Position j, std::size_t head) {
        const std::array<Position, 1> query = {i}, key = {j};
        const Tensor biases = alibi.bias(query, key);
        std::vector<Real> logits;
        for (std::size_t h = 0; h < heads; ++h)
          logits.push_back(dot(q.subspan(h * width, width), k.subspan(h * width, width)) / root(width));
        Real f = second.at(head, hidden);
        for (std::size_t m = 0; m < hidden; ++m) {
          Real x = first.at(m, 2 * heads);
          for (std::size_t h = 0; h < heads; ++h)
            x += first.at(m, h) * logits[h] + static_cast<Real>(first.at(m, heads + h)) * biases.data[h];
          f += second.at(head, m) * (x < 0 ? x * Real{0.01} : x);
        }
        return logits[head] + (residual ? biases.data[head] : 0) + f;
      });
  dape.error = BoundOf<Contextual>(&oracle::dape, p);
  return dape;
}

using namespace properties;

}  // namespace

const EncodingSpec entry{
    .summary = "a small network over the logits and the biases of all heads, added to them",
    .formula =
        "s(q,k; i,j) = A + B + f(A, B), A = q.k / sqrt(dim), B = -m_h |i - j|, for all heads at once; f = W' max(z, z/100) + c', z = W (A, B) + c",
    .source = "Zheng et al. 2024, DAPE: Data-Adaptive Positional Encoding for Length Extrapolation",
    .parameters =
        {{whole("dim", type::any_width, 64, {1, 2}, "width of a head", "channels"),
          whole(
              "heads", {1, 8}, 8, {1, 2},
              "heads; q and k have all of them side by side, [n, heads dim], and the network takes all together"),
          whole("hidden", {1, 1 << 12}, 32, {1, 3}, "width of the network's hidden layer"),
          convention("residual", {"both", "logits"}, "what f is added to: A + B, or A"),
          whole("table_seed", type::any_whole, 1, {1, 2},
                "seed of the first layer [hidden, 2 heads + 1], its own vector last; of the second "
                "[heads, hidden + 1], the next one")},
         {{{"heads"},
           "powers of two, whose slopes 2^(-8h/heads) are exact",
           [](const Arguments& p) { return (p.whole("heads") & (p.whole("heads") - 1)) == 0; }}}},
    .reference = &make,
    .exact = &oracle::dape,
    .facts = {{&facts::acts_on_logits_alone},
              {&facts::depends_on_offset_alone},
              {&facts::distinguishes_positions, {}, {&attention::breaks_the_symmetry}}},
    .witnesses =
        {
            fails(attention::has_the_symmetry_of_its_mask,
                  "dim=2 heads=2 hidden=3 n=3 mask=none permutation=[1,0,2] x=[1,0*11]", 0.000899,
                  "the first two tokens exchange their distances to the third"),
            fails(attention::permutation_equivariant,
                  "dim=2 heads=1 hidden=3 n=3 permutation=[1,0,2] mask=none x=[1,0*5]", 0.00192,
                  "the first two tokens exchange their distances to the third"),
            fails(attention::pooled_readout_invariant,
                  "dim=2 heads=1 hidden=3 n=3 permutation=[1,0,2] x=[1,0*5]", 0.000641,
                  "the token in the middle is nearer to the others"),
            fails(attention::query_order_equivariant,
                  "dim=2 heads=1 hidden=3 queries=2 keys=2 permutation=[1,0] q=[0*4] k=[1,0*3]", 0.00287,
                  "the distances depend on the query's position"),
            fails(attention::key_order_invariant,
                  "dim=2 heads=1 hidden=3 queries=1 keys=2 permutation=[1,0] q=[0*2] k=[1,0*3]", 0.00287,
                  "moving a key changes its distance"),
        },
    .claims =
        {
            fails(contextual::saturates, "dim=1 heads=1 hidden=1 side=past q=[0] k=[0]", 0.00319,
                  "the penalty keeps growing by its slope, and the network changes with it"),
            fails(
                contextual::adds_content_and_position, "dim=1 heads=1 hidden=3 i=0 j=0 a=9 b=0 q=[1] k=[4]",
                0.00989,
                "the network is not linear: content decides on which side of its rectifiers a penalty falls"),
            fails(attention::breaks_the_symmetry, "dim=1 heads=1 hidden=1 n=4 permutation=[1,0,2,3]",
                  4.23e-07, "a slope of 2^-8 changes the answer by 4.23e-07 less than the threshold, 2^-11"),
            fails(score::decays_with_distance, "dim=2 heads=1 hidden=3 q=[0*2] i=6 far=6 near=3", 0.0172,
                  "the network can turn a penalty into a reward"),
        },
};

}  // namespace posproof::encodings_dape
