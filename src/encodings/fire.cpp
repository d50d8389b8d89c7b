#include <algorithm>
#include <array>
#include <cmath>

#include "catalogue/encodings/fire.h"
#include "catalogue/oracle/fire.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/bias/depends_on_offset.h"
#include "catalogue/properties/bias/falls_at_the_first_step.h"
#include "catalogue/properties/bias/falls_with_distance.h"
#include "catalogue/properties/bias/has_monotone_buckets.h"
#include "catalogue/properties/bias/is_conditionally_positive_definite.h"
#include "catalogue/properties/bias/is_zero_at_offset_zero.h"
#include "catalogue/properties/bias/saturates.h"
#include "catalogue/properties/score/decays_with_distance.h"
#include "catalogue/properties/score/depends_on_offset.h"
#include "core/declare.h"
#include "encodings/facts.h"
#include "encodings/fire_numbers.h"
#include "encodings/perceptron.h"
#include "oracle/bias_bounds.h"

namespace posproof::encodings_fire {
namespace {

using bias_bounds::Fire;

long double input(const Fire& fire, Position query, Position key) {
  const auto psi = [&](long double x) { return std::log1p(fire.c * x); };
  const auto past = static_cast<long double>(std::max<Position>(query - key, 0));
  const long double whole =
      std::max(static_cast<long double>(query), static_cast<long double>(fire.threshold));
  return psi(past) / (psi(whole) + fire.epsilon);
}

Encoding make(const Arguments& p) {
  const Fire fire = fire_of(p);
  const std::size_t heads = fire.layers.heads;
  Bias bias{.heads = heads, .causal = true};
  bias.bias = [fire, heads](const Positions& queries, const Positions& keys) {
    Tensor out({heads, queries.size(), keys.size()});
    for (std::size_t i = 0; i < queries.size(); ++i)
      for (std::size_t j = 0; j < keys.size(); ++j) {
        const long double x = input(fire, queries[i], keys[j]);
        for (std::size_t h = 0; h < heads; ++h)
          out.at(h * queries.size() + i, j) = static_cast<double>(perceptron(fire.layers, h, std::array{x}));
      }
    return out;
  };
  bias.error = bias_bounds::of_fire(fire);
  return bias;
}

using namespace properties;

}  // namespace

const EncodingSpec entry{
    .summary = "a small perceptron of the distance relative to the query's position, on a logarithmic scale",
    .formula = "b_h(i,j) = MLP_h(psi(i - j) / (psi(max(i, threshold)) + epsilon)), psi(x) = ln(c x + 1)",
    .source =
        "Li et al. 2024, Functional Interpolation for Relative Positions Improves Long Context Transformers, "
        "section 3.2; public code (that of DAPE, for one) for the perceptron of one hidden layer and for epsilon",
    .parameters =
        {.all =
             {whole("heads", any_heads, 8, {1, 2, 3}, "heads"),
              whole("width", {1, 4096}, 32, {8, 32}, "units of the hidden layer, with max(., 0)", "units"),
              above_0("c", 0.1, {0.1, 2}, "factor of the distance in the logarithm"),
              above_0("threshold", 512, {8, 512, 1048576},
                      "length up to which all queries have the same scale", "tokens"),
              disputed({"epsilon",
                        type::Real{.from = true},
                        0.0,
                        {0.0, 1e-6},
                        "added to the denominator: 0 in the paper's formula, mostly 1e-6 in code"}),
              whole(
                  "mlp_seed", type::any_whole, 1, {1, 2},
                  "seed of what stands for the trained numbers (uniform, of mean 0 and standard deviation 1): "
                  "the hidden layer's weights [width], its biases, the last weights [heads, width], the last "
                  "biases")}},
    .reference = &make,
    .exact = &oracle::fire,
    .facts = {{&facts::acts_on_logits_alone},
              // As far as the searched threshold goes, no query is past it.
              {&facts::depends_on_offset_alone, {{{"threshold", {1048576.0}}}}},
              {&facts::distinguishes_positions}},
    .witnesses =
        {
            fails(attention::has_the_symmetry_of_its_mask,
                  "heads=1 width=8 threshold=8 n=3 mask=last_sees_all permutation=[1,0,2] x=[1,0*11]", 0.034,
                  "seen from the third position, the first is farther than the second"),
            fails(attention::permutation_equivariant,
                  "heads=1 width=8 threshold=8 n=3 permutation=[0,2,1] mask=block block=2 x=[1,0*11]", 0.0242,
                  "distances belong to the positions, not to the tokens"),
            fails(attention::pooled_readout_invariant,
                  "heads=1 width=8 threshold=8 n=2 permutation=[1,0] x=[1,0*7]", 0.527,
                  "the first token is seen by both, the second by itself"),
            fails(attention::query_order_equivariant,
                  "heads=1 width=8 threshold=8 queries=2 keys=2 permutation=[1,0] q=[0*8] k=[1,0*7]", 0.00231,
                  "the distances depend on the query's position"),
            fails(attention::key_order_invariant,
                  "heads=1 width=8 threshold=8 queries=1 keys=2 permutation=[1,0] q=[0*4] k=[1,0*7]", 0.0532,
                  "the first key is one step farther away than the second"),
        },
    .claims =
        {
            fails(
                bias::depends_on_offset, "heads=1 width=8 threshold=8 i=1 j=0 k=1 t=8", 0.00897,
                "a query at 9 is past the threshold of 8: one step is scaled to ln 1.1 / ln 1.9, not to ln 1.1 / ln 1.8",
                {.all = {{"threshold", {8.0, 512.0}}}}),
            fails(
                score::depends_on_offset, "heads=1 width=8 threshold=8 q=[0*4] k=[0*4] i=1 j=0 t=8", 0.00897,
                "a query at 9 is past the threshold of 8: one step is scaled to ln 1.1 / ln 1.9, not to ln 1.1 / ln 1.8",
                {.all = {{"threshold", {8.0, 512.0}}}}),
            // A perceptron with other numbers falls, is 0 at 0 or is a kernel; with numbers of mean 0 most do
            // not.
            fails(bias::falls_at_the_first_step, "heads=1 width=8 threshold=8 i=1", 0.107,
                  "a trained perceptron may rise with the distance, as this one does"),
            fails(bias::falls_with_distance, "heads=1 width=8 threshold=8 far=1 near=0 i=1", 0.107,
                  "a trained perceptron may rise with the distance, as this one does"),
            fails(score::decays_with_distance, "heads=1 width=8 threshold=8 q=[0*4] i=1 far=1 near=0", 0.107,
                  "a trained perceptron may rise with the distance, as this one does"),
            fails(
                bias::has_monotone_buckets, "near=0 t=1 i=1", 0.0642,
                "a trained perceptron may fall with the distance, as those of 4 of the 8 heads do at the first step"),
            fails(bias::is_zero_at_offset_zero, "heads=1 width=8 threshold=8 i=0", 3.04,
                  "the perceptron's value at 0 depends on its biases"),
            fails(bias::saturates, "heads=1 width=8 threshold=8 far=1048576 near=1048575 i=1048576", 5.42e-08,
                  "on the logarithmic scale the last of 2^20 steps still changes the bias"),
            fails(bias::is_conditionally_positive_definite,
                  "heads=1 width=8 threshold=8 n=3 step=1 i=0 weights=balanced c0=1", 0.445,
                  "the bias of the neighbour is larger than that of offset 0"),
        },
};

}  // namespace posproof::encodings_fire
