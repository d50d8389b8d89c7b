#include <algorithm>

#include "catalogue/encodings/rope.h"
#include "catalogue/encodings/sinusoidal.h"
#include "catalogue/identities/sinusoidal_dot_products_are_rope_logits.h"
#include "identities/sides.h"

namespace posproof::identities_sinusoidal_dot_products_are_rope_logits {
namespace {

using namespace identities;

std::optional<Parameters> right_of(const Arguments& left) {
  return taken(left, {"dim", "base"}, "layout=interleaved");
}

Residual check(const Sides& sides, Draw& draw) {
  const Score rows = *score(sides.subject), declared = *score(sides.left), logit = *score(sides.right);
  Domain within = positions_of(sides.subject);
  within.hi = std::min(within.hi, logit.positions.hi);
  const Position i = draw.position("i", within), j = draw.position("j", within);
  const std::vector<double> nothing(rows.dim, 0);
  std::vector<double> ones(logit.dim, 0);
  for (std::size_t c = 0; c < ones.size(); c += 2) ones[c] = 1;
  return difference(
      rows.at(nothing, nothing, i, j), logit.at(ones, ones, i, j),
      declared.error(nothing, nothing, i, j, sides.precision) + logit.error(ones, ones, i, j, all_f64),
      static_cast<double>(rows.dim));
}

}  // namespace

const Identity entry{
    .statement =
        "The dot product of two sinusoidal rows is the logit of RoPE for a query and a key of (1, 0) in every pair.",
    .formula = "p_s . p_t = sum over i of cos((s - t) w_i) = R(s) q . R(t) k",
    .source = "Vaswani et al. 2017, section 3.5; Su et al. 2021, RoFormer, section 3.2",
    .left = &encodings::sinusoidal,
    .right = &encodings::rope,
    .where = {{{"dim", {2.0, 4.0, 6.0, 64.0}},
               {"divisor", {"half"}},
               {"odd", {"refuse"}},
               {"amplitude", {1.0}},
               {"scale", {1.0}},
               {"padding_row", {-1.0}}}},
    .right_of = &right_of,
    .check = &check,
    .must_reject = {{"the last entry of the later row is 2^-19 larger", "dim=2", &last_entry_off}},
};

}  // namespace posproof::identities_sinusoidal_dot_products_are_rope_logits
