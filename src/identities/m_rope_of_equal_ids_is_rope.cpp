#include "catalogue/identities/m_rope_of_equal_ids_is_rope.h"
#include "catalogue/encodings/m_rope.h"
#include "catalogue/encodings/rope.h"
#include "identities/sides.h"

namespace posproof::identities_m_rope_of_equal_ids_is_rope {
namespace {

using namespace identities;

std::optional<Parameters> right_of(const Arguments& left) {
  return taken(left, {"dim", "heads", "base", "layout", "rotary_dim"});
}

Residual check(const Sides& sides, Draw& draw) {
  const Call text = draw_call(sides.right, positions_of(sides.right), draw);
  Call grid = text;
  grid.positions = {.axes = 3};
  for (const Position t : text.positions.whole) grid.positions.whole.insert(grid.positions.whole.end(), 3, t);
  return compared(sides, grid, left_side(sides, grid), right_side(sides, text));
}

}  // namespace

const Identity entry{
    .statement = "M-RoPE of tokens whose ids are all equal, as those of text are, is RoPE.",
    .formula = "t = h = w: R(t w_i) whichever of them pair i takes",
    .source = "Wang et al. 2024, Qwen2-VL, section 2.1",
    .left = &encodings::m_rope,
    .right = &encodings::rope,
    .where = {{{"ids", {"thw"}}, {"ladder", {"running"}}, {"leftover", {"t"}}}},
    .right_of = &right_of,
    .check = &check,
    .must_reject = {{"the last channel of the last token is 2^-19 larger", "dim=8 sections=[1,1,1]",
                     &last_entry_off}},
};

}  // namespace posproof::identities_m_rope_of_equal_ids_is_rope
