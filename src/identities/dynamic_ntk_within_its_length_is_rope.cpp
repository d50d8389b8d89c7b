#include <algorithm>

#include "catalogue/encodings/rope.h"
#include "catalogue/identities/dynamic_ntk_within_its_length_is_rope.h"
#include "identities/sides.h"

namespace posproof::identities_dynamic_ntk_within_its_length_is_rope {
namespace {

using namespace identities;

std::optional<Parameters> right_of(const Arguments& left) {
  return taken(left, of_a_ladder);
}

Residual check(const Sides& sides, Draw& draw) {
  return same_answers_up_to(sides, draw, static_cast<Position>(sides.parameters.real("original_length")) - 1);
}

Encoding one_too_many(const Encoding& right_one) {
  Rotary rotary = as<Rotary>(right_one);
  rotary.rotate = [in_call = rotary.in_call](const Tensor& x, std::span<const Position> positions,
                                             Role role) {
    const Position last = positions.empty() ? 0 : std::ranges::max(positions);
    return in_call(last + 1)->rotate(x, positions, role);
  };
  return rotary;
}

}  // namespace

const Identity entry{
    .statement = "Dynamic NTK of a call no longer than the trained length is RoPE.",
    .formula = "n <= L0: b(n) = b",
    .source =
        "bloc97 and emozilla 2023, Dynamically Scaled RoPE; Hugging Face, _compute_dynamic_ntk_parameters",
    .left = &encodings::rope,
    .right = &encodings::rope,
    .where = {{{"scaling", {"dynamic_ntk"}}, {"length", {0.0}}, {"original_length", {64.0, 8192.0}}}},
    .right_of = &right_of,
    .check = &check,
    .must_reject = {{"the last channel of the last token is 2^-19 larger",
                     "dim=4 scaling=dynamic_ntk original_length=64", &last_entry_off},
                    {"the length counts one token too many", "dim=4 scaling=dynamic_ntk original_length=64",
                     &one_too_many, all_f32}},
};

}  // namespace posproof::identities_dynamic_ntk_within_its_length_is_rope
