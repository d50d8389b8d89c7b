#include "catalogue/identities/partial_rope_of_all_channels_is_rope.h"
#include "catalogue/encodings/rope.h"
#include "identities/sides.h"

namespace posproof::identities_partial_rope_of_all_channels_is_rope {
namespace {

using namespace identities;

std::optional<Parameters> right_of(const Arguments& left) {
  if (left.width("rotary_dim") != left.width("dim")) return std::nullopt;
  return taken(left, {"dim", "heads", "base", "layout", "output_layout", "direction"});
}

}  // namespace

const Identity entry{
    .statement = "Partial RoPE whose rotary width is the whole width is RoPE.",
    .formula = "r = d: w_i = b^(-2i/r) = b^(-2i/d)",
    .source = "Wang and Komatsuzaki 2021, GPT-J-6B; Black et al. 2022, GPT-NeoX-20B",
    .left = &encodings::rope,
    .right = &encodings::rope,
    .where = {{{"dim", {2.0, 4.0, 8.0}},
               {"rotary_dim", {2.0, 4.0, 8.0}},
               {"kept_pairs", {0.0}},
               {"scaling", {"none"}}}},
    .right_of = &right_of,
    .check = &same_answers,
    .must_reject = {{"the last channel of the last token is 2^-19 larger", "dim=4 rotary_dim=4",
                     &last_entry_off}},
};

}  // namespace posproof::identities_partial_rope_of_all_channels_is_rope
