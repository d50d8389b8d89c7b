#include "catalogue/identities/resized_constants_are_constants.h"
#include "catalogue/encodings/resized_table.h"
#include "identities/sides.h"

namespace posproof::identities_resized_constants_are_constants {
namespace {

using namespace identities;

// A grid that has the new size from the beginning, and is copied.
std::optional<Parameters> right_of(const Arguments& left) {
  Parameters right = taken(left, {"dim", "height", "width", "kept_rows", "table"}, "method=first");
  right.set("from_height", static_cast<double>(left.width("height")));
  right.set("from_width", static_cast<double>(left.width("width")));
  return right;
}

}  // namespace

const Identity entry{
    .statement =
        "A grid whose rows are all the same keeps that row in every other size, whatever the filter, the border and the offset of the size.",
    .formula = "sum_i a(i) = 1: resize(c) = c",
    .source =
        "Keys 1981, Cubic convolution interpolation for digital image processing, section III; PyTorch interpolate",
    .left = &encodings::resized_table,
    .right = &encodings::resized_table,
    .where = {{{"table", {"constant"}}, {"method", {"linear", "cubic"}}}},
    .right_of = &right_of,
    .check = &same_answers,
    .must_reject = {{"the last channel of the last token is 2^-19 larger",
                     "dim=1 from_height=4 height=3 from_width=8 width=5 table=constant", &last_entry_off}},
};

}  // namespace posproof::identities_resized_constants_are_constants
