#include "catalogue/properties/contextual/saturates.h"
#include "../score/logits.h"

namespace posproof::properties_contextual_saturates {
namespace {

using namespace logits;

// The largest distance and the one before it, of the first keys to the last query or of the last keys to the
// first.
Residual check(const Contextual& contextual, Precision p, Draw& draw) {
  const Domain& domain = contextual.positions;
  if (domain.hi - domain.lo < 2) throw Inapplicable{"it has no two distances"};
  const std::vector<Value> sides =
      contextual.causal ? std::vector<Value>{"past"} : std::vector<Value>{"past", "future"};
  const bool past = std::get<std::string>(draw.one_of("side", sides)) == "past";
  const Tensor q = draw.content("q", {1, contextual.dim}), k = draw.content("k", {1, contextual.dim});

  const std::array<Position, 1> query = {past ? domain.hi : domain.lo};
  const std::array<Position, 2> keys = past ? std::array<Position, 2>{domain.lo, domain.lo + 1}
                                            : std::array<Position, 2>{domain.hi, domain.hi - 1};
  Tensor twice({2, contextual.dim});
  for (std::size_t j = 0; j < 2; ++j) std::ranges::copy(k.data, twice.row(j).begin());
  const Tensor at = contextual.logits(q, twice, query, keys);
  // The exact logits are equal by the statement, each answer is within its error of them.
  const double bound = logit_error(contextual, q.data, k.data, query[0], keys[0], p) +
                       logit_error(contextual, q.data, k.data, query[0], keys[1], p);
  Residual worst{0, 0, 0};
  for (std::size_t h = 0; h < contextual.heads; ++h)
    worst = worse(worst, difference(at.at(h, 1), at.at(h, 0), bound));
  return worst;
}

}  // namespace

const Property entry{
    .statement =
        "Beyond a maximum distance the logit no longer changes with the distance, whatever the contents.",
    .formula = "s(q,k; i,j) = s(q,k; i,l) for |i-j|, |i-l| >= D on one side",
    .source = "Shaw et al. 2018, section 3.2: beyond a distance precise relative position is not useful",
    .checks = {CheckOf<Contextual>(&check)},
    .must_reject = {off("logits of keys at even positions", &penalised_products, 0x1p-20, &of_even_key),
                    off("logits of keys at even positions", &penalised_products, -0x1p-4, &of_even_key,
                        in_bf16),
                    off("the last entries of all answers", &penalised_products, 0x1p-20, &is_last),
                    off("the last entries of all answers", &penalised_products, -0x1p-4, &is_last, in_bf16)},
};

}  // namespace posproof::properties_contextual_saturates
