#include "entries.h"

#include <cmath>

#include "catalogue/properties/bias/falls_at_the_first_step.h"

namespace posproof::properties_bias_falls_at_the_first_step {
namespace {

using namespace biases;

Residual check(const Bias& bias, Precision p, Draw& draw) {
  const std::int64_t side = drawn_side(bias, draw);
  const Position i = drawn_query(bias, draw, side, 1);
  const Entries b = entries(bias, {i}, {i, i + side});

  Residual worst{0, 0, 0};
  for (std::size_t h = 0; h < b.heads; ++h)
    worst = worse(worst, lacking_fall(bias, p, b, h, {i, i, i + side}));
  return worst;
}

Encoding zeros() {
  return bias_of(2, [](std::size_t, Position, Position) { return 0.0; });
}

Encoding last_head_of_zeros() {
  Bias bias = sloped();
  bias.slopes = {};
  return larger_where(bias, -1, [](const AnswerEntry& at) { return at.in_last_head(); });
}

Encoding of_zeros_that_declares_slopes() {
  return larger_where(sloped(), -1, [](const AnswerEntry& at) { return at.in_last_head(); });
}

}  // namespace

const Property entry{
    .statement = "A neighbour's bias is smaller than a token's bias on itself, in every head.",
    .formula = "b(i, i +- 1) < b(i, i)",
    .source =
        "Chi et al. 2022, KERPLE, section 4: r1 and r2 above 0. NVIDIA NeMo, PR 6666: with a = 0 the bias was 0 "
        "everywhere, and tests of its shape, symmetry and upper triangle passed",
    .checks = {CheckOf<Bias>(&check)},
    .must_reject =
        joined({{"a bias of zeros", &zeros},
                {"a last head of zeros", &last_head_of_zeros},
                {"a last head of zeros that declares a slope", &of_zeros_that_declares_slopes},
                off("entries of future keys", &hardly_falling, -0x1p-20, &is_far_and_ahead),
                off("entries of past keys", &hardly_falling, -0x1p-20, &is_far_and_behind)},
               {off("the last entries of all answers", &hardly_falling, -0x1p-22, &is_last),
                off("the first entries of all answers", &hardly_falling, 0x1p-22, &is_first),
                off("the last entries of all answers", &hardly_falling, -0x1p-5, &is_last, in_bf16),
                off("the first entries of all answers", &hardly_falling, 0x1p-5, &is_first, in_bf16)}),
};

}  // namespace posproof::properties_bias_falls_at_the_first_step
