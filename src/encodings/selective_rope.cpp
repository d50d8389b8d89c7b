#include <complex>

#include "catalogue/encodings/selective_rope.h"
#include "catalogue/oracle/selective_rope.h"
#include "catalogue/properties/attention/breaks_the_symmetry.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/attention/weighs_keys_alike_from_every_later_query.h"
#include "core/declare.h"
#include "encodings/facts.h"
#include "encodings/inside_attention.h"

namespace posproof::encodings_selective_rope {
namespace {

using namespace inside;

Encoding make(const Arguments& p) {
  const std::size_t dim = p.width("dim"), half = dim / 2;
  const auto base = static_cast<Real>(p.real("base")), step = static_cast<Real>(p.real("step"));
  const std::size_t next = p.is("layout", "half_split") ? 1 : 2, other = next == 1 ? half : 1;
  const bool gated = p.is("gate", "sigmoid");
  const std::int64_t seed = p.whole("table_seed");
  const Tensor projection = trained(half, dim, seed, p.real("increment_std")),
               gate = trained(1, dim, seed + 1);

  Attention selective = attention(dim, [=](const Tensor& q, const Tensor& k, const Tensor& v, const Mask&) {
    std::vector<std::vector<Real>> angles;
    std::vector<Real> angle(half);
    for (std::size_t j = 0; j < k.rows(); ++j) {
      const Real open = gated ? 1 / (1 + std::exp(-dot(gate.row(0), k.row(j)))) : 1;
      for (std::size_t c = 0; c < half; ++c)
        angle[c] += open * (dot(projection.row(c), k.row(j)) + step) *
                    std::pow(base, -2 * static_cast<Real>(c) / static_cast<Real>(dim));
      angles.push_back(angle);
    }
    using Complex = std::complex<Real>;
    const auto rotated = [=](const Tensor& x, std::size_t row, std::size_t c) {
      const Complex pair(x.at(row, c * next), x.at(row, c * next + other));
      return pair * std::polar(Real{1}, angles[std::min(row, angles.size() - 1)][c]);
    };
    return Pairwise{[=, &q, &k](std::size_t i, std::size_t j) {
                      Real sum = 0;
                      for (std::size_t c = 0; c < half; ++c)
                        sum += std::real(rotated(q, i, c) * std::conj(rotated(k, j, c)));
                      return sum / root(dim);
                    },
                    [&v](std::size_t, std::size_t j, std::size_t c) { return Real{v.at(j, c)}; }};
  });
  selective.only_logits = true;
  selective.causal = true;
  selective.errors = BoundOf<Attention>(&oracle::selective_rope, p);
  return selective;
}

using namespace properties;

}  // namespace

const EncodingSpec entry{
    .summary = "a rotation whose angles are sums of increments that the tokens give",
    .formula =
        "s_ij = rotate(q_i, a_i).rotate(k_j, a_j) / sqrt(dim), a_i,c = base^(-2c/dim) sum over l <= i of "
        "((P k_l)_c + step)",
    .source =
        "Movahedi et al. 2025, Selective Rotary Position Embedding, arXiv:2511.17388; "
        "timurcarstensen/selective-rope, whose increments are projections of normalised tokens, after a short "
        "convolution: here of keys, without one",
    .parameters =
        {{whole("dim", type::any_width, 64, {2, 4}, "width of a head", "channels"),
          above_0("base", 500000, {500000, 10}, "base of the frequencies base^(-2c/dim)"),
          convention("layout", {"half_split", "interleaved"}, "which channels form a pair"),
          convention("gate", {"none", "sigmoid"}, "sigmoid: increments are multiplied by 1 / (1 + e^-(w.k))"),
          {"increment_std",
           type::Real{0, true},
           1.0,
           {1.0, 0.0},
           "standard deviation of P; 0: every increment is the step, as in RoPE, times the gate where there is one"},
          disputed({"step", type::Real{0, true}, 1.0, {1.0, 0.0}, "added to every increment"}),
          whole("table_seed", type::any_whole, 1, {1, 2},
                "seed of P [dim / 2, dim]; of w [dim], the next one")},
         {{{"dim"}, "even widths", [](const Arguments& p) { return p.width("dim") % 2 == 0; }}}},
    .reference = &make,
    .exact = &oracle::selective_rope,
    .facts = {{&facts::acts_on_logits_alone},
              {&facts::distinguishes_positions,
               {},
               {&attention::query_order_equivariant, &attention::breaks_the_symmetry}}},
    .witnesses =
        {
            fails(attention::has_the_symmetry_of_its_mask,
                  "dim=4 base=10 n=4 mask=padding kept=2 permutation=[0,1,3,2] x=[1,0*14,1]", 0.0123,
                  "tokens that no query sees still add to the angles of later queries"),
            fails(attention::permutation_equivariant,
                  "dim=2 n=6 permutation=[0,1,2,3,5,4] mask=padding kept=2 x=[1,0*7,1,0*3]", 0.168,
                  "tokens that no query sees still add to the angles of later queries"),
            fails(attention::pooled_readout_invariant, "dim=2 n=2 permutation=[1,0] x=[1,0*3]", 0.5,
                  "the first token is seen by both, the second by itself"),
            fails(attention::key_order_invariant,
                  "dim=2 queries=1 keys=2 permutation=[1,0] q=[1,0] k=[1,0*3]", 0.0754,
                  "moving a key changes the tokens whose increments rotate it"),
        },
    .claims =
        {
            fails(attention::weighs_keys_alike_from_every_later_query,
                  "dim=2 n=4 i=2 near=1 far=0 k=[1,0*7] q=[1,0]", 0.0952,
                  "later queries are rotated by larger angles: the weight of the nearer key grows by 0.0952"),
            holds(attention::query_order_equivariant),
            holds(attention::breaks_the_symmetry, {.all = {{"step", {1.0}}}}),
            fails(attention::breaks_the_symmetry, "dim=2 increment_std=0 step=0 n=3 permutation=[1,0,2]",
                  0.000488, "without increments nothing is rotated: no position is encoded"),
        },
};

}  // namespace posproof::encodings_selective_rope
