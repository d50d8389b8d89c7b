#include "entries.h"

#include <cmath>

#include "catalogue/properties/bias/saturates.h"

namespace posproof::properties_bias_saturates {
namespace {

using namespace biases;

Residual check(const Bias& bias, Precision p, Draw& draw) {
  const Domain& domain = bias.positions;
  const Position longest = domain.hi - domain.lo;
  // Where no largest distance is declared there may still be one, but the last two distances must be past it.
  const Position from = bias.buckets ? static_cast<Position>(bias.buckets->max_distance) : longest - 1;
  const Position far = draw.position("far", domain, from + 1, longest);
  const Position near = draw.position("near", domain, from, far - 1);
  const std::int64_t side = drawn_side(bias, draw);
  const Position i = drawn_query(bias, draw, side, far);
  const Entries b = entries(bias, {i}, {i + side * near, i + side * far});

  Residual worst{0, 0, 0};
  for (std::size_t h = 0; h < b.heads; ++h) {
    // One entry, read twice.
    const double bound = bias_rounding(p, b.at(h, 0, 0), 0) + bias_rounding(p, b.at(h, 0, 1), 0);
    worst = worse(worst, difference(b.at(h, 0, 1), b.at(h, 0, 0), bound));
  }
  return worst;
}

Encoding no_cap() {
  Bias bias = bias_of(1, [](std::size_t, Position i, Position j) {
    return std::floor(8 +
                      std::log(static_cast<double>(std::max<Position>(i - j, 8)) / 8) / std::log(16.0) * 8);
  });
  bias.buckets = Buckets{16, 128, false};
  bias.causal = true;
  return bias;
}

Encoding never_flat() {
  return bias_of(
      1, [](std::size_t, Position i, Position j) { return -1e-7 * static_cast<double>(std::abs(i - j)); });
}

Encoding up_to_128() {
  Bias bias = tabled();
  bias.buckets = Buckets{16, 128, true};
  return bias;
}

}  // namespace

const Property entry{
    .statement = "Beyond a maximum distance the bias no longer changes with the distance.",
    .formula = "b(i, j) = b(i, k) for |i-j|, |i-k| >= D on one side",
    .source =
        "Raffel et al. 2020, T5, section 2.1: all offsets past 128 share an embedding; Shaw et al. 2018, "
        "section 3.2",
    .checks = {CheckOf<Bias>(&check)},
    .must_reject =
        joined({{"logarithmic buckets that do not end at the last", &no_cap},
                {"a slope of 1e-7 that never ends", &never_flat},
                off("entries of future keys", &tabled, -0x1p-20, &is_far_and_ahead),
                off("entries of past keys", &tabled, 0x1p-20, &is_far_and_behind)},
               joined(last_and_first(&tabled, 0x1p-20, 0x1p-4), last_and_first(&up_to_128, 0x1p-20, 0x1p-4))),
};

}  // namespace posproof::properties_bias_saturates
