#include "catalogue/identities/m_rope_of_one_section_is_rope.h"
#include "catalogue/encodings/m_rope.h"
#include "catalogue/encodings/rope.h"
#include "identities/sides.h"

namespace posproof::identities_m_rope_of_one_section_is_rope {
namespace {

using namespace identities;

std::optional<Parameters> right_of(const Arguments& left) {
  if (left.list("sections")[0] != static_cast<double>(left.width("dim")) / 2) return std::nullopt;
  return taken(left, {"dim", "heads", "base", "layout"});
}

Residual check(const Sides& sides, Draw& draw) {
  const Call grid = draw_call(sides.left, positions_of(sides.subject), draw);
  Call line = grid;
  line.positions = {};
  for (std::size_t n = 0; n < grid.positions.size(); ++n)
    line.positions.whole.push_back(grid.positions.whole[3 * n]);
  return compared(sides, grid, left_side(sides, grid), right_side(sides, line));
}

}  // namespace

const Identity entry{
    .statement =
        "M-RoPE whose first section has every pair is RoPE at the first id, whatever the others are.",
    .formula = "sections (d/2, 0, 0): R(t w_i)",
    .source = "Wang et al. 2024, Qwen2-VL, section 2.1",
    .left = &encodings::m_rope,
    .right = &encodings::rope,
    .where = {{{"ids", {"thw"}},
               {"dim", {8.0, 16.0}},
               {"rotary_dim", {0.0}},
               {"sections", {std::vector<double>{4, 0, 0}, std::vector<double>{8, 0, 0}}},
               {"assignment", {"contiguous"}},
               {"ladder", {"running"}}}},
    .right_of = &right_of,
    .check = &check,
    .must_reject = {{"the last channel of the last token is 2^-19 larger", "dim=8 sections=[4,0,0]",
                     &last_entry_off}},
};

}  // namespace posproof::identities_m_rope_of_one_section_is_rope
