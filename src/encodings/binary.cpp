#include <algorithm>
#include <limits>

#include "catalogue/encodings/binary.h"
#include "catalogue/oracle/binary.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/score/decays_with_distance.h"
#include "catalogue/properties/score/depends_on_offset.h"
#include "catalogue/properties/table/distance_depends_on_offset.h"
#include "catalogue/properties/table/dot_product_depends_on_offset.h"
#include "catalogue/properties/table/has_constant_norm.h"
#include "catalogue/properties/table/has_different_dot_products_near_and_far.h"
#include "catalogue/properties/table/has_one_shift_for_all_lengths.h"
#include "catalogue/properties/table/shifts_base_by_a_rotation.h"
#include "catalogue/properties/table/translates_by_a_rotation.h"
#include "core/declare.h"
#include "core/hard.h"
#include "core/outside.h"
#include "encodings/facts.h"

namespace posproof::encodings_binary {
namespace {

Encoding make(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const bool lsb_first = p.is("order", "lsb_first");
  const double zero = p.is("values", "bits") ? 0 : -1;

  // Positions have 63 bits; further channels are always 0.
  const Position last = dim < 63 ? (Position{1} << dim) - 1 : std::numeric_limits<Position>::max();
  Table table{.dim = dim, .positions = {0, std::min(last, Position{1} << 20)}};
  table.positions.hard =
      hard_positions(std::span<const Pair>{}, 0, table.positions.hi);  // a power flips all bits below
  table.rows = [=](std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r) {
      refuse_outside(positions[r], 0, last);
      for (std::size_t bit = 0; bit < dim; ++bit) {
        const bool set = bit < 63 && (positions[r] >> bit) % 2 == 1;
        rows.at(r, lsb_first ? bit : dim - 1 - bit) = set ? 1 : zero;
      }
    }
    return rows;
  };
  return table;
}

using namespace properties;

}  // namespace

const EncodingSpec entry{
    .summary = "the binary digits of the position",
    .formula = "p_t[j] = floor(t / 2^j) mod 2, t < 2^dim",
    .source = "Zhang et al., Dive into Deep Learning, section 11.6.3.1; founding document E, question 20",
    .parameters = {{whole("dim", type::any_width, 16, {1, 2, 3, 5, 16}, "digits", "channels"),
                    convention("order", {"lsb_first", "msb_first"}, "which digit comes first"),
                    convention("values", {"bits", "signs"}, "bits: 0 and 1; signs: -1 and +1")}},
    .reference = &make,
    .exact = &oracle::binary,
    .facts = {{&facts::is_added_to_the_tokens},
              {&facts::depends_on_position_alone},
              {&facts::distinguishes_positions},
              {&facts::has_rows_0_and_1_first},
              {&facts::takes_steps_that_bf16_shows}},
    .witnesses =
        {
            fails(score::depends_on_offset, "dim=1 q=[0] k=[0] i=0 j=0 t=1", 1, "0 x 0 = 0 and 1 x 1 = 1"),
            fails(score::decays_with_distance, "dim=3 q=[0*3] i=5 far=4 near=3", 1,
                  "5 = 101 shares a digit with 1 = 001 and none with 2 = 010"),
            fails(
                attention::has_the_symmetry_of_its_mask, "dim=2 n=2 mask=none permutation=[1,0] x=[0*4]",
                0.17,
                "two equal tokens without a mask: the one at 0 averages evenly, the other favours the row of 1"),
        },
    .claims =
        {
            holds(table::has_constant_norm, {.all = {{"values", {"signs"}}}}),
            fails(table::has_constant_norm, "s=0 t=1", 1,
                  "the norm is the square root of the number of ones"),
            fails(table::translates_by_a_rotation, "dim=2 k=1 s=0 t=1", 1,
                  "no rotation maps 00 to 10: their norms differ"),
            fails(table::shifts_base_by_a_rotation, "dim=2 n=3 c=1", 1.24,
                  "the rows 00, 10, 01 have other norms than 10, 01, 11"),
            fails(table::dot_product_depends_on_offset, "dim=2 values=signs k=1 s=0 t=1", 2,
                  "from 0 to 1 one digit flips, from 1 to 2 both do"),
            fails(table::distance_depends_on_offset, "dim=2 k=1 s=0 t=1", 0.414,
                  "from 0 to 1 one digit flips, from 1 to 2 both do"),
            fails(table::has_one_shift_for_all_lengths, "dim=2 k=1 t=0 u=1 n=3 far=4", 0.414,
                  "a step flips one digit or several: no rigid motion does"),
            fails(table::has_different_dot_products_near_and_far, "dim=2 k=2 t=0 n=2 u=0 far=3", 1,
                  "every row is orthogonal to that of 0, which is all zeros"),
        },
};

}  // namespace posproof::encodings_binary
