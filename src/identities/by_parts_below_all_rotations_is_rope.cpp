#include "catalogue/identities/by_parts_below_all_rotations_is_rope.h"
#include "catalogue/encodings/rope.h"
#include "identities/sides.h"

namespace posproof::identities_by_parts_below_all_rotations_is_rope {
namespace {

using namespace identities;

std::optional<Parameters> right_of(const Arguments& left) {
  if (left.real("beta_fast") > rotations_of(left).least) return std::nullopt;
  return taken(left, of_a_ladder);
}

}  // namespace

const Identity entry{
    .statement = "NTK by parts with both bounds below the rotations of every pair is RoPE.",
    .formula = "beta < r_i for all i: w_i' = w_i",
    .source = "Peng et al. 2023, YaRN, definition 2",
    .left = &encodings::rope,
    .right = &encodings::rope,
    .where = {{{"scaling", {"by_parts"}}, {"beta_slow", {1e-9}}, {"beta_fast", {1e-8}}}},
    .right_of = &right_of,
    .check = &same_answers,
    .must_reject = {{"the last channel of the last token is 2^-19 larger",
                     "dim=4 scaling=by_parts beta_slow=1e-9 beta_fast=1e-8", &last_entry_off}},
};

}  // namespace posproof::identities_by_parts_below_all_rotations_is_rope
