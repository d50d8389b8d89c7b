#include "catalogue/identities/xpos_of_an_endless_gamma_is_rope.h"
#include "catalogue/encodings/rope.h"
#include "catalogue/encodings/xpos.h"
#include "identities/sides.h"

namespace posproof::identities_xpos_of_an_endless_gamma_is_rope {
namespace {

using namespace identities;

std::optional<Parameters> right_of(const Arguments& left) {
  return taken(left, {"dim", "heads", "base", "layout", "rotary_dim"});
}

}  // namespace

const Identity entry{
    .statement = "xPos whose gamma goes to infinity is RoPE: every zeta is 1.",
    .formula = "gamma -> infinity: zeta_i = (2i/r + gamma) / (1 + gamma) -> 1, r the channels that rotate",
    .source = "Sun et al. 2022, A Length-Extrapolatable Transformer, section 3.2",
    .left = &encodings::xpos,
    .right = &encodings::rope,
    .where = {{{"gamma", {1e300}}, {"scale_base", {64.0, 512.0}}, {"centre", {0.0, 256.0}}}},
    .right_of = &right_of,
    .check = &same_answers,
    .must_reject = {{"the last channel of the last token is 2^-19 larger", "dim=4 gamma=1e300",
                     &last_entry_off}},
};

}  // namespace posproof::identities_xpos_of_an_endless_gamma_is_rope
