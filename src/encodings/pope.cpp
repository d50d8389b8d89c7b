#include <numeric>

#include "catalogue/encodings/pope.h"
#include "catalogue/oracle/pope.h"
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

namespace posproof::encodings_pope {
namespace {

using namespace inside;

// max(x, 0) + ln(1 + e^-|x|)
Real magnitude(Real x) {
  return std::max(x, Real{0}) + std::log1p(std::exp(-std::abs(x)));
}

// Query and key become complex numbers of that magnitude, rotated by their positions; the key by the phase,
// too. The logit is the real part of conj(query) key.
Encoding make(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const Real scale = p.is("scale", "rsqrt") ? 1 / root(dim) : 1;
  Tensor phase({1, dim});
  if (p.is("phase", "trained")) phase = trained(1, dim, p.whole("table_seed"));
  std::vector<Real> frequencies;
  for (std::size_t c = 0; c < dim; ++c)
    frequencies.push_back(
        std::pow(static_cast<Real>(p.real("base")), -static_cast<Real>(c) / static_cast<Real>(dim)));
  const double centre = p.is("phase", "trained") ? 2 : 0;

  const auto polar = [=](std::span<const double> x, Position t, bool key) {
    std::vector<Real> out;
    for (std::size_t c = 0; c < dim; ++c) {
      const Real angle = static_cast<Real>(t) * frequencies[c] + (key ? phase.data[c] - centre : 0);
      out.push_back(magnitude(x[c]) * std::cos(angle));
      out.push_back(magnitude(x[c]) * std::sin(angle));
    }
    return out;
  };
  Contextual pope = contextual_of_tokens(dim, polar, [=](std::span<const Real> q, std::span<const Real> k) {
    return std::inner_product(q.begin(), q.end(), k.begin(), Real{0}) * scale;
  });
  pope.error = BoundOf<Contextual>(&oracle::pope, p);
  return pope;
}

using namespace properties;

}  // namespace

const EncodingSpec entry{
    .summary = "polar coordinates: the content gives magnitudes alone, the position all angles",
    .formula =
        "s(q,k; i,j) = sum_c mu(q_c) mu(k_c) cos((j - i) w_c + delta_c) / sqrt(dim), mu(x) = ln(1 + e^x), "
        "w_c = base^(-c/dim)",
    .source =
        "Gopalakrishnan et al. 2025, Decoupling the What and Where With Polar Coordinate Positional "
        "Embeddings; lucidrains/x-transformers",
    .parameters =
        {{whole("dim", type::any_width, 64, {1, 2, 4}, "width of a head, each channel an angle", "channels"),
          above_0("base", 10000, {10000, 10}, "base of the frequencies base^(-c/dim)"),
          of_words("phase", {"zero", "trained"}, "delta, added to the angles of keys"),
          where({{{"phase", {"trained"}}}}, whole("table_seed", type::any_whole, 1, {1, 2},
                                                  "seed of the phases: delta_c is entry c minus 2")),
          convention("scale", {"rsqrt", "one"}, "rsqrt: the logit is divided by sqrt(dim); one: it is not")}},
    .reference = &make,
    .exact = &oracle::pope,
    .facts = {{&facts::acts_on_logits_alone},
              {&facts::depends_on_offset_alone},
              {&facts::distinguishes_positions}},
    .witnesses =
        {
            fails(attention::has_the_symmetry_of_its_mask,
                  "dim=4 n=3 mask=none permutation=[1,0,2] x=[1,0*11]", 0.0769,
                  "the first two tokens exchange their distances to the third"),
            fails(attention::permutation_equivariant, "dim=2 n=3 permutation=[1,0,2] mask=none x=[1,0*5]",
                  0.106, "the first two tokens exchange their distances to the third"),
            fails(attention::pooled_readout_invariant, "dim=2 n=3 permutation=[1,0,2] x=[1,0*5]", 0.0247,
                  "the token in the middle is nearer to the others"),
            fails(attention::query_order_equivariant,
                  "dim=2 queries=2 keys=2 permutation=[1,0] q=[0*4] k=[1,0*3]", 0.111,
                  "the offsets depend on the query's position"),
            fails(attention::key_order_invariant,
                  "dim=2 queries=1 keys=2 permutation=[1,0] q=[0*2] k=[1,0*3]", 0.111,
                  "moving a key changes its offset"),
        },
    .claims =
        {
            fails(contextual::saturates, "dim=1 side=past q=[0] k=[0]", 0.0748,
                  "the angle keeps growing: cos 2^20 and cos(2^20 - 1) differ"),
            fails(contextual::adds_content_and_position, "dim=1 i=0 j=0 a=1 b=0 q=[1] k=[0]", 0.198,
                  "contents and positions are multiplied: magnitudes times cosines"),
            fails(score::decays_with_distance, "dim=2 q=[0*2] i=6 far=6 near=3", 0.662,
                  "the fastest channel rotates by one radian per step: cos 6 > cos 3"),
        },
};

}  // namespace posproof::encodings_pope
