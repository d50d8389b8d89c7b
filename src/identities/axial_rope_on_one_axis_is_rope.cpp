#include "catalogue/identities/axial_rope_on_one_axis_is_rope.h"
#include "catalogue/encodings/axial_rope.h"
#include "catalogue/encodings/rope.h"
#include "core/spoiled.h"
#include "identities/sides.h"

namespace posproof::identities_axial_rope_on_one_axis_is_rope {
namespace {

using namespace identities;

// Two axes of as many pairs each; a pair that is left over stays as it is.
std::size_t width_of_an_axis(std::size_t dim) {
  return 2 * (dim / 4);
}

std::optional<Parameters> right_of(const Arguments& left) {
  Parameters right = taken(left, {"heads", "base"});
  right.set("dim", static_cast<double>(width_of_an_axis(left.width("dim"))));
  right.set("layout",
            left.is("layout", "interleaved") ? std::string("interleaved") : std::string("half_split"));
  return right;
}

// The channels of one axis.
Call of_axis(const Call& call, std::size_t axis) {
  Call out = call;
  const Tensor& x = call.contents[0];
  const std::size_t half = width_of_an_axis(x.width());
  Shape shape = x.shape;
  shape.back() = half;
  out.contents = {Tensor(shape)};
  for (std::size_t r = 0; r < x.rows(); ++r)
    for (std::size_t c = 0; c < half; ++c) out.contents[0].at(r, c) = x.at(r, axis * half + c);
  out.positions = {};
  for (std::size_t n = 0; n < call.positions.size(); ++n)
    out.positions.whole.push_back(call.positions.whole[2 * n + axis]);
  return out;
}

void put_back(const Tensor& half, std::size_t axis, Tensor& x) {
  for (std::size_t r = 0; r < x.rows(); ++r)
    for (std::size_t c = 0; c < half.width(); ++c) x.at(r, axis * half.width() + c) = half.at(r, c);
}

Residual check(const Sides& sides, Draw& draw) {
  const auto axis = static_cast<std::size_t>(draw.integer("axis", 0, 1));
  Call grid = draw_call(sides.left, positions_of(sides.subject), draw);
  for (std::size_t n = 0; n < grid.positions.size(); ++n) grid.positions.whole[2 * n + 1 - axis] = 0;
  const Side half = right_side(sides, of_axis(grid, axis));
  Side here{grid.contents[0], Tensor(grid.contents[0].shape)};
  put_back(half.value, axis, here.value);
  put_back(half.error, axis, here.error);
  return compared(sides, grid, left_side(sides, grid), here);
}

Encoding tail_larger(const Encoding& right_one) {
  return spoiled(right_one, [](const AnswerEntry& at, double exact) {
    return 2 * at.channel < at.channels ? exact : exact * (1 + 0x1p-19);
  });
}

}  // namespace

const Identity entry{
    .statement =
        "Axial RoPE at 0 on one axis is RoPE at the other number on the channels of that axis, and leaves the others as they are.",
    .formula = "R(x, 0) = diag(R(x), I), R(0, y) = diag(I, R(y))",
    .source = "Heo et al. 2024, Rotary Position Embedding for Vision Transformer, section 3.2",
    .left = &encodings::axial_rope,
    .right = &encodings::rope,
    .where = {{{"axes", {2.0}},
               {"parts", {std::vector<double>{0}}},
               {"layout", {"half_split_by_axis", "interleaved"}},
               {"order", {"blocks"}},
               {"ladder", {"restarted"}},
               {"axis_order", {"given"}},
               {"coordinates", {"whole"}},
               {"factors", {std::vector<double>{0}}},
               {"bases", {std::vector<double>{0}}},
               {"factor", {1.0}},
               {"offset", {0.0}}}},
    .right_of = &right_of,
    .check = &check,
    .must_reject = {{"the last channel of the last token is 2^-19 larger", "dim=8 layout=interleaved",
                     &last_entry_off},
                    {"the second half of the channels is 2^-19 larger", "dim=8 layout=interleaved",
                     &tail_larger}},
};

}  // namespace posproof::identities_axial_rope_on_one_axis_is_rope
