#include "tokens.h"

#include "catalogue/properties/rotary/composes.h"

namespace posproof::properties_rotary_composes {
namespace {

using namespace rotations;

Residual check(const Rotary& rotary, Precision p, Draw& draw) {
  const Domain& domain = rotary.positions;
  const Tokens token = drawn_tokens(rotary, draw);
  const std::size_t n = token.x.shape[2];
  std::vector<Position> further, sum;
  for (std::size_t b = 0; b < token.x.shape[0]; ++b) {
    const Position first = token.positions[b * n], last = token.positions[b * n + n - 1];
    const Position t =
        draw.position(fmt::format("t{}", b + 1), domain, std::max(domain.lo, domain.lo - first),
                      std::min(domain.hi, domain.hi - last));
    further.insert(further.end(), n, t);
    for (std::size_t c = 0; c < n; ++c) sum.push_back(token.positions[b * n + c] + t);
  }
  if (all_zero(further)) throw Discard{};  // is_identity_at_zero
  const Role role = drawn_role(draw);

  const Tensor once = rotated(rotary, token.x, token.positions, role);
  const Tensor twice = rotated(rotary, once, further, role);
  const Tensor at_once = rotated(rotary, token.x, sum, role);

  // The frequency is the same in all three rotations, so its error cancels. The second rotation acts on a
  // pair that is longer by the error of the first, and rounds what it is given: a subject may answer in a
  // wider format than it takes.
  return compare(rotary, p, {token.x, sum}, twice, at_once, [&](const Pair& pair, std::size_t place) {
    const auto i = static_cast<double>(token.positions[place]), t = static_cast<double>(further[place]);
    const double first = rotation_rounding(p, i, pair), second = rotation_rounding(p, t, pair);
    return (1 + first) * (1 + term(Term::result, p.input())) * (1 + second) - 1 +
           rotation_rounding(p, i + t, pair);
  });
}

// Each case asks three times: once, again, at once.
bool is_second_call(const AnswerEntry& at) {
  return at.calls % 3 == 1;
}

// Positions past 2^16 are held in 16 bits of significand.
Encoding short_positions() {
  return multiplied_by(4, 2, neighbours(), [](const Pair& pair, const Rotated& token) {
    const Position t = token.t < 65536 ? token.t : token.t / 16 * 16;
    return rotation(pair, t);
  });
}

// The angle is off by a constant: it rotates at position 0.
Encoding ahead() {
  return multiplied_by(4, 2, neighbours(), [](const Pair& pair, const Rotated& token) {
    return rotation(pair, token.t) * std::polar(1.0L, 1e-7L);
  });
}

// 64 units of f32, where three rotations by small angles may be off by 25 and a few.
Encoding ahead_by_little() {
  return multiplied_by(4, 2, neighbours(), [](const Pair& pair, const Rotated& token) {
    return rotation(pair, token.t) * std::polar(1.0L, 0x1p-18L);
  });
}

}  // namespace

const Property entry{
    .statement = "Rotating by one position and then by another is rotating by their sum.",
    .formula = "R_b R_a = R_(a+b)",
    .source = "Su et al. 2021, RoFormer, section 3.2.2: rotations about one axis add their angles",
    .checks = {CheckOf<Rotary>(&check)},
    .must_reject =
        joined({{"a rotation that rounds positions past 65536 to multiples of 16", &short_positions, all_f32},
                {"a rotation whose angles are all 1e-7 too large", &ahead},
                {"a rotation whose angles are all 2^-18 too large, in f32", &ahead_by_little, all_f32},
                off("the second answers of three", &near_zero, -0x1p-18, &is_second_call),
                off("rotated keys", &near_zero, 0x1p-18, &of_key),
                off("rotated queries", &near_zero, -0x1p-18, &of_query),
                off("tokens past position 65536", &slow, 0x1p-18, &past_65536),
                off("tokens at negative positions", &of_either_sign, -0x1p-18, &at_negative_position),
                off("channels in no pair", &with_tail, 0x1p-22, &is_last)},
               last_and_first(&near_zero, 0x1p-18, 0x1p-4)),
};

}  // namespace posproof::properties_rotary_composes
