#include "catalogue/encodings/raw_index.h"
#include "catalogue/oracle/raw_index.h"
#include "catalogue/properties/attention/breaks_the_symmetry.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/table/distinguishes_neighbours_in_bf16.h"
#include "catalogue/properties/table/distinguishes_neighbours_in_f16.h"
#include "catalogue/properties/table/dot_product_depends_on_offset.h"
#include "catalogue/properties/table/has_bounded_entries.h"
#include "catalogue/properties/table/has_constant_norm.h"
#include "catalogue/properties/table/has_different_dot_products_near_and_far.h"
#include "catalogue/properties/table/shifts_base_by_a_rotation.h"
#include "catalogue/properties/table/translates_by_a_rotation.h"
#include "core/declare.h"
#include "core/hard.h"
#include "encodings/facts.h"

namespace posproof::encodings_raw_index {
namespace {

Encoding make(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const std::int64_t offset = p.whole("offset");

  Table table{.dim = dim, .offset = static_cast<double>(offset)};
  // Among them where bf16 and f16 stop holding every integer.
  table.positions.hard = hard_positions(std::span<const Pair>{}, table.positions.lo, table.positions.hi);
  table.rows = [dim, offset](std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r)
      for (double& x : rows.row(r)) x = static_cast<double>(static_cast<long double>(positions[r]) + offset);
    return rows;
  };
  return table;
}

using namespace properties;

}  // namespace

const EncodingSpec entry{
    .summary = "the position itself in every channel",
    .formula = "p_t[c] = t + offset",
    .source =
        "the straw man of every introduction; see Vaswani et al. 2017, section 3.5, for what replaced it",
    .parameters = {{whole("dim", type::any_width, 1, {1, 2, 3, 8}, "width of a row", "channels"),
                    disputed(whole("offset", {type::any_whole.lo / 2, type::any_whole.hi / 2}, 0, {0, 1, 2},
                                   "integer added to the position: 1 counts from one", "positions"))}},
    .reference = &make,
    .exact = &oracle::raw_index,
    .facts = {{&facts::is_added_to_the_tokens},
              {&facts::depends_on_position_alone},
              {&facts::distinguishes_positions, {}, {&attention::breaks_the_symmetry}},
              {&facts::has_rows_0_and_1_first},
              {&facts::has_rows_that_are_positions},
              {&facts::moves_rigidly}},
    .witnesses =
        {
            fails(table::has_bounded_entries, "t=2 n=3", 1, "the position itself grows without bound"),
            fails(table::has_constant_norm, "s=0 t=1", 1, "|p_t| = t"),
            fails(table::translates_by_a_rotation, "k=1 s=0 t=1", 1.41,
                  "a shift is a translation by k, not a rotation: the row of 0 is 0"),
            fails(table::shifts_base_by_a_rotation, "n=2 c=1", 1.41,
                  "the rows 0 and 1 have other norms than 1 and 2"),
            fails(table::dot_product_depends_on_offset, "k=1 s=0 t=1", 2, "0 x 1 = 0 and 1 x 2 = 2"),
            fails(table::distinguishes_neighbours_in_bf16, "t=256 n=258", 1,
                  "257 is not a bf16: 8 significant bits"),
            fails(table::has_different_dot_products_near_and_far, "k=5 t=2 n=4 u=1 far=7", 1,
                  "2 x 3 = 1 x 6"),
            fails(
                attention::has_the_symmetry_of_its_mask, "dim=2 n=2 mask=none permutation=[1,0] x=[0*4]",
                0.304,
                "two equal tokens without a mask: the one at 0 averages evenly, the other favours the row of 1"),
        },
    .claims =
        {
            fails(table::distinguishes_neighbours_in_f16, "t=2048 n=2050", 1,
                  "2049 is not an f16: 11 significant bits"),
            holds(attention::breaks_the_symmetry, {.all = {{"dim", {1.0, 2.0, 3.0}}}}),
            fails(
                attention::breaks_the_symmetry, "dim=8 offset=2 n=7 permutation=[0,2,1,3,4,5,6]", 3.12e-05,
                "the numbers 2 to 8 in 8 channels outweigh the content: every query attends almost only to the last key",
                {.all = {{"dim", {8.0}}}}),
        },
};

}  // namespace posproof::encodings_raw_index
