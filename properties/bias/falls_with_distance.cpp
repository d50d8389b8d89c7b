#include "entries.h"

#include <cmath>

#include "catalogue/properties/bias/falls_with_distance.h"

namespace posproof::properties_bias_falls_with_distance {
namespace {

using namespace biases;

Residual check(const Bias& bias, Precision p, Draw& draw) {
  const Domain& domain = bias.positions;
  const Position far = draw.position("far", domain, 1, domain.hi - domain.lo);
  const Position near = draw.position("near", domain, 0, far - 1);
  const std::int64_t side = drawn_side(bias, draw);
  const Position i = drawn_query(bias, draw, side, far);
  const Entries b = entries(bias, {i}, {i + side * near, i + side * far});

  Residual worst{0, 0, 0};
  for (std::size_t h = 0; h < b.heads; ++h)
    worst = worse(worst, lacking_fall(bias, p, b, h, {i, i + side * near, i + side * far}));
  return worst;
}

// As far as f32 has neighbours of the distance, so that a few units are as much as a step.
Encoding far_sloped() {
  Bias bias = sloped();
  bias.positions = {0, Position{1} << 24};
  return bias;
}
// Of a bias with a bound of its own, 4 units of each entry.
Encoding logarithmic() {
  Bias bias = bias_of(2, [](std::size_t h, Position i, Position j) {
    return -std::log1p(static_cast<double>(std::abs(i - j))) / static_cast<double>(h + 1);
  });
  bias.error = [](std::size_t, std::span<const double>, std::span<const double>, double entry,
                  const Precision& p) { return 4 * p.result * std::abs(entry); };
  return bias;
}
Encoding zeros_with_a_bound() {
  return larger_where(logarithmic(), -1, [](const AnswerEntry& at) { return at.in_last_head(); });
}

Encoding all_zeros() {
  Bias bias = bias_of(2, [](std::size_t, Position, Position) { return 0.0; });
  bias.slopes = {0.5, 0.25};
  return bias;
}

// Distances of 19 bits: beyond, neighbours share an entry.
Encoding short_distances() {
  Bias bias = bias_of(1, [](std::size_t, Position i, Position j) {
    const Position distance = std::abs(i - j);
    return -0.5 * static_cast<double>(distance < 524288 ? distance : distance / 2 * 2);
  });
  bias.slopes = {0.5};
  return bias;
}

// The second head favours the far.
Encoding one_head_rises() {
  return bias_of(2, [](std::size_t h, Position i, Position j) {
    return (h == 0 ? -1e-3 : 1e-3) * static_cast<double>(std::abs(i - j));
  });
}

}  // namespace

const Property entry{
    .statement =
        "On either side of the query, the farther a key, the smaller its bias, in every head but those whose slope is "
        "declared to be 0.",
    .formula = "|i-k| > |i-j| on one side  =>  b(i, k) < b(i, j)",
    .source = "Press et al. 2022, ALiBi, section 3: a penalty that grows with the distance",
    .checks = {CheckOf<Bias>(&check)},
    .must_reject =
        {{"a bias of zeros that declares slopes", &all_zeros},
         {"a bias that rounds distances past 2^19 to even ones, in f32", &short_distances, all_f32},
         {"a second head with the opposite sign", &one_head_rises},
         {"a last head of zeros, of a bias with a bound of its own", &zeros_with_a_bound},
         off("entries of the near key, of a bias with a bound of its own,", &logarithmic, 0x1p-18, &is_first),
         off("entries of the last head and the far key", &far_sloped, -0x1p-20, &is_last),
         off("entries of the first head and the near key", &far_sloped, 0x1p-20, &is_first),
         off("entries of the last head and the far key", &far_sloped, -0x1p-5, &is_last, in_bf16),
         off("entries of the first head and the near key", &far_sloped, 0x1p-5, &is_first, in_bf16),
         off("entries of future keys", &far_sloped, -0x1p-20, &is_far_and_ahead),
         off("entries of past keys", &far_sloped, -0x1p-20, &is_far_and_behind),
         off("entries without slopes, of the last head and the far key,", &hardly_falling, -0x1p-22,
             &is_last),
         off("entries without slopes, of the first head and the near key,", &hardly_falling, 0x1p-22,
             &is_first)},
};

}  // namespace posproof::properties_bias_falls_with_distance
