#include <algorithm>
#include <cmath>

#include "catalogue/encodings/alibi.h"
#include "catalogue/encodings/t5_bias.h"
#include "catalogue/identities/alibi_is_t5_of_a_linear_table.h"
#include "identities/sides.h"

namespace posproof::identities_alibi_is_t5_of_a_linear_table {
namespace {

using namespace identities;

// The first half of 64 buckets has an offset each.
constexpr Position most = 31;

std::optional<Parameters> right_of(const Arguments& left) {
  return taken(left, {"heads"}, "buckets=64 max_distance=1000 direction=unidirectional table=index");
}

Residual check(const Sides& sides, Draw& draw) {
  const std::vector<double>& slopes = as<Bias>(sides.left).slopes;
  Domain within = positions_of(sides.subject);
  within.hi = std::min(within.hi, most);
  const Call call = draw_call(sides.left, within, draw);
  Side here = right_side(sides, call);
  const std::size_t of_a_head = call.positions.size() * call.keys.size();
  for (std::size_t n = 0; n < here.value.data.size(); ++n) {
    const std::size_t head = n / of_a_head;
    const double bucket = here.value.data[n] - 64 * static_cast<double>(head);
    here.value.data[n] = -slopes[head] * bucket;
    // Buckets are whole numbers; the slope is rounded to double, and so is the product.
    here.error.data[n] = 2 * unit_f64 * std::abs(here.value.data[n]);
  }
  return compared(sides, call, left_side(sides, call), here);
}

}  // namespace

const Identity entry{
    .statement = "T5 with a bucket for each offset and the table E[n] = -m n is ALiBi.",
    .formula = "n < e: bucket(-n) = n, so that b(i,j) = -m (i - j)",
    .source = "Raffel et al. 2020 (T5), section 2.1; Press, Smith and Lewis 2021 (ALiBi), section 3",
    .left = &encodings::alibi,
    .right = &encodings::t5_bias,
    .where =
        {{{"form", {"causal"}}, {"rows", {"relative", "any"}}, {"biased_heads", {0.0}}, {"head_dim", {0.0}}}},
    .right_of = &right_of,
    .check = &check,
    .must_reject = {{"the last entry is 2^-19 larger", "heads=8", &last_entry_off}},
};

}  // namespace posproof::identities_alibi_is_t5_of_a_linear_table
