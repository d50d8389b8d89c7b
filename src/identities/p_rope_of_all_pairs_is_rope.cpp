#include "catalogue/identities/p_rope_of_all_pairs_is_rope.h"
#include "catalogue/encodings/rope.h"
#include "identities/sides.h"

namespace posproof::identities_p_rope_of_all_pairs_is_rope {
namespace {

using namespace identities;

std::optional<Parameters> right_of(const Arguments& left) {
  if (2 * left.width("kept_pairs") != left.width("dim")) return std::nullopt;
  return taken(left, {"dim", "heads", "base", "layout", "output_layout", "direction"});
}

}  // namespace

const Identity entry{
    .statement = "p-RoPE that keeps every pair (p = 1) is RoPE.",
    .formula = "p = 1: no frequency is set to 0",
    .source =
        "Barbero et al. 2024, Round and Round We Go! What makes Rotary Positional Encodings useful?, section 6",
    .left = &encodings::rope,
    .right = &encodings::rope,
    .where = {{{"dim", {2.0, 4.0, 8.0}},
               {"rotary_dim", {0.0}},
               {"kept_pairs", {1.0, 2.0, 4.0}},
               {"scaling", {"none"}}}},
    .right_of = &right_of,
    .check = &same_answers,
    .must_reject = {{"the last channel of the last token is 2^-19 larger", "dim=4 kept_pairs=2",
                     &last_entry_off}},
};

}  // namespace posproof::identities_p_rope_of_all_pairs_is_rope
