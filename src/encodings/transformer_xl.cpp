#include <algorithm>

#include "catalogue/encodings/transformer_xl.h"
#include "catalogue/oracle/transformer_xl.h"
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
#include "core/kept.h"
#include "encodings/facts.h"
#include "encodings/inside_attention.h"

namespace posproof::encodings_transformer_xl {
namespace {

using namespace inside;

Encoding make(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const Position clamp = p.whole("clamp_len");
  std::vector<Real> frequencies;
  for (std::size_t pair = 0; pair < dim / 2; ++pair)
    frequencies.push_back(
        std::pow(static_cast<Real>(p.real("base")), -2 * static_cast<Real>(pair) / static_cast<Real>(dim)));
  const std::size_t step = p.is("layout", "sin_cos") ? 1 : 2, half = step == 1 ? dim / 2 : 1;
  const Tensor projection = trained(dim, dim, p.whole("table_seed")),
               vectors = trained(2, dim, p.whole("table_seed") + 1);
  const Kept<std::vector<Real>> projected;  // W r, by the offset

  Contextual xl = contextual(
      dim, 1, [=](std::span<const double> q, std::span<const double> k, Position i, Position j, std::size_t) {
        const Position n = clamp == 0 ? i - j : std::clamp(i - j, -clamp, clamp);
        Real logit = 0;
        for (std::size_t c = 0; c < dim; ++c)
          logit += (static_cast<Real>(q[c]) + vectors.at(0, c)) * static_cast<Real>(k[c]);
        const std::vector<Real> at = projected(n, [&](Position own) {
          std::vector<Real> r(dim), out;
          for (std::size_t pair = 0; pair < dim / 2; ++pair) {
            const Real angle = static_cast<Real>(own) * frequencies[pair];
            r[pair * step] = std::sin(angle);
            r[pair * step + half] = std::cos(angle);
          }
          for (std::size_t a = 0; a < dim; ++a) {
            Real sum = 0;
            for (std::size_t b = 0; b < dim; ++b) sum += r[b] * projection.at(a, b);
            out.push_back(sum);
          }
          return out;
        });
        for (std::size_t a = 0; a < dim; ++a) logit += (static_cast<Real>(q[a]) + vectors.at(1, a)) * at[a];
        return logit / root(dim);
      });
  xl.causal = p.is("form", "causal");
  xl.error = BoundOf<Contextual>(&oracle::transformer_xl, p);
  return xl;
}

using namespace properties;

}  // namespace

const EncodingSpec entry{
    .summary = "sinusoids of the offset, projected, met by the query and by two trained vectors",
    .formula = "s(q,k; i,j) = (q.k + q.(W r_(i-j)) + u.k + v.(W r_(i-j))) / sqrt(dim), r = [sin|cos]",
    .source = "Dai et al. 2019, Transformer-XL, section 3.3; XLNet; kimiyoung/transformer-xl",
    .parameters = {{whole("dim", type::any_width, 64, {2, 4}, "width of a head", "channels"),
                    above_0("base", 10000, {10000, 10}, "base of the frequencies base^(-2c/dim)"),
                    convention("layout", {"sin_cos", "interleaved"}, "order of the sines and cosines of r"),
                    convention(
                        "form", {"causal", "bidirectional"},
                        "causal: only keys at or before the query mean anything; bidirectional: XLNet"),
                    disputed(whole("clamp_len", {0, 1 << 20}, 0, {0, 3},
                                   "largest offset: larger ones are clipped to it; 0: none are", "tokens")),
                    whole("table_seed", type::any_whole, 1, {1, 2},
                          "seed of W [dim, dim]; of u and v, the rows of [2, dim], the next one")},
                   {{{"dim"}, "even widths", [](const Arguments& p) { return p.width("dim") % 2 == 0; }}}},
    .reference = &make,
    .exact = &oracle::transformer_xl,
    .facts = {{&facts::acts_on_logits_alone},
              {&facts::depends_on_offset_alone},
              {&facts::distinguishes_positions, {}, {&attention::breaks_the_symmetry}}},
    .witnesses =
        {
            fails(attention::has_the_symmetry_of_its_mask,
                  "dim=2 form=bidirectional n=2 mask=none permutation=[1,0] x=[1,0*3]", 0.62,
                  "sines of the offset differ for keys before and after a query"),
            fails(attention::permutation_equivariant,
                  "dim=2 n=3 permutation=[0,2,1] mask=block block=2 x=[0*2,1,0*3]", 0.129,
                  "moving a query away from the other key of its block changes their distance"),
            fails(attention::pooled_readout_invariant, "dim=2 n=2 permutation=[1,0] x=[1,0*3]", 0.802,
                  "the first token is seen by both, the second by itself"),
            fails(attention::query_order_equivariant,
                  "dim=2 queries=2 keys=2 permutation=[1,0] q=[0*4] k=[1,0*3]", 0.125,
                  "the distances depend on the query's position, and v.(W r) does so without any content"),
            fails(attention::key_order_invariant,
                  "dim=2 queries=1 keys=2 permutation=[1,0] q=[0*2] k=[1,0*3]", 0.354,
                  "moving a key changes its distance"),
        },
    .claims =
        {
            holds(contextual::saturates, {.all = {{"clamp_len", {3.0}}}}),
            fails(contextual::saturates, "dim=2 side=past q=[0,0] k=[0,0]", 1.03,
                  "sines of the distance do not converge"),
            fails(contextual::adds_content_and_position, "dim=2 i=0 j=0 a=1 b=0 q=[1,0] k=[0,0]", 0.97,
                  "the sines of the distance are multiplied with the query"),
            fails(attention::breaks_the_symmetry, "dim=2 table_seed=2 n=8 permutation=[0,7,2,3,4,5,6,1]",
                  0.000321,
                  "exchanging the second token and the eighth changes no answer by the threshold, 2^-11"),
            fails(score::decays_with_distance, "dim=2 q=[0*2] i=1 far=1 near=0", 0.922,
                  "v.(W r) is larger one step back; trained entries may have any order"),
        },
};

}  // namespace posproof::encodings_transformer_xl
