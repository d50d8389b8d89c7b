#include <algorithm>
#include <cmath>
#include <map>

#include "catalogue/encodings/dynamic_position_bias.h"
#include "catalogue/oracle/dynamic_position_bias.h"
#include "catalogue/properties/attention/breaks_the_symmetry.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/bias/falls_at_the_first_step.h"
#include "catalogue/properties/bias/falls_with_distance.h"
#include "catalogue/properties/bias/has_monotone_buckets.h"
#include "catalogue/properties/bias/is_conditionally_positive_definite.h"
#include "catalogue/properties/bias/is_zero_at_offset_zero.h"
#include "catalogue/properties/bias/saturates.h"
#include "catalogue/properties/score/decays_with_distance.h"
#include "core/declare.h"
#include "encodings/dynamic_bias_numbers.h"
#include "encodings/facts.h"

namespace posproof::encodings_dynamic_position_bias {
namespace {

using oracle::DynamicBias;
using Values = std::vector<long double>;

// W x + b, the layer's numbers beginning at `first`.
Values linear(const DynamicBias& of, std::size_t& first, std::size_t outputs, const Values& x) {
  Values out(outputs);
  for (std::size_t o = 0; o < outputs; ++o) {
    out[o] = of.numbers[first + outputs * x.size() + o];
    for (std::size_t i = 0; i < x.size(); ++i) out[o] += of.numbers[first + o * x.size() + i] * x[i];
  }
  first += outputs * (x.size() + 1);
  return out;
}

// Of each head.
Values entries_at(const DynamicBias& of, Position offset) {
  const auto distance = static_cast<long double>(std::abs(offset));
  const long double t = of.log ? std::log1p(distance) : distance;
  Values x = {offset < 0 && !of.distance ? -t : t};
  std::size_t first = 0;
  for (std::size_t n = 0; n < of.depth; ++n) {
    x = linear(of, first, of.width, x);
    for (long double& one : x) one = of.silu ? one / (1 + std::exp(-one)) : std::max(one, 0.0L);
  }
  return linear(of, first, of.heads, x);
}

Encoding make(const Arguments& p) {
  const DynamicBias of = dynamic_bias_of(p);
  Bias bias{.heads = of.heads};
  bias.bias = [of](const Positions& queries, const Positions& keys) {
    Tensor out({of.heads, queries.size(), keys.size()});
    std::map<Position, Values> known;
    for (std::size_t i = 0; i < queries.size(); ++i)
      for (std::size_t j = 0; j < keys.size(); ++j) {
        Values& entries = known[queries[i] - keys[j]];
        if (entries.empty()) entries = entries_at(of, queries[i] - keys[j]);
        for (std::size_t h = 0; h < of.heads; ++h)
          out.at(h * queries.size() + i, j) = static_cast<double>(entries[h]);
      }
    return out;
  };
  bias.error = oracle::bound_of(of);
  return bias;
}

using namespace properties;

}  // namespace

const EncodingSpec entry{
    .summary = "a perceptron of several layers, whose input is the offset or the distance",
    .formula = "b_h(i,j) = MLP_h(s(i - j)), s(t) = t, sign(t) ln(1 + |t|), |t| or ln(1 + |t|)",
    .source =
        "Wang et al. 2022, CrossFormer: A Versatile Vision Transformer Hinging on Cross-scale Attention, section "
        "3.2.2, for the idea, on a grid; x-transformers' DynamicPositionBias for a line, SiLU, depth and the "
        "logarithm, which many projects copied",
    .parameters =
        {.all = {whole("heads", any_heads, 8, {1, 2, 3}, "heads"),
                 whole("width", {1, 1024}, 16, {4, 8}, "units of each hidden layer", "units"),
                 whole("depth", {1, 16}, 2, {1, 2}, "hidden layers, each without normalisation", "layers"),
                 convention("offset", {"signed", "distance"},
                            "signed: i - j, with its sign; distance: |i - j|, the same in both directions"),
                 convention("scale", {"linear", "log"}, "linear: t itself; log: sign(t) ln(1 + |t|)"),
                 convention("activation", {"silu", "relu"}, "silu: x / (1 + e^-x); relu: max(x, 0)"),
                 above_0("std", 0.5, {1, 0.5}, "standard deviation of all trained numbers"),
                 whole("mlp_seed", type::any_whole, 2, {2, 5},
                       "seed of what stands for the trained numbers (uniform, of mean 0): of each layer its "
                       "weights [outputs, inputs], then its biases")}},
    .reference = &make,
    .exact = &oracle::dynamic_position_bias,
    .facts = {{&facts::acts_on_logits_alone},
              {&facts::depends_on_offset_alone},
              {&facts::distinguishes_positions, {}, {&attention::breaks_the_symmetry}}},
    .witnesses =
        {
            fails(attention::has_the_symmetry_of_its_mask,
                  "heads=1 width=4 std=1 mlp_seed=5 n=4 mask=none permutation=[0,1,3,2] x=[1,0*15]", 0.288,
                  "the last two tokens are at different distances from the others"),
            fails(attention::permutation_equivariant,
                  "heads=1 width=4 std=1 mlp_seed=5 n=3 permutation=[0,2,1] mask=block block=2 x=[1,0*11]",
                  0.08, "distances belong to the positions, not to the tokens"),
            fails(attention::pooled_readout_invariant,
                  "heads=1 width=4 std=1 mlp_seed=2 n=3 permutation=[1,0,2] x=[1,0*11]", 0.18,
                  "the token in the middle is next to both others, the one at the end is not"),
            fails(attention::query_order_equivariant,
                  "heads=1 width=4 std=1 mlp_seed=5 queries=2 keys=2 permutation=[1,0] q=[0*8] k=[1,0*7]",
                  0.262, "the entries depend on the query's position"),
            fails(attention::key_order_invariant,
                  "heads=1 width=4 std=1 mlp_seed=5 queries=1 keys=2 permutation=[1,0] q=[0*4] k=[1,0*7]",
                  0.834, "the next key has another entry than the query's own position"),
        },
    .claims =
        {
            // A perceptron with other numbers falls, is 0 at 0 or is a kernel; with numbers of mean 0 most do
            // not.
            fails(
                attention::breaks_the_symmetry,
                "heads=1 width=4 depth=2 activation=relu offset=distance scale=log std=0.5 mlp_seed=5 n=3 "
                "permutation=[1,0,2]",
                0.000342,
                "exchanging the first two tokens of three changes no answer by the threshold, 2^-11: the numbers "
                "are too small"),
            fails(bias::falls_at_the_first_step, "heads=1 width=4 std=1 mlp_seed=5 side=future i=0", 2.4,
                  "a trained perceptron may rise with the distance, as this one does to the right"),
            fails(bias::falls_with_distance, "heads=1 width=4 std=1 mlp_seed=5 far=2 near=1 side=past i=2",
                  0.251, "a trained perceptron may rise with the distance, as this one does from 1 to 2"),
            fails(score::decays_with_distance, "heads=1 width=4 std=1 mlp_seed=5 q=[0*4] i=2 far=2 near=1",
                  0.251, "a trained perceptron may rise with the distance, as this one does from 1 to 2"),
            fails(bias::has_monotone_buckets, "heads=1 width=4 std=1 mlp_seed=5 near=0 t=1 side=past i=1",
                  0.639,
                  "a trained perceptron may fall with the distance, as this one does at the first step"),
            fails(bias::is_zero_at_offset_zero, "heads=1 width=4 std=1 mlp_seed=5 i=0", 1.21,
                  "the perceptron's value at 0 depends on its biases"),
            fails(bias::is_conditionally_positive_definite,
                  "heads=1 width=4 std=1 mlp_seed=5 n=3 step=1 i=0 weights=balanced c0=1", 1.65,
                  "the entries of the two neighbours add up to more than twice that of offset 0"),
            fails(bias::saturates,
                  "heads=1 width=4 std=1 mlp_seed=5 far=1048576 near=1048575 side=past i=1048576", 0.404,
                  "far away every layer is nearly linear, and the bias goes on as a straight line"),
        },
};

}  // namespace posproof::encodings_dynamic_position_bias
