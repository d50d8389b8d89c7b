#include "catalogue/properties/contextual/adds_content_and_position.h"
#include "../score/logits.h"

namespace posproof::properties_contextual_adds_content_and_position {
namespace {

using namespace logits;

// A pair of positions, the key's at or before the query's where only that means anything.
std::array<Position, 2> pair(const Contextual& contextual, Draw& draw, std::string_view query,
                             std::string_view key) {
  const Domain& domain = contextual.positions;
  const Position i = draw.position(query, domain);
  return {i, draw.position(key, domain, domain.lo, contextual.causal ? i : domain.hi)};
}

Residual check(const Contextual& contextual, Precision p, Draw& draw) {
  const auto [i, j] = pair(contextual, draw, "i", "j");
  const auto [a, b] = pair(contextual, draw, "a", "b");
  const Tensor q = draw.content("q", {1, contextual.dim}), k = draw.content("k", {1, contextual.dim});
  const Tensor zero({1, contextual.dim});

  const auto at = [&](const Tensor& of_query, const Tensor& of_key, Position query, Position key) {
    const std::array<Position, 1> one = {query}, other = {key};
    return contextual.logits(of_query, of_key, one, other);
  };
  const Tensor here = at(q, k, i, j), there = at(q, k, a, b), bare = at(zero, zero, i, j),
               far = at(zero, zero, a, b);
  Residual worst{0, 0, 0};
  for (std::size_t h = 0; h < contextual.heads; ++h) {
    // Each of four logits is within its own error; two differences are formed and compared in double.
    double size = 0;
    for (const Tensor* logit : {&here, &there, &bare, &far}) size += std::abs(logit->data.at(h));
    const double bound =
        logit_error(contextual, q.data, k.data, i, j, p) + logit_error(contextual, q.data, k.data, a, b, p) +
        logit_error(contextual, zero.data, zero.data, i, j, p) +
        logit_error(contextual, zero.data, zero.data, a, b, p) + term(Term::ours, 2 * unit_f64 * size);
    const bool says_nothing = (i == a && j == b) || (q == zero && k == zero);
    worst = worse(worst, difference(here.data[h] - there.data[h], bare.data[h] - far.data[h], bound,
                                    says_nothing ? 0 : no_ceiling));
  }
  return worst;
}

}  // namespace

const Property entry{
    .statement = "What positions add to a logit does not depend on the contents.",
    .formula = "s(q,k; i,j) - s(q,k; a,b) = s(0,0; i,j) - s(0,0; a,b)",
    .source = "Ke, He, Liu 2021, TUPE: the correlations of positions are untied from those of words",
    .checks = {CheckOf<Contextual>(&check)},
    .must_reject = {off("logits of keys at even positions", &penalised_products, 0x1p-19, &of_even_key),
                    off("logits of keys at even positions", &penalised_products, -0x1p-3, &of_even_key,
                        in_bf16),
                    off("logits of queries at odd positions", &penalised_products, -0x1p-19, &of_odd_query)},
};

}  // namespace posproof::properties_contextual_adds_content_and_position
