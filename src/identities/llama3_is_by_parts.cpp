#include "catalogue/identities/llama3_is_by_parts.h"
#include "catalogue/encodings/rope.h"
#include "identities/sides.h"

namespace posproof::identities_llama3_is_by_parts {
namespace {

using namespace identities;

// Where both factors are one, there is no ramp between them.
std::optional<Parameters> right_of(const Arguments& left) {
  if (left.real("low_freq_factor") == left.real("high_freq_factor")) return std::nullopt;
  Parameters right = taken(left, of_a_ladder, "scaling=by_parts");
  for (const std::string_view name : {"factor", "original_length"}) right.set(name, left.real(name));
  right.set("beta_slow", left.real("low_freq_factor"));
  right.set("beta_fast", left.real("high_freq_factor"));
  return right;
}

}  // namespace

const Identity entry{
    .statement =
        "Llama 3's scaling is NTK by parts between its two factors: 1 and 4 rotations as it was released.",
    .formula = "alpha = low_freq_factor < beta = high_freq_factor",
    .source = "Peng et al. 2023, YaRN, definition 2; Llama 3.1 as released, apply_scaling",
    .left = &encodings::rope,
    .right = &encodings::rope,
    .where = {{{"scaling", {"llama3"}}}},
    .right_of = &right_of,
    .check = &same_answers,
    .must_reject = {{"the last channel of the last token is 2^-19 larger", "dim=4 scaling=llama3",
                     &last_entry_off}},
};

}  // namespace posproof::identities_llama3_is_by_parts
