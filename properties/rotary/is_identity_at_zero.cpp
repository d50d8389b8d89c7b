#include "tokens.h"

#include "catalogue/properties/rotary/is_identity_at_zero.h"

namespace posproof::properties_rotary_is_identity_at_zero {
namespace {

using namespace rotations;

Residual check(const Rotary& rotary, Precision p, Draw& draw) {
  if (rotary.positions.lo > 0 || rotary.positions.hi < 0)
    throw Inapplicable{"position 0 is outside its domain"};
  const Shape shape = token_shape(rotary, draw);
  const Tokens token{draw.content("x", shape), std::vector<Position>(shape[0] * shape[2], 0)};
  const Tensor y = rotated(rotary, token.x, token.positions, drawn_role(draw));

  // The angle is 0 times a frequency, so it is exact; the rotation is rounded. (A library's cosine of 0 is 1,
  // but the polynomial of an accelerator may miss it by its 2 ulp.)
  return compare(rotary, p, token, y, token.x,
                 [&](const Pair& pair, std::size_t) { return rotation_rounding(p, 0, pair); });
}

Encoding from_one() {
  return multiplied_by(4, 2, {{0, 1, 1e-3, 0}, {2, 3, 1e-6, 1}},
                       [](const Pair& pair, const Rotated& token) { return rotation(pair, token.t + 1); });
}

Encoding position_of_the_head() {
  return multiplied_by(4, 2, neighbours(), [](const Pair& pair, const Rotated& token) {
    return rotation(pair, token.t + static_cast<Position>(token.head));
  });
}

}  // namespace

const Property entry{
    .statement = "In a call at position 0 alone, every token stays as it is.",
    .formula = "R_0 x = x",
    .source = "Su et al. 2021, RoFormer, eq. 15 at m = 0",
    .checks = {CheckOf<Rotary>(&check)},
    .must_reject =
        joined({{"a slow rotation whose positions count from 1", &from_one},
                {"a rotation that adds the number of the head to the position", &position_of_the_head},
                off("rotated keys", &near_zero, -0x1p-19, &of_key),
                off("rotated queries", &near_zero, 0x1p-19, &of_query),
                off("channels in no pair", &with_tail, 0x1p-22, &is_last)},
               last_and_first(&near_zero, 0x1p-19, 0x1p-6)),
};

}  // namespace posproof::properties_rotary_is_identity_at_zero
