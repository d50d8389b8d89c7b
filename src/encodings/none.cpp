#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catalogue/encodings/none.h"
#include "catalogue/oracle/none.h"
#include "catalogue/properties/attention/breaks_the_symmetry.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/contextual/adds_content_and_position.h"
#include "catalogue/properties/contextual/saturates.h"
#include "catalogue/properties/score/decays_with_distance.h"
#include "catalogue/properties/score/depends_on_order.h"
#include "core/declare.h"
#include "encodings/facts.h"

namespace posproof::encodings_none {
namespace {

Encoding make(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const long double scale = p.is("scale", "rsqrt") ? 1 / std::sqrt(static_cast<long double>(dim)) : 1.0L;

  Contextual contextual{.dim = dim, .positional = false};
  contextual.logits = [dim, scale](const Tensor& q, const Tensor& k, std::span<const Position> queries,
                                   std::span<const Position> keys) {
    const Shape want_q = {queries.size(), dim}, want_k = {keys.size(), dim};
    if (q.shape != want_q || k.shape != want_k)
      throw std::invalid_argument(fmt::format("logits of q {} and k {}; allowed: {} and {}", text(q.shape),
                                              text(k.shape), text(want_q), text(want_k)));
    Tensor out({1, queries.size(), keys.size()});
    for (std::size_t i = 0; i < queries.size(); ++i)
      for (std::size_t j = 0; j < keys.size(); ++j) {
        long double sum = 0;
        for (std::size_t c = 0; c < dim; ++c) sum += static_cast<long double>(q.at(i, c)) * k.at(j, c);
        out.at(i, j) = static_cast<double>(sum * scale);
      }
    return out;
  };
  // A product of dim terms is summed in any order, in the result's format at worst: each term sees one
  // rounding as a product and at most dim - 1 in sums; the sum itself, the scale and the product with it are
  // 3 more. Below the normal numbers of f16 each is 2^-25 instead, and one of a query or a key that is scaled
  // first counts as often as the other has. The same again in double for the value that it is compared with.
  contextual.error = [dim, scale](std::span<const double> q, std::span<const double> k,
                                  std::span<const double>, std::span<const double>,
                                  const Precision& precision) {
    double sum = 0, queries = 0, keys = 0;
    for (std::size_t c = 0; c < dim; ++c) {
      sum += std::abs(q[c] * k[c]);
      queries += std::abs(q[c]), keys += std::abs(k[c]);
    }
    if (sum == 0) return 0.0;
    const double roundings = static_cast<double>(dim) + 3;
    const double subnormal =
        precision.result == unit_f16 ? 0x1p-25 * (roundings + std::max(queries, keys)) : 0;
    return roundings * (precision.result + unit_f64) * sum * static_cast<double>(scale) + subnormal;
  };
  return contextual;
}

using namespace properties;

}  // namespace

const EncodingSpec entry{
    .summary = "no positional encoding (NoPE): the logit depends on content alone",
    .formula = "s(q,k; i,j) = q.k / sqrt(dim)",
    .source = "Vaswani et al. 2017, eq. 1; Haviv et al. 2022; Kazemnejad et al. 2023",
    .parameters = {{whole("dim", type::any_width, 64, {1, 2, 3, 8, 64}, "width of a head", "channels"),
                    {"scale",
                     type::Word{{"rsqrt", "one"}},
                     "rsqrt",
                     {"one", "rsqrt"},
                     "rsqrt: the logit is divided by sqrt(dim); one: it is not",
                     "",
                     true}}},
    .reference = &make,
    .exact = &oracle::none,
    .facts = {{&facts::acts_on_logits_alone}, {&facts::depends_on_offset_alone}},
    .claims =
        {
            holds(contextual::saturates),
            holds(contextual::adds_content_and_position),
            holds(score::decays_with_distance),
            fails(score::depends_on_order, "dim=1 i=3", 0.000244,
                  "q.k does not depend on the key's position: effect 0, threshold 2^-12"),
            holds(attention::has_the_symmetry_of_its_mask),
            holds(attention::permutation_equivariant),
            holds(attention::pooled_readout_invariant),
            holds(attention::query_order_equivariant),
            holds(attention::key_order_invariant),
            fails(attention::breaks_the_symmetry, "dim=1 n=3 permutation=[1,0,2]", 0.000488,
                  "exactly equivariant: effect 0, threshold 2^-11"),
        },
};

}  // namespace posproof::encodings_none
