#include "catalogue/identities/a_ramp_between_corners_is_normalized_index.h"
#include "catalogue/encodings/normalized_index.h"
#include "catalogue/encodings/resized_table.h"
#include "identities/sides.h"

namespace posproof::identities_a_ramp_between_corners_is_normalized_index {
namespace {

using namespace identities;

std::optional<Parameters> right_of(const Arguments& left) {
  return taken(left, {"dim"}, "range=zero_one");
}

// The last entry of the ramp is the length of the old axis less 1.
Residual check(const Sides& sides, Draw& draw) {
  Call call = draw_call(sides.left, positions_of(sides.subject), draw);
  call.length = sides.parameters.whole("width");
  const double last = static_cast<double>(sides.parameters.whole("from_width") - 1);
  Side here = right_side(sides, call);
  for (double& entry : here.value.data) entry *= last;
  for (double& error : here.error.data) error *= 2 * last;
  return compared(sides, call, left_side(sides, call), here);
}

}  // namespace

const Identity entry{
    .statement =
        "A ramp of w old entries that is resized linearly with aligned corners is w - 1 times the position as a share of the new length.",
    .formula = "resize(0, 1, .., w-1)_t = (w - 1) t/(L - 1)",
    .source = "PyTorch interpolate, align_corners=True; founding document A, questions 21 and 22",
    .left = &encodings::resized_table,
    .right = &encodings::normalized_index,
    .where = {{{"dim", {1.0}},
               {"from_height", {1.0}},
               {"height", {1.0}},
               {"from_width", {2.0, 5.0, 8.0}},
               {"width", {3.0, 5.0, 8.0, 100.0}},
               {"kept_rows", {0.0}},
               {"method", {"linear"}},
               {"align_corners", {"true"}},
               {"antialias", {"false"}},
               {"more", {0.0}},
               {"table", {"index"}}}},
    .right_of = &right_of,
    .check = &check,
    .must_reject = {{"the last channel of the last token is 2^-19 larger",
                     "dim=1 from_height=1 height=1 from_width=2 width=5 align_corners=true",
                     &last_entry_off}},
};

}  // namespace posproof::identities_a_ramp_between_corners_is_normalized_index
