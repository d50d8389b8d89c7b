#include "entries.h"

#include <cmath>

#include "catalogue/properties/bias/has_monotone_buckets.h"

namespace posproof::properties_bias_has_monotone_buckets {
namespace {

using namespace biases;

Residual check(const Bias& bias, Precision p, Draw& draw) {
  const Domain within = distances(bias);
  const Position near = draw.position("near", within, 0, within.hi - 1);
  const Position far = near + draw.position("t", within, 1, within.hi - near);
  const std::int64_t side = drawn_side(bias, draw);
  // An offset of 0 belongs to the past.
  if (side > 0 && near == 0) throw Discard{};
  const Position i = drawn_query(bias, draw, side, far);
  const Entries b = entries(bias, {i}, {i + side * near, i + side * far});

  Residual worst{0, 0, 0};
  for (std::size_t h = 0; h < b.heads; ++h) {
    const double one = b.at(h, 0, 0), other = b.at(h, 0, 1);
    const double bound = bias_error(p, one, bias, h) + bias_error(p, other, bias, h);
    worst = worse(worst, excess(one, other, bound));
  }
  return worst;
}

double log_bucket(double n) {
  return n < 8 ? n : std::min(15.0, 8 + std::floor(std::log(n / 8) / std::log(16.0) * 8));
}

// Buckets that wrap round past the last, as an index taken modulo the table does.
Encoding wrapping() {
  return bias_of(1, [](std::size_t, Position i, Position j) {
    const double n = static_cast<double>(std::abs(i - j));
    return n < 8 ? n : std::fmod(8 + std::floor(std::log(n / 8) / std::log(16.0) * 8), 16.0);
  });
}

Encoding dented() {
  Bias bias = bias_of(2, [](std::size_t h, Position i, Position j) {
    const Position n = std::abs(i - j);
    return log_bucket(static_cast<double>(n)) - (h == 1 && n >= 64 && n < 80 ? 2.0 : 0.0);
  });
  bias.buckets = Buckets{16, 128, false};
  return bias;
}

}  // namespace

const Property entry{
    .statement =
        "On either side, the bias never falls as the distance grows, where the table holds the numbers of the buckets.",
    .formula = "|i-k| > |i-j| on one side  =>  b(i, k) >= b(i, j)",
    .source = "Raffel et al. 2020, T5, section 2.1: buckets of growing width",
    .checks = {CheckOf<Bias>(&check)},
    .must_reject = {{"buckets that wrap round past the last", &wrapping},
                    {"a second head whose buckets are 2 too low from 64 to 79", &dented},
                    off("entries of the last head and the far key", &tabled, -0x1p-20, &is_last),
                    off("entries of the first head and the near key", &tabled, 0x1p-20, &is_first),
                    off("entries of the last head and the far key", &tabled, -0x1p-4, &is_last, in_bf16),
                    off("entries of the first head and the near key", &tabled, 0x1p-4, &is_first, in_bf16),
                    off("entries of future keys", &tabled, -0x1p-20, &is_far_and_ahead),
                    off("entries of past keys", &tabled, -0x1p-20, &is_far_and_behind)},
};

}  // namespace posproof::properties_bias_has_monotone_buckets
