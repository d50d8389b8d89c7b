#include "catalogue/identities/scaling_by_1_is_rope.h"
#include "catalogue/encodings/rope.h"
#include "identities/sides.h"

namespace posproof::identities_scaling_by_1_is_rope {
namespace {

using namespace identities;

std::optional<Parameters> right_of(const Arguments& left) {
  return taken(left, of_a_ladder);
}

}  // namespace

const Identity entry{
    .statement = "Every scaling by 1 but the dynamic one is RoPE, and its attention factor is 1.",
    .formula = "s = 1, divisors 1: w_i' = w_i, attention factor 0.1 ln 1 + 1 = sqrt(1 + ln 1 / ln L0) = 1",
    .source = "Peng et al. 2023, YaRN, definitions 1 to 3; Ding et al. 2024, LongRoPE, section 3",
    .left = &encodings::rope,
    .right = &encodings::rope,
    .where = {{{"scaling", {"linear", "ntk", "by_parts", "yarn", "llama3", "longrope"}},
               {"factor", {1.0}},
               {"attention_factor", {0.0}},
               {"short_factors", {std::vector<double>{}}},
               {"factors", {std::vector<double>{1}}}}},
    .right_of = &right_of,
    .check = &same_answers,
    .must_reject = {{"the last channel of the last token is 2^-19 larger", "dim=4 scaling=yarn factor=1",
                     &last_entry_off}},
};

}  // namespace posproof::identities_scaling_by_1_is_rope
