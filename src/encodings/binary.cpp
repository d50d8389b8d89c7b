#include <algorithm>
#include <limits>

#include "catalogue/encodings.h"
#include "catalogue/properties.h"
#include "core/hard.h"
#include "encodings/checked.h"
#include "oracle/oracle.h"

namespace posproof {
namespace {

Encoding make(const Parameters& parameters) {
  const std::size_t dim = checked::width(parameters, "dim");
  const bool lsb_first = checked::one_of(parameters, "order", {"lsb_first", "msb_first"}) == "lsb_first";
  const double zero = checked::one_of(parameters, "values", {"bits", "signs"}) == "bits" ? 0 : -1;

  // Positions have 63 bits; further channels are always 0.
  const Position last = dim < 63 ? (Position{1} << dim) - 1 : std::numeric_limits<Position>::max();
  Table table{.dim = dim, .positions = {0, std::min(last, Position{1} << 20)}};
  table.positions.hard =
      hard_positions(std::span<const Pair>{}, 0, table.positions.hi);  // a power flips all bits below
  table.rows = [=](std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r) {
      checked::position(positions[r], 0, last);
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

const EncodingSpec encodings::binary{
    .summary = "the binary digits of the position",
    .formula = "p_t[j] = floor(t / 2^j) mod 2",
    .source = "Zhang et al., Dive into Deep Learning, section 11.6.3.1; founding document E, question 20",
    .parameters = {{"dim", 16.0, {1.0, 2.0, 3.0, 5.0, 16.0}, "digits, channels"},
                   {"order", "lsb_first", {"lsb_first", "msb_first"}, "which digit comes first", true},
                   {"values", "bits", {"bits", "signs"}, "bits: 0 and 1; signs: -1 and +1", true}},
    .make = &make,
    .oracle = &oracle::binary,
    .claims =
        {
            holds(table::is_prefix_stable),
            holds(table::does_not_depend_on_length),
            holds(table::has_a_step_that_does_not_depend_on_length),
            holds(table::keeps_similarity_across_lengths),
            holds(table::has_bounded_entries),
            holds(table::has_distinct_positions),
            holds(table::is_defined_for_one_token),
            holds(table::distinguishes_neighbours_in_bf16),
            holds(table::distinguishes_neighbours_in_f16),
            holds(table::has_constant_norm, {.all = {{"values", {"signs"}}}}),
            fails(table::has_constant_norm, "s=0 t=1", 1, "the norm is the root of how many digits are 1"),
            fails(table::translates_by_a_rotation, "dim=2 k=1 s=0 t=1", 1,
                  "no rotation carries 00 to 10: their norms differ"),
            fails(table::shifts_base_by_a_rotation, "dim=2 n=3 c=1", 1.24,
                  "00, 10, 01 and 10, 01, 11 have other norms"),
            fails(table::dot_product_depends_on_offset, "dim=2 values=signs k=1 s=0 t=1", 2,
                  "from 0 to 1 one digit flips, from 1 to 2 both do"),
            fails(table::distance_depends_on_offset, "dim=2 k=1 s=0 t=1", 0.414,
                  "from 0 to 1 one digit flips, from 1 to 2 both do"),
            fails(table::has_one_shift_for_all_lengths, "dim=2 k=1 t=0 u=1 n=3 far=4", 0.414,
                  "a step flips one digit or several: no rigid motion does"),
            fails(table::distinguishes_neighbours_from_distant_tokens, "dim=2 k=2 t=0 n=2 u=0 far=3", 1,
                  "every code is orthogonal to that of 0"),
            holds(score::depends_on_order),
            fails(score::depends_on_offset, "dim=1 q=[0] k=[0] i=0 j=0 t=1", 1, "0 x 0 = 0 and 1 x 1 = 1"),
            fails(score::decays_with_distance, "dim=3 q=[0*3] i=5 far=4 near=3", 1,
                  "5 = 101 shares a digit with 1 = 001 and none with 2 = 010"),
            holds(attention::breaks_the_symmetry),
            holds(attention::is_causal),
            fails(attention::keeps_constant_sequences_constant, "dim=1 n=2 mask=causal x=[0]", 0.731,
                  "the code is added to the values: 0, then a mean of 0 and 1"),
            fails(attention::has_the_symmetry_of_its_mask, "dim=2 n=2 mask=none permutation=[1,0] x=[0*4]",
                  0.17,
                  "no mask, equal tokens: the one at 0 takes a plain mean, the other leans to the row of 1"),
            fails(attention::permutation_equivariant, "dim=1 n=2 permutation=[1,0] mask=none x=[0,0]", 0.231,
                  "two equal tokens change places, but their answers differ: 1/2 and e/(1+e)"),
            fails(attention::pooled_readout_invariant, "dim=1 n=2 permutation=[1,0] x=[1,0]", 0.482,
                  "(1, 0) becomes (1, 1) and (0, 1) becomes (0, 2): the sums, token and code, differ"),
            fails(attention::query_order_equivariant,
                  "dim=1 queries=2 keys=2 permutation=[1,0] q=[0,0] k=[0,0]", 0.231,
                  "equal queries answer 1/2 at 0 and e/(1+e) at 1"),
            fails(attention::key_order_invariant, "dim=1 queries=1 keys=2 permutation=[1,0] q=[1] k=[1,0]",
                  0.762, "(1, 0) becomes (1, 1) and (0, 1) becomes (0, 2): the keys, token and code, differ"),
            holds(call::agrees_in_chunks),
            holds(call::is_stateless),
            holds(call::takes_positions_in_any_order),
        },
};

}  // namespace posproof
