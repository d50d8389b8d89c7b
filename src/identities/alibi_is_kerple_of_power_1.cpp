#include "catalogue/identities/alibi_is_kerple_of_power_1.h"

#include <algorithm>

#include "catalogue/encodings/alibi.h"
#include "catalogue/encodings/kerple.h"
#include "identities/sides.h"

namespace posproof::identities_alibi_is_kerple_of_power_1 {
namespace {

using namespace identities;

// A slope that double rounds to 0 is no r1.
std::optional<Parameters> right_of(const Arguments& left) {
  Parameters right = taken(left, {"heads", "form"}, "kernel=power r2=[1]");
  const std::vector<double> slopes = encodings::alibi.oracle<Bias>(left.parameters()).slopes;
  if (std::ranges::count(slopes, 0.0) > 0) return std::nullopt;
  right.set("r1", slopes);
  return right;
}

}  // namespace

const Identity entry{
    .statement = "ALiBi is the power kernel of KERPLE with the power 1 and its slopes for r1.",
    .formula = "r1 = m_h, r2 = 1: -r1 |i - j|^r2 = -m_h |i - j|",
    .source =
        "Chi et al. 2022, KERPLE: Kernelized Relative Positional Embedding for Length Extrapolation, section 4",
    .left = &encodings::alibi,
    .right = &encodings::kerple,
    .where = {{{"form", {"causal", "symmetric"}}, {"rows", {"relative", "any"}}, {"biased_heads", {0.0}}}},
    .right_of = &right_of,
    .check = &same_answers,
    .must_reject = {{"the last entry is 2^-19 larger", "heads=8", &last_entry_off}},
};

}  // namespace posproof::identities_alibi_is_kerple_of_power_1
