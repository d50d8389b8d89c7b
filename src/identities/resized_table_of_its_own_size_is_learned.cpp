#include "catalogue/identities/resized_table_of_its_own_size_is_learned.h"
#include "catalogue/encodings/learned.h"
#include "catalogue/encodings/resized_table.h"
#include "identities/sides.h"

namespace posproof::identities_resized_table_of_its_own_size_is_learned {
namespace {

using namespace identities;

std::optional<Parameters> right_of(const Arguments& left) {
  Parameters right = taken(left, {"dim", "table"});
  if (left.is("table", "seeded")) right = taken(left, {"dim", "table", "table_seed", "std"});
  right.set("length",
            static_cast<double>(left.width("kept_rows") + left.width("height") * left.width("width")));
  return right;
}

}  // namespace

const Identity entry{
    .statement =
        "A trained grid that is resized to the size that it has stays as it is, row by row, whatever the filter, the alignment of corners and antialias.",
    .formula = "resize(E, (h, w) -> (h, w)) = E",
    .source =
        "Keys 1981, Cubic convolution interpolation for digital image processing, section II: the kernel is 1 at 0 and 0 at the other whole numbers",
    .left = &encodings::resized_table,
    .right = &encodings::learned,
    .where = {{{"from_height", {4.0}},
               {"height", {4.0}},
               {"from_width", {5.0}},
               {"width", {5.0}},
               {"method", {"linear", "cubic"}},
               {"more", {0.0}},
               {"table", {"index", "seeded"}}}},
    .right_of = &right_of,
    .check = &same_answers,
    .must_reject = {{"the last channel of the last token is 2^-19 larger",
                     "dim=1 from_height=4 height=4 from_width=5 width=5 table=seeded", &last_entry_off}},
};

}  // namespace posproof::identities_resized_table_of_its_own_size_is_learned
