#include <cmath>

#include "catalogue/properties/score/decays_with_distance.h"
#include "logits.h"

namespace posproof::properties_score_decays_with_distance {
namespace {

using namespace logits;

Residual check(const Score& score, Precision p, Draw& draw) {
  const auto q = draw.content("q", score.dim);
  const Domain& within = score.positions;
  const Position i = draw.position("i", within);
  const Position far = draw.position("far", within, 1, i - within.lo);
  const Position near = draw.position("near", within, 0, far - 1);

  const double at_far = score.at(q, q, i, i - far);
  const double at_near = score.at(q, q, i, i - near);
  if (!std::isfinite(at_far) || !std::isfinite(at_near)) return holds_if(false);
  // Each logit is within its own error of the exact one.
  const double bound = score.error(q, q, i, i - far, p) + score.error(q, q, i, i - near, p);
  return excess(at_far, at_near, bound);
}

Encoding of_distance(double (*penalty)(Position distance)) {
  return biases::bias_of(
      1, [penalty](std::size_t, Position i, Position j) -> double { return -penalty(std::abs(i - j)); });
}

// The distance is kept in a byte.
Encoding wrapped_distance() {
  return of_distance([](Position distance) { return 0.5 * static_cast<double>(distance % 256); });
}

// A penalty that falls by a millionth in each second step.
Encoding uneven_penalty() {
  return of_distance([](Position distance) {
    return std::floor(static_cast<double>(distance) / 2) - 1e-6 * static_cast<double>(distance % 2);
  });
}

// 16 units of f32, where each of two numbers of a table may be off by 2.
Encoding even_distances_cost_less() {
  return of_distance([](Position distance) {
    return distance == 0 ? 0.0 : distance % 2 == 0 ? 1 - 0x1p-20 : 1.0;
  });
}

}  // namespace

const Property entry{
    .statement =
        "Of one query, the logit with an equal key at or before it does not increase with the key's distance.",
    .formula = "s(q,q; i,i-far) <= s(q,q; i,i-near), far > near >= 0",
    .source =
        "Press et al. 2022, ALiBi, section 3; claimed for RoPE as a bound in Su et al. 2021, section 3.4.3",
    .checks = {CheckOf<Score>(&check)},
    .must_reject =
        {{"a distance that wraps at 256", &wrapped_distance},
         {"a penalty that falls by 1e-6 in each second step", &uneven_penalty},
         {"even distances that cost less by 2^-20, in f32", &even_distances_cost_less, all_f32},
         off("keys at even positions of a table", &same_rows, 0x1p-19, &of_last_channel_of_even_key),
         off("keys at even positions of a table", &same_rows, -0x1p-3, &of_last_channel_of_even_key, in_bf16),
         off("rotated keys at even positions", &unmoved, -0x1p-17, &of_last_channel_of_even_key),
         off("rotated keys at even positions", &unmoved, 0x1p-4, &of_last_channel_of_even_key, in_bf16),
         off("biases of keys at even positions", &penalised, 0x1p-20, &of_even_key),
         off("biases of keys at even positions", &penalised, -0x1p-4, &of_even_key, in_bf16),
         off("biases of keys past position 65536", &penalised, 0x1p-20, &of_key_past_65536),
         off("logits of keys at even positions", &penalised_products, -0x1p-20, &of_even_key),
         off("logits of keys at even positions", &penalised_products, 0x1p-4, &of_even_key, in_bf16)},
};

}  // namespace posproof::properties_score_decays_with_distance
