#include <cmath>

#include "catalogue/encodings/rope.h"
#include "catalogue/identities/interpolation_at_s_t_is_rope_at_t.h"
#include "identities/sides.h"

namespace posproof::identities_interpolation_at_s_t_is_rope_at_t {
namespace {

using namespace identities;

std::optional<Parameters> right_of(const Arguments& left) {
  return taken(left, of_a_ladder, "scaling=none");
}

Residual check(const Sides& sides, Draw& draw) {
  const Position factor = static_cast<Position>(sides.parameters.real("factor"));
  Domain within = positions_of(sides.subject);
  within.hi /= factor;
  const Call at_t = draw_call(sides.left, within, draw);
  Call at_s_t = at_t;
  for (Position& t : at_s_t.positions.whole) t *= factor;
  return compared(sides, at_s_t, left_side(sides, at_s_t), right_side(sides, at_t));
}

Encoding slower(const Encoding& right_one) {
  Rotary rotary = as<Rotary>(right_one);
  for (Pair& pair : rotary.pairs) pair.frequency /= 1 + 0x1p-19;
  rotary.rotate = [pairs = rotary.pairs](const Tensor& x, std::span<const Position> positions, Role) {
    Tensor out = x;
    for (std::size_t r = 0; r < x.rows(); ++r)
      for (const Pair& pair : pairs) {
        const std::size_t heads = x.shape[1], n = x.shape[2];
        const auto t = static_cast<double>(positions[r / (heads * n) * n + r % n]);
        const double c = std::cos(t * pair.frequency), s = std::sin(t * pair.frequency);
        out.at(r, pair.first) = x.at(r, pair.first) * c - x.at(r, pair.second) * s;
        out.at(r, pair.second) = x.at(r, pair.first) * s + x.at(r, pair.second) * c;
      }
    return out;
  };
  return rotary;
}

}  // namespace

const Identity entry{
    .statement = "Position interpolation by a whole factor s rotates at position s t as RoPE does at t.",
    .formula = "R(t s w_i / s) = R(t w_i)",
    .source =
        "Chen et al. 2023, Extending Context Window of Large Language Models via Positional Interpolation, section 2.3, eq. 4",
    .left = &encodings::rope,
    .right = &encodings::rope,
    .where = {{{"scaling", {"linear"}}, {"factor", {2.0, 8.0}}}},
    .right_of = &right_of,
    .check = &check,
    .must_reject = {{"the last channel of the last token is 2^-19 larger", "dim=4 scaling=linear",
                     &last_entry_off},
                    {"positions are divided by a factor that is 2^-19 too large", "dim=4 scaling=linear",
                     &slower}},
};

}  // namespace posproof::identities_interpolation_at_s_t_is_rope_at_t
