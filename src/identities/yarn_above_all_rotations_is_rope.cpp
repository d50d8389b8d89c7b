#include "catalogue/identities/yarn_above_all_rotations_is_rope.h"
#include "catalogue/encodings/rope.h"
#include "identities/sides.h"

namespace posproof::identities_yarn_above_all_rotations_is_rope {
namespace {

using namespace identities;

// base^(2/dim) is base at most.
std::optional<Parameters> right_of(const Arguments& left) {
  if (left.real("beta_slow") < left.real("base") * rotations_of(left).most) return std::nullopt;
  return taken(left, of_a_ladder);
}

}  // namespace

const Identity entry{
    .statement =
        "YaRN, whose ramp is over the dimension, with both bounds at more than base^(2/dim) times the rotations of every pair is RoPE, not interpolation.",
    .formula = "corr(beta) <= -1: low = 0, high < 0, so that the ramp is 0 at every i and w_i' = w_i",
    .source =
        "jquesnelle/yarn, find_correction_range and linear_ramp_mask, which clamp the lower end at 0 from below alone and the higher one at dim - 1 from above alone",
    .left = &encodings::rope,
    .right = &encodings::rope,
    .where =
        {{{"scaling", {"yarn"}}, {"beta_slow", {1e30}}, {"beta_fast", {1e31}}, {"attention_factor", {1.0}}}},
    .right_of = &right_of,
    .check = &same_answers,
    .must_reject = {{"the last channel of the last token is 2^-19 larger",
                     "dim=4 scaling=yarn beta_slow=1e30 beta_fast=1e31 attention_factor=1", &last_entry_off}},
};

}  // namespace posproof::identities_yarn_above_all_rotations_is_rope
