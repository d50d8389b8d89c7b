#include "catalogue/encodings.h"
#include "catalogue/properties.h"
#include "encodings/checked.h"
#include "oracle/oracle.h"

namespace posproof {
namespace {

Encoding make(const Parameters& parameters) {
  const std::size_t dim = checked::width(parameters, "dim");

  Table table{.dim = dim, .positions = {0, static_cast<Position>(dim) - 1}};
  table.positions.ends = true;
  table.rows = [dim, last = table.positions.hi](std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r) {
      checked::position(positions[r], 0, last);
      rows.at(r, static_cast<std::size_t>(positions[r])) = 1;
    }
    return rows;
  };
  return table;
}

using namespace properties;

}  // namespace

const EncodingSpec encodings::one_hot{
    .summary = "a channel of its own for each position",
    .formula = "p_t = e_t",
    .source = "the table behind every learned encoding: a linear layer on e_t is a row of its weights",
    .parameters =
        {{"dim", 64.0, {1.0, 2.0, 3.0, 8.0, 64.0}, "width of a row, channels; also the number of positions"}},
    .make = &make,
    .oracle = &oracle::one_hot,
    .claims =
        {
            holds(table::is_prefix_stable),
            holds(table::does_not_depend_on_length),
            holds(table::has_a_step_that_does_not_depend_on_length),
            holds(table::keeps_similarity_across_lengths),
            holds(table::distance_depends_on_offset),
            holds(table::dot_product_depends_on_offset),
            holds(table::has_bounded_entries),
            holds(table::has_constant_norm),
            holds(table::has_distinct_positions),
            holds(table::has_one_shift_for_all_lengths),
            holds(table::is_defined_for_one_token),
            holds(table::shifts_base_by_a_rotation),
            holds(table::distinguishes_neighbours_in_bf16),
            holds(table::distinguishes_neighbours_in_f16),
            holds(table::translates_by_a_rotation),
            fails(table::distinguishes_neighbours_from_distant_tokens, "dim=3 k=2 t=0 n=2 u=0 far=3", 1,
                  "any two codes are orthogonal: no nearness at all"),
            holds(score::depends_on_order),
            fails(score::depends_on_offset, "dim=2 q=[0,0] k=[1,0] i=0 j=0 t=1", 1,
                  "e_0.(e_0 + e_0) = 2 and e_1.(e_0 + e_1) = 1"),
            fails(score::decays_with_distance, "dim=3 q=[1,0,0] i=2 far=2 near=1", 1,
                  "the content favours place 0: q.e_0 = 1 and q.e_1 = 0"),
            holds(attention::breaks_the_symmetry),
            holds(attention::is_causal),
            fails(attention::keeps_constant_sequences_constant, "dim=2 n=2 mask=causal x=[0,0]", 0.67,
                  "the code is added to the values: e_0, then a mean of e_0 and e_1"),
            fails(attention::has_the_symmetry_of_its_mask, "dim=2 n=2 mask=none permutation=[1,0] x=[0*4]",
                  0.34, "no mask, equal tokens, and the two answers differ: each prefers its own place"),
            fails(attention::permutation_equivariant, "dim=2 n=2 permutation=[1,0] mask=none x=[0*4]", 0.34,
                  "two equal tokens change places and nothing moves, but their answers differ"),
            fails(attention::pooled_readout_invariant, "dim=2 n=2 permutation=[1,0] x=[1,0,0,0]", 0.304,
                  "the token is added to e_0, then to e_1"),
            fails(attention::query_order_equivariant,
                  "dim=2 queries=2 keys=2 permutation=[1,0] q=[0*4] k=[0*4]", 0.34,
                  "equal queries at 0 and 1 prefer the key at their own place"),
            fails(attention::key_order_invariant,
                  "dim=2 queries=1 keys=2 permutation=[1,0] q=[0,0] k=[1,0,0,0]", 0.304,
                  "the key is added to e_0, then to e_1"),
            holds(call::agrees_in_chunks),
            holds(call::is_stateless),
            holds(call::takes_positions_in_any_order),
            holds(call::refuses_out_of_range),
        },
};

}  // namespace posproof
