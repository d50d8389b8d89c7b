#include <algorithm>
#include <cmath>
#include <map>

#include "catalogue/encodings/sandwich.h"
#include "catalogue/oracle/sandwich.h"
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
#include "encodings/facts.h"
#include "oracle/bias_bounds.h"

namespace posproof::encodings_sandwich {
namespace {

struct Sinusoids {
  std::vector<long double> frequencies;

  Sinusoids(double base, std::size_t dim, std::size_t first) {
    for (std::size_t i = first; i < first + dim / 2; ++i)
      frequencies.push_back(std::pow(static_cast<long double>(base),
                                     -2 * static_cast<long double>(i) / static_cast<long double>(dim)));
  }

  long double kernel(long double distance) const {
    long double sum = 0;
    for (const long double w : frequencies) sum += std::cos(w * distance);
    return sum;
  }
};

Encoding make(const Arguments& p) {
  const std::size_t heads = p.width("heads"), dim = p.width("dim");
  const bool causal = p.is("form", "causal");
  const Sinusoids sinusoids(p.real("base"), dim, p.width("first_n"));
  const long double centre = p.is("centre", "zero") ? static_cast<long double>(dim) / 2 : 0;
  const auto distance = [causal](auto past) {
    return causal ? std::max<decltype(past)>(past, 0) : std::abs(past);
  };
  const auto ratio = [heads](std::size_t h) {
    return 8 * static_cast<long double>(h + 1) / static_cast<long double>(heads);
  };

  Bias bias{.heads = heads, .causal = causal};
  bias.bias = [=](const Positions& queries, const Positions& keys) {
    Tensor out({heads, queries.size(), keys.size()});
    std::map<Position, long double> sums;  // of every distance once
    for (std::size_t i = 0; i < queries.size(); ++i)
      for (std::size_t j = 0; j < keys.size(); ++j) {
        const auto [at, is_new] = sums.try_emplace(distance(queries[i] - keys[j]));
        if (is_new) at->second = sinusoids.kernel(static_cast<long double>(at->first)) - centre;
        const long double sum = at->second;
        for (std::size_t h = 0; h < heads; ++h)
          out.at(h * queries.size() + i, j) = static_cast<double>(sum / ratio(h));
      }
    return out;
  };
  bias.error =
      bias_bounds::of_sandwich({sinusoids.frequencies.begin(), sinusoids.frequencies.end()}, heads, causal);
  return bias;
}

using namespace properties;

}  // namespace

const EncodingSpec entry{
    .summary = "the dot product of two sinusoidal rows, added to the logit with a scale for each head",
    .formula = "b_h(i,j) = (sum_n cos((i-j) / base^(2n/dim)) - dim/2) / (8 h / heads), n = 1 .. dim/2",
    .source =
        "Chi, Fan, Rudnicky and Ramadge 2023, Dissecting Transformer Length Extrapolation via the Lens of "
        "Receptive Field Analysis, section 5; NVIDIA NeMo for n from 1 and the centre",
    .parameters =
        {.all =
             {whole("heads", any_heads, 8, {1, 2, 3}, "heads"),
              whole("dim", {2, std::int64_t{1} << 16}, 128, {16, 32}, "width of the sinusoids", "channels"),
              above_0("base", 10000, {10000, 100}, "base of the wavelengths"),
              convention("form", {"causal", "symmetric"},
                         "causal: keys at or before the query; symmetric: by |i - j| on both sides"),
              disputed(whole("first_n", {0, 1}, 1, {1, 0},
                             "first n: with 1 the last divisor is base itself, with 0 the first is 1")),
              convention(
                  "centre", {"zero", "none"},
                  "zero: dim/2 is subtracted, so that a token's bias on itself is 0; none: it is not, which "
                  "the softmax does not see")},
         .relations = {{{"dim"},
                        "even numbers",
                        [](const Arguments& p) { return p.whole("dim") % 2 == 0; }}}},
    .reference = &make,
    .exact = &oracle::sandwich,
    .facts = {{&facts::acts_on_logits_alone},
              {&facts::depends_on_offset_alone},
              {&facts::distinguishes_positions}},
    .witnesses =
        {
            fails(attention::has_the_symmetry_of_its_mask,
                  "heads=1 form=symmetric n=3 mask=none permutation=[1,0,2] x=[1,0*11]", 0.133,
                  "seen from the third position, the first is farther than the second"),
            fails(
                attention::permutation_equivariant,
                "heads=1 form=symmetric n=3 permutation=[1,0,2] mask=none x=[1,0*11]", 0.133,
                "distances belong to the positions: seen from the third, the first is farther than the second"),
            fails(attention::pooled_readout_invariant,
                  "heads=1 form=symmetric n=3 permutation=[1,0,2] x=[1,0*11]", 0.0415,
                  "the token in the middle is nearer to the others"),
            fails(attention::query_order_equivariant,
                  "heads=1 form=symmetric queries=2 keys=2 permutation=[1,0] q=[0*8] k=[1,0*7]", 0.0902,
                  "each query prefers the key at its own position"),
            fails(attention::key_order_invariant,
                  "heads=1 form=symmetric queries=1 keys=2 permutation=[1,0] q=[0*4] k=[1,0*7]", 0.0902,
                  "the second key has a smaller bias than the first"),
        },
    .claims =
        {
            // sum_n cos(w_n (s - t)) is the dot product of the rows of sines and cosines at s and t.
            holds(bias::is_conditionally_positive_definite),
            // Every cosine is 1 at 0 and less at 1, as no wavelength is 1 and none is 1/n of it.
            holds(bias::falls_at_the_first_step),
            holds(bias::is_zero_at_offset_zero, {.all = {{"centre", {"zero"}}}}),
            fails(bias::is_zero_at_offset_zero, "heads=1 centre=none i=0", 8,
                  "64 cosines of 0, over 8; the softmax sees no difference", {.all = {{"centre", {"none"}}}}),
            fails(
                bias::falls_with_distance, "heads=1 far=14 near=13 i=14", 0.00696,
                "the sum of the cosines of frequencies 1 to 64, of a width of 128, rises from distance 13 to 14"),
            fails(
                score::decays_with_distance, "heads=1 q=[0*4] i=14 far=14 near=13", 0.00696,
                "the sum of the cosines of frequencies 1 to 64, of a width of 128, rises from distance 13 to 14"),
            fails(bias::has_monotone_buckets, "heads=1 near=0 t=1 i=1", 0.181,
                  "the bias falls at the first step"),
            fails(bias::saturates, "heads=1 far=1048576 near=1048575 i=1048576", 0.0403,
                  "cosines do not converge"),
        },
};

}  // namespace posproof::encodings_sandwich
