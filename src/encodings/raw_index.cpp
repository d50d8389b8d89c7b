#include "catalogue/encodings.h"
#include "catalogue/properties.h"
#include "core/hard.h"
#include "encodings/checked.h"
#include "oracle/oracle.h"

namespace posproof {
namespace {

Encoding make(const Parameters& parameters) {
  const std::size_t dim = checked::width(parameters, "dim");
  const std::int64_t offset = checked::whole(parameters, "offset", -checked::widest, checked::widest);

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

const EncodingSpec encodings::raw_index{
    .summary = "the position itself in every channel",
    .formula = "p_t[c] = t + offset",
    .source =
        "the straw man of every introduction; see Vaswani et al. 2017, section 3.5, for what replaced it",
    .parameters =
        {{"dim", 1.0, {1.0, 2.0, 3.0, 8.0}, "width of a row, channels"},
         {"offset", 0.0, {0.0, 1.0, 2.0}, "integer added to the position: 1 counts from one", true}},
    .make = &make,
    .oracle = &oracle::raw_index,
    .claims =
        {
            holds(table::is_prefix_stable),
            holds(table::does_not_depend_on_length),
            holds(table::has_a_step_that_does_not_depend_on_length),
            holds(table::keeps_similarity_across_lengths),
            holds(table::distance_depends_on_offset),
            holds(table::has_distinct_positions),
            holds(table::has_one_shift_for_all_lengths),
            holds(table::is_defined_for_one_token),
            fails(table::has_bounded_entries, "t=2 n=3", 1, "the position itself grows without bound"),
            fails(table::has_constant_norm, "s=0 t=1", 1, "|p_t| = t"),
            fails(table::translates_by_a_rotation, "k=1 s=0 t=1", 1.41,
                  "a shift is a translation by k, not a rotation: the row of 0 is 0"),
            fails(table::shifts_base_by_a_rotation, "n=2 c=1", 1.41, "(0, 1) and (1, 2) differ in length"),
            fails(table::dot_product_depends_on_offset, "k=1 s=0 t=1", 2, "0 x 1 = 0 and 1 x 2 = 2"),
            fails(table::distinguishes_neighbours_in_bf16, "t=256 n=258", 1,
                  "257 is not a bf16: 8 significant bits"),
            fails(table::distinguishes_neighbours_in_f16, "t=2048 n=2050", 1,
                  "2049 is not an f16: 11 significant bits"),
            fails(table::distinguishes_neighbours_from_distant_tokens, "k=5 t=2 n=4 u=1 far=7", 1,
                  "2 x 3 = 1 x 6"),
            holds(score::depends_on_order),
            fails(score::depends_on_offset, "dim=1 q=[0] k=[0] i=1 j=0 t=1", 2, "1 x 0 = 0 and 2 x 1 = 2"),
            fails(score::decays_with_distance, "dim=1 q=[-2] i=1 far=1 near=0", 1,
                  "(-2 + 1)(-2 + 0) > (-2 + 1)(-2 + 1)"),
            holds(attention::breaks_the_symmetry, {.all = {{"dim", {1.0, 2.0, 3.0}}}}),
            fails(attention::breaks_the_symmetry, "dim=8 offset=2 n=7 permutation=[0,2,1,3,4,5,6]", 3.12e-05,
                  "numbers from 2 to 8 in 8 channels outweigh the content: every query sees the last key and "
                  "hardly another",
                  {.all = {{"dim", {8.0}}}}),
            holds(attention::is_causal),
            fails(attention::keeps_constant_sequences_constant, "dim=1 n=2 mask=causal x=[0]", 0.731,
                  "the code is added to the values: 0, then a mean of 0 and 1"),
            fails(attention::has_the_symmetry_of_its_mask, "dim=2 n=2 mask=none permutation=[1,0] x=[0*4]",
                  0.304,
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
