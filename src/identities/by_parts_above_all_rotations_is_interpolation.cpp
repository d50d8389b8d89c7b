#include "catalogue/identities/by_parts_above_all_rotations_is_interpolation.h"
#include "catalogue/encodings/rope.h"
#include "identities/sides.h"

namespace posproof::identities_by_parts_above_all_rotations_is_interpolation {
namespace {

using namespace identities;

std::optional<Parameters> right_of(const Arguments& left) {
  if (left.real("beta_slow") < rotations_of(left).most) return std::nullopt;
  Parameters right = taken(left, of_a_ladder, "scaling=linear");
  right.set("factor", left.real("factor"));
  return right;
}

}  // namespace

const Identity entry{
    .statement = "NTK by parts with both bounds above the rotations of every pair is position interpolation.",
    .formula = "alpha > r_i for all i: w_i' = w_i / s",
    .source = "Peng et al. 2023, YaRN, definition 2",
    .left = &encodings::rope,
    .right = &encodings::rope,
    .where = {{{"scaling", {"by_parts"}}, {"beta_slow", {1e8}}, {"beta_fast", {1e9}}}},
    .right_of = &right_of,
    .check = &same_answers,
    .must_reject = {{"the last channel of the last token is 2^-19 larger",
                     "dim=4 scaling=by_parts beta_slow=1e8 beta_fast=1e9", &last_entry_off}},
};

}  // namespace posproof::identities_by_parts_above_all_rotations_is_interpolation
