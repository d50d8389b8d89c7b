#include "catalogue/identities/resized_mirror_images_are_mirrored.h"
#include "catalogue/encodings/resized_table.h"
#include "identities/sides.h"

namespace posproof::identities_resized_mirror_images_are_mirrored {
namespace {

using namespace identities;

// With antialias and aligned corners PyTorch has the middle of the filter elsewhere than in the middle.
std::optional<Parameters> right_of(const Arguments& left) {
  if (left.flag("align_corners") && left.flag("antialias")) return std::nullopt;
  return left.parameters();
}

// Along one axis, or both.
Residual check(const Sides& sides, Draw& draw) {
  const auto kept = sides.parameters.whole("kept_rows"), height = sides.parameters.whole("height"),
             width = sides.parameters.whole("width");
  const bool down = draw.integer("down", 0, 1) == 1, across = draw.integer("across", 0, 1) == 1;
  const Call call = draw_call(sides.left, positions_of(sides.subject), draw);
  Call mirrored = call;
  for (Position& t : mirrored.positions.whole) {
    if (t < kept) continue;
    const Position y = (t - kept) / width, x = (t - kept) % width;
    t = kept + (down ? height - 1 - y : y) * width + (across ? width - 1 - x : x);
  }
  return compared(sides, call, left_side(sides, call), right_side(sides, mirrored));
}

}  // namespace

const Identity entry{
    .statement =
        "A grid that is the same from both ends of an axis is so in every other size: no filter prefers a side, but PyTorch's with antialias and aligned corners together.",
    .formula = "E[h-1-i, j] = E[i, j]: resize(E)[h'-1-y, x] = resize(E)[y, x], and across",
    .source =
        "Keys 1981, Cubic convolution interpolation for digital image processing, section II: the kernel is symmetric",
    .left = &encodings::resized_table,
    .right = &encodings::resized_table,
    .where = {{{"table", {"mirrored"}}, {"method", {"linear", "cubic"}}, {"more", {0.0}}}},
    .right_of = &right_of,
    .check = &check,
    .must_reject = {{"the last channel of the last token is 2^-19 larger",
                     "dim=1 from_height=1 height=1 from_width=8 width=5 table=mirrored", &last_entry_off}},
};

}  // namespace posproof::identities_resized_mirror_images_are_mirrored
