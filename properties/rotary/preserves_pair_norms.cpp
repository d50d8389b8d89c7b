#include "tokens.h"

#include "catalogue/properties/rotary/preserves_pair_norms.h"

namespace posproof::properties_rotary_preserves_pair_norms {
namespace {

using namespace rotations;

Residual check(const Rotary& rotary, Precision p, Draw& draw) {
  const Tokens token = drawn_tokens(rotary, draw);
  const Tensor y = rotated(rotary, token.x, token.positions, drawn_role(draw));

  Residual worst{0, 0, 0};
  for (std::size_t r = 0; r < token.x.rows(); ++r)
    for (const Pair& pair : rotary.pairs) {
      const double length = pair_norm(token.x.row(r), pair);
      // As for the whole norm (preserves_norm): a wrong angle moves the pair along its circle, so the
      // rounding of the rotation itself is all. Ours: two hypotenuses within 1 ulp, 2 units each.
      const double bound = length * (rotation_rounding(p, 0, pair) + term(Term::ours, 4 * unit_f64)) +
                           (length == 0 ? 0 : rotation_underflow(p));
      worst = worse(worst, difference(pair_norm(y.row(r), pair), length, bound, length));
    }
  return worst;
}

// Declares neighbours and rotates halves: every norm of a whole token is kept.
Encoding other_pairs() {
  Rotary rotary = multiplied_by(
      4, 1, halves(), [](const Pair& pair, const Rotated& token) { return rotation(pair, token.t); });
  rotary.pairs = neighbours();
  return rotary;
}

// Two pairs of different frequency give each other a little: orthogonal, but not in pairs.
Encoding leaking() {
  Rotary exact = multiplied_by(
      4, 1, neighbours(), [](const Pair& pair, const Rotated& token) { return rotation(pair, token.t); });
  Rotary rotary = exact;
  rotary.rotate = [exact](const Tensor& x, std::span<const Position> positions, Role role) {
    Tensor y = exact.rotate(x, positions, role);
    for (std::size_t r = 0; r < y.rows(); ++r) {
      const double a = y.at(r, 0), b = y.at(r, 2);
      y.at(r, 0) = std::cos(1e-6) * a - std::sin(1e-6) * b;
      y.at(r, 2) = std::sin(1e-6) * a + std::cos(1e-6) * b;
    }
    return y;
  };
  return rotary;
}

}  // namespace

const Property entry{
    .statement = "Rotating a token keeps the norm of each pair of channels.",
    .formula = "|(R_t x)_p| = |x_p| for every pair p",
    .source = "Su et al. 2021, RoFormer, eq. 15: R is block diagonal, and each block a rotation of the plane",
    .checks = {CheckOf<Rotary>(&check)},
    .must_reject =
        joined({{"a rotation of the pairs (i, i + d/2) that declares the pairs (2i, 2i + 1)", &other_pairs},
                {"a rotation whose first two pairs are mixed by 1e-6 radians", &leaking},
                off("rotated keys", &near_zero, -0x1p-19, &of_key),
                off("rotated queries", &near_zero, 0x1p-19, &of_query),
                off("tokens past position 65536", &quick, 0x1p-19, &past_65536),
                off("tokens at negative positions", &of_either_sign, -0x1p-19, &at_negative_position)},
               last_and_first(&quick, 0x1p-19, 0x1p-6)),
};

}  // namespace posproof::properties_rotary_preserves_pair_norms
