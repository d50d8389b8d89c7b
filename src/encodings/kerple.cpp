#include <algorithm>
#include <cmath>

#include "catalogue/encodings/kerple.h"
#include "catalogue/oracle/kerple.h"
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
#include "encodings/facts.h"
#include "oracle/bias_bounds.h"

namespace posproof::encodings_kerple {
namespace {

using bias_bounds::Kernel;
using Head = bias_bounds::KerpleHead;

long double entry(const Head& head, long double distance) {
  if (head.kernel == Kernel::power) return -head.r1 * std::pow(distance, static_cast<long double>(head.r2));
  const long double power =
      head.kernel == Kernel::log ? distance : std::pow(distance, static_cast<long double>(head.exponent));
  return -head.r1 * std::log1p(head.r2 * power);
}

std::vector<Head> heads_of(const Arguments& p) {
  const Kernel kernel = p.is("kernel", "log")     ? Kernel::log
                        : p.is("kernel", "power") ? Kernel::power
                                                  : Kernel::log_power;
  const auto of_head = [&p](std::string_view name, std::size_t h) {
    const std::vector<double>& list = p.list(name);
    return list[std::min(h, list.size() - 1)];
  };
  std::vector<Head> heads;
  for (std::size_t h = 0; h < p.width("heads"); ++h)
    heads.push_back({kernel, of_head("r1", h), of_head("r2", h), of_head("exponent", h)});
  return heads;
}

Encoding make(const Arguments& p) {
  const std::vector<Head> heads = heads_of(p);
  const bool causal = p.is("form", "causal");
  const auto distance = [causal](Position i, Position j) {
    return static_cast<long double>(causal ? std::max<Position>(i - j, 0) : std::abs(i - j));
  };
  Bias bias{.heads = heads.size(), .causal = causal};
  bias.bias = [=](const Positions& queries, const Positions& keys) {
    Tensor out({heads.size(), queries.size(), keys.size()});
    for (std::size_t r = 0; r < out.rows(); ++r)
      for (std::size_t c = 0; c < keys.size(); ++c) {
        const long double d = distance(queries[r % queries.size()], keys[c]);
        // + 0.0: the bias of the query's own position is 0, not -0.
        out.at(r, c) = static_cast<double>(entry(heads[r / queries.size()], d) + 0.0L);
      }
    return out;
  };
  bias.error = bias_bounds::of_kerple(heads, causal);
  return bias;
}

// Numbers above 0, one for each head or fewer.
Parameter of_heads(std::string_view name, std::vector<Value> grid, std::string_view meaning) {
  return {name, type::List{any_heads.hi}, grid.front(), grid, meaning};
}
Relation above_0_of_heads(std::string_view name, bool (*holds)(const Arguments&), Condition where = {}) {
  return {{name, "heads"}, "numbers above 0, one for each head at most", holds, std::move(where)};
}
bool are_of_heads(const Arguments& p, std::string_view name) {
  const auto& list = p.list(name);
  return !list.empty() && list.size() <= p.width("heads") && *std::ranges::min_element(list) > 0;
}

using namespace properties;

using Values = std::vector<double>;
const Condition is_power{{{"kernel", {"power"}}}}, is_log_power{{{"kernel", {"log_power"}}}};

}  // namespace

const EncodingSpec entry{
    .summary =
        "a penalty on the logit that is a logarithm or a power of the distance, with parameters for each head",
    .formula = "b_h(i,j) = -r1_h ln(1 + r2_h |i-j|), or -r1_h |i-j|^r2_h, or -r1_h ln(1 + r2_h |i-j|^p_h)",
    .source =
        "Chi et al. 2022, KERPLE: Kernelized Relative Positional Embedding for Length Extrapolation, section 4; "
        "NVIDIA NeMo, PR 6666, for three parameters",
    .parameters =
        {.all = {whole("heads", any_heads, 8, {1, 2, 3}, "heads"),
                 convention("kernel", {"log", "power", "log_power"},
                            "log: -r1 ln(1 + r2 D); power: -r1 D^r2; log_power: -r1 ln(1 + r2 D^exponent)"),
                 convention("form", {"causal", "symmetric"},
                            "causal: keys at or before the query; symmetric: by |i - j| on both sides"),
                 of_heads("r1", {Values{1}, Values{0.5, 1.7}},
                          "factor of a head's bias; the last one is repeated for the heads after it"),
                 of_heads("r2", {Values{1}, Values{0.3, 2}},
                          "power: exponent of the distance; else its factor; the last one is repeated"),
                 where(is_log_power,
                       of_heads("exponent", {Values{1}, Values{0.6, 2}, Values{3}},
                                "power of the distance in the logarithm; the last one is repeated"))},
         .relations =
             {above_0_of_heads("r1", [](const Arguments& p) { return are_of_heads(p, "r1"); }),
              above_0_of_heads("r2", [](const Arguments& p) { return are_of_heads(p, "r2"); }),
              above_0_of_heads(
                  "exponent", [](const Arguments& p) { return are_of_heads(p, "exponent"); }, is_log_power),
              {{"exponent"},
               "exponents up to 4: a distance of 2^20 to the power 4 is 2^80, which f32 holds, times any r2 up to 2^47",
               [](const Arguments& p) { return *std::ranges::max_element(p.list("exponent")) <= 4; },
               is_log_power},
              {{"r2"},
               "exponents up to 2: no larger one has a kernel that is conditionally positive definite",
               [](const Arguments& p) { return *std::ranges::max_element(p.list("r2")) <= 2; },
               is_power}}},
    .reference = &make,
    .exact = &oracle::kerple,
    .facts = {{&facts::acts_on_logits_alone},
              {&facts::depends_on_offset_alone},
              {&facts::distinguishes_positions}},
    .witnesses =
        {
            fails(attention::has_the_symmetry_of_its_mask,
                  "heads=1 form=symmetric n=3 mask=none permutation=[1,0,2] x=[1,0*11]", 0.0909,
                  "seen from the third position, the first is farther than the second"),
            fails(
                attention::permutation_equivariant,
                "heads=1 form=symmetric n=3 permutation=[1,0,2] mask=none x=[1,0*11]", 0.0909,
                "distances belong to the positions: seen from the third, the first is farther than the second"),
            fails(attention::pooled_readout_invariant,
                  "heads=1 form=symmetric n=3 permutation=[1,0,2] x=[1,0*11]", 0.0227,
                  "the token in the middle is nearer to the others"),
            fails(
                attention::query_order_equivariant,
                "heads=1 form=symmetric queries=2 keys=2 permutation=[1,0] q=[0*8] k=[1,0*7]", 0.333,
                "each query prefers the key at its own position: weights 2/3 and 1/3, as exp(-ln 2) is 1/2"),
            fails(attention::key_order_invariant,
                  "heads=1 form=symmetric queries=1 keys=2 permutation=[1,0] q=[0*4] k=[1,0*7]", 0.333,
                  "the second key has half the weight of the first"),
        },
    .claims =
        {
            // ln(1 + x) and x^r, r up to 1, are Bernstein functions, whose composition with D^2, D^1 or less
            // is negative definite (Schoenberg 1938), and so is D^r up to r = 2.
            holds(bias::is_conditionally_positive_definite, {.all = {{"kernel", {"log", "power"}}}}),
            holds(bias::is_conditionally_positive_definite,
                  {.all = {{"exponent", {Values{1}, Values{0.6, 2}}}}}),
            fails(
                bias::is_conditionally_positive_definite,
                "heads=1 kernel=log_power r2=[0.3] exponent=[3] n=5 step=1 i=0 weights=of_sum_0 c0=-1 c1=3 c2=-3 c3=2",
                2.8,
                "ln(1 + 0.3 * 2^3) is 4.66 times ln 1.3; doubling the distance may multiply such a penalty by 4 at most",
                {.all = {{"kernel", {"log_power"}}, {"exponent", {Values{3}}}}}),
            // Each kernel rises with D, strictly.
            holds(bias::falls_with_distance),
            holds(bias::falls_at_the_first_step),
            holds(bias::is_zero_at_offset_zero),
            holds(score::decays_with_distance),
            fails(bias::has_monotone_buckets, "near=0 t=1 i=1", 0.693,
                  "the bias falls by ln 2 at the first step"),
            fails(bias::saturates, "kernel=power far=1048576 near=1048575 i=1048576", 1,
                  "with the power 1, the last of 2^20 steps costs as much as the first"),
        },
};

}  // namespace posproof::encodings_kerple
