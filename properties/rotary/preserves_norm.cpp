#include "tokens.h"

#include "catalogue/properties/rotary/preserves_norm.h"

namespace posproof::properties_rotary_preserves_norm {
namespace {

using namespace rotations;

double norm(std::span<const double> row) {
  double sum = 0;
  for (const double x : row) sum += x * x;
  return std::sqrt(sum);
}

Residual check(const Rotary& rotary, Precision p, Draw& draw) {
  const Tokens token = drawn_tokens(rotary, draw);
  const Tensor y = rotated(rotary, token.x, token.positions, drawn_role(draw));

  Residual worst{0, 0, 0};
  for (std::size_t r = 0; r < token.x.rows(); ++r) {
    const auto x = token.x.row(r);
    const double length = norm(x);
    // Sine and cosine are of one angle. However wrong that angle is, it moves a pair along its circle, so
    // only the rounding of the rotation itself is left: that at position 0. No pair is longer than the token,
    // and the errors of all pairs together are no longer than their bound times the token. Ours: two norms of
    // d squares, as (d + 3)/2 roundings each.
    const double ours = term(Term::ours, (static_cast<double>(x.size()) + 3) * unit_f64);
    // Underflow is not relative: that of all pairs together.
    const double underflow =
        length == 0 ? 0 : rotation_underflow(p) * std::sqrt(static_cast<double>(rotary.pairs.size()));
    const double bound = length * (rotation_rounding(p, 0, Pair{0, 1, 1.0}) + ours) + underflow;
    worst = worse(worst, difference(norm(y.row(r)), length, bound, length));
  }
  return worst;
}

// The sine is taken 0.001 radians further than the cosine.
Encoding skewed() {
  return multiplied_by(4, 2, neighbours(), [](const Pair& pair, const Rotated& token) {
    const long double angle = static_cast<long double>(token.t) * pair.frequency;
    return std::complex<long double>(std::cos(angle), std::sin(angle + 1e-3L));
  });
}

Encoding magnified() {
  return multiplied_by(4, 2, neighbours(), [](const Pair& pair, const Rotated& token) {
    return rotation(pair, token.t) * (1 + 1e-6L);
  });
}

// Two units of bf16, where a result that is rounded once may be off by one, and one whose products are in
// bf16 by three and more.
Encoding magnified_in_bf16() {
  return multiplied_by(4, 2, neighbours(), [](const Pair& pair, const Rotated& token) {
    return rotation(pair, token.t) * (1 + 0x1p-7L);
  });
}

Encoding first_row_only() {
  return multiplied_by(4, 2, neighbours(), [](const Pair& pair, const Rotated& token) {
    return token.batch == 0 ? rotation(pair, token.t) : 0;
  });
}

}  // namespace

const Property entry{
    .statement = "Rotating a token keeps its norm.",
    .formula = "|R_t x| = |x|",
    .source = "Su et al. 2021, RoFormer, section 3.2.2: R is orthogonal",
    .checks = {CheckOf<Rotary>(&check)},
    .must_reject =
        joined({{"a sine that is taken 0.001 radians further than the cosine", &skewed},
                {"a rotation that also multiplies by 1.000001, in f32", &magnified, all_f32},
                {"a rotation that also multiplies by 1 + 2^-7, in bf16", &magnified_in_bf16, in_bf16},
                {"a batch whose first row is rotated and whose other rows are zeros", &first_row_only},
                off("rotated keys", &near_zero, -0x1p-19, &of_key),
                off("rotated queries", &near_zero, 0x1p-19, &of_query),
                off("tokens past position 65536", &quick, 0x1p-19, &past_65536),
                off("tokens at negative positions", &of_either_sign, -0x1p-19, &at_negative_position),
                off("channels in no pair", &with_tail, 0x1p-19, &is_last)},
               last_and_first(&quick, 0x1p-19, 0x1p-6)),
};

}  // namespace posproof::properties_rotary_preserves_norm
