#include "entries.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "catalogue/properties/bias/has_geometric_slopes.h"

namespace posproof::properties_bias_has_geometric_slopes {
namespace {

using namespace biases;

// The slope of head h (counted from 1) on a ladder that starts at `first`, which is also its ratio. Past the
// largest power of two of heads there are two rules: the ladder goes on, or its half-steps follow, from the
// first.
double on_ladder(double first, std::size_t h, std::size_t heads, bool half_steps) {
  const std::size_t whole = std::bit_floor(heads);
  const auto exponent =
      half_steps && h > whole ? static_cast<long double>(h - whole) - 0.5L : static_cast<long double>(h);
  return static_cast<double>(std::pow(static_cast<long double>(first), exponent));
}

Residual check(const Bias& bias, Precision p, Draw& draw) {
  if (bias.slopes.size() != bias.heads || bias.heads == 0) throw Inapplicable{"it has no slopes"};
  const Domain& domain = bias.positions;
  const Position n = draw.position("n", domain, 1, domain.hi - domain.lo);
  const std::int64_t side = drawn_side(bias, draw);
  const Position i = drawn_query(bias, draw, side, n);
  const Entries b = entries(bias, {i}, {i, i + side * n});

  for (const double entry : b.data)
    if (!std::isfinite(entry)) return holds_if(false);
  // Measured over a distance of n, a slope is off by the errors of two entries over n; ours: a difference and
  // a quotient, 1 rounding each, and the declared slope's own. An entry that became 0 was as large as
  // declared.
  std::vector<double> measured, bound;
  for (std::size_t h = 0; h < b.heads; ++h) {
    const double here = b.at(h, 0, 0), there = b.at(h, 0, 1), m = bias.slopes[h];
    measured.push_back((here - there) / static_cast<double>(n));
    const double farther = there == 0 ? -m * static_cast<double>(n) : there;
    bound.push_back((bias_error(p, here, bias, h) + bias_error(p, farther, bias, h)) /
                        static_cast<double>(n) +
                    term(Term::ours, 3 * unit_f64 * m));
  }
  Residual worst = difference(measured, bias.slopes, bound);

  // A ladder starts from a slope above 0: what does not is off by a whole slope already, or its slopes are
  // below the smallest number.
  if (!(measured[0] > 0) || !(bias.slopes[0] > 0)) return worst;
  // The last heads may have no bias.
  const auto with_bias = static_cast<std::size_t>(std::ranges::find(bias.slopes, 0.0) - bias.slopes.begin());
  // The ladder from the first slope as measured: m (1 + e) in the place of m, |e| <= b / m, puts its h-th
  // power off by (1 + e)^-h - 1 of itself, which is most where the slope came out too small: (1 - b / m)^-h
  // - 1.
  const std::size_t whole = std::bit_floor(with_bias);
  const bool half_steps = with_bias > whole && bias.slopes[with_bias - 1] > bias.slopes[whole - 1];
  for (std::size_t h = 1; h < with_bias; ++h) {
    const double expected = on_ladder(measured[0], h + 1, with_bias, half_steps);
    const double power = std::expm1(-static_cast<double>(h + 1) * std::log1p(-bound[0] / bias.slopes[0]));
    const double off = expected * (power + term(Term::ours, unit_f64));
    if (!std::isfinite(off))
      continue;  // off by any factor: a first slope that may be 0, a power too small to be held
    worst = worse(worst, difference(measured[h], expected, bound[h] + off));
  }
  return worst;
}

Encoding with_slopes(std::vector<double> true_ones, std::vector<double> declared) {
  Bias bias =
      bias_of(declared.size(), [slopes = std::move(true_ones)](std::size_t h, Position i, Position j) {
        return -slopes[h] * static_cast<double>(std::abs(i - j));
      });
  bias.slopes = std::move(declared);
  return bias;
}

// Six heads: declared is the official rule, computed the plain ladder 2^(-8h/6).
Encoding plain_ladder() {
  std::vector<double> plain;
  for (int h = 1; h <= 6; ++h) plain.push_back(std::exp2(-8.0 * h / 6));
  return with_slopes(plain, {0x1p-2, 0x1p-4, 0x1p-6, 0x1p-8, 0x1p-1, 0x1p-3});
}

// Every second power of a negative first slope is negative.
Encoding opposite_sign() {
  return with_slopes({-0.5, -0.25, -0.125}, {0.5, 0.25, 0.125});
}

Encoding truncated_ladder() {
  const std::vector<double> first_of_four = {0x1p-2, 0x1p-4, 0x1p-5};
  return with_slopes(first_of_four, first_of_four);
}

Encoding from_head_zero() {
  return with_slopes({1, 0x1p-4, 0x1p-8}, {1, 0x1p-4, 0x1p-8});
}

Encoding one_slope_is_off() {
  return with_slopes({0x1p-4, 0x1p-8 * (1 + 1e-5)}, {0x1p-4, 0x1p-8});
}

bool is_of_last_head(const AnswerEntry& at) {
  return at.in_last_head();
}
bool is_of_first_head(const AnswerEntry& at) {
  return at.head == 0;
}
bool is_at_offset_1(const AnswerEntry& at) {
  return std::abs(at.key_position - at.position) == 1;
}

// Declared as they are, so that only the ladder says what is wrong.
template <int power>
Encoding no_power() {
  const double last = 0x1p-6 * (1 + std::exp2(power));
  return with_slopes({0x1p-2, 0x1p-4, last}, {0x1p-2, 0x1p-4, last});
}
Encoding no_half_step() {
  const std::vector<double> slopes = {0x1p-2, 0x1p-4, 0x1p-1 * (1 - 0x1p-17)};
  return with_slopes(slopes, slopes);
}

}  // namespace

const Property entry{
    .statement =
        "In each head the bias falls linearly, and the declared slopes are powers of the first: whole powers, or half-integer ones for the heads past a power of two. The last heads may have none.",
    .formula =
        "(b(i,i) - b(i,j)) / |i-j| = m_h, m_h = m_1^h or m_(P+g) = m_1^(g-1/2), P the power of two below",
    .source = "Press et al. 2022, ALiBi, section 3 and the authors' code for other numbers of heads",
    .checks = {CheckOf<Bias>(&check)},
    .must_reject =
        {{"six heads with the slopes 2^(-8h/6) that declare the official ones", &plain_ladder},
         {"three heads of which the last has neither slope", &truncated_ladder},
         {"exponents that count heads from 0", &from_head_zero},
         {"slopes of the opposite sign", &opposite_sign},
         {"a second slope that is too large by 1e-5 of itself, in f32", &one_slope_is_off, all_f32},
         {"a last slope that is no power of the first by 2^-17 of itself, in f32", &no_power<-17>, all_f32},
         {"a last slope that is no power of the first by 2^-4 of itself, in bf16", &no_power<-4>, in_bf16},
         {"a half-step that is no power of the first by 2^-17 of itself, in f32", &no_half_step, all_f32},
         off("entries of the last head", &sloped, 0x1p-19, &is_of_last_head),
         off("entries of the first head", &sloped, -0x1p-19, &is_of_first_head),
         off("entries of the last head", &sloped, -0x1p-6, &is_of_last_head, in_bf16),
         off("entries of the first head", &sloped, 0x1p-6, &is_of_first_head, in_bf16),
         off("entries past position 65536", &sloped, -0x1p-19, &past_65536),
         off("entries at offset 1", &sloped, 0x1p-19, &is_at_offset_1)},
};

}  // namespace posproof::properties_bias_has_geometric_slopes
