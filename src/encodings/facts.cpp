#include "encodings/facts.h"

#include "catalogue/properties/attention/breaks_the_symmetry.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/keeps_constant_sequences_constant.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/axes/acts_on_each_axis_alone.h"
#include "catalogue/properties/axes/depends_on_vector_offset.h"
#include "catalogue/properties/bias/depends_on_offset.h"
#include "catalogue/properties/call/refuses_out_of_range.h"
#include "catalogue/properties/rotary/composes.h"
#include "catalogue/properties/rotary/inverts_at_the_opposite_position.h"
#include "catalogue/properties/rotary/is_identity_at_zero.h"
#include "catalogue/properties/rotary/is_linear.h"
#include "catalogue/properties/rotary/preserves_norm.h"
#include "catalogue/properties/rotary/preserves_pair_norms.h"
#include "catalogue/properties/rotary/role_does_not_matter.h"
#include "catalogue/properties/score/decays_with_distance.h"
#include "catalogue/properties/score/depends_on_offset.h"
#include "catalogue/properties/score/depends_on_order.h"
#include "catalogue/properties/table/distance_depends_on_offset.h"
#include "catalogue/properties/table/distinguishes_neighbours_in_bf16.h"
#include "catalogue/properties/table/distinguishes_neighbours_in_f16.h"
#include "catalogue/properties/table/does_not_depend_on_length.h"
#include "catalogue/properties/table/dot_product_depends_on_offset.h"
#include "catalogue/properties/table/has_a_step_that_does_not_depend_on_length.h"
#include "catalogue/properties/table/has_bounded_entries.h"
#include "catalogue/properties/table/has_constant_norm.h"
#include "catalogue/properties/table/has_different_dot_products_near_and_far.h"
#include "catalogue/properties/table/has_distinct_positions.h"
#include "catalogue/properties/table/has_one_shift_for_all_lengths.h"
#include "catalogue/properties/table/is_defined_for_one_token.h"
#include "catalogue/properties/table/is_prefix_stable.h"
#include "catalogue/properties/table/keeps_similarity_across_lengths.h"
#include "catalogue/properties/table/shifts_base_by_a_rotation.h"
#include "catalogue/properties/table/translates_by_a_rotation.h"

namespace posproof {

using namespace properties;

// The output is a mean of values that no position has touched.
const Fact facts::acts_on_logits_alone{
    .name = "acts on the logits alone",
    .claims = {holds(attention::keeps_constant_sequences_constant)},
};

// Values differ where tokens do not; q.p_j changes with j where q stays, and some q prefers the farther row.
const Fact facts::is_added_to_the_tokens{
    .name = "is added to the tokens",
    .claims = {fails(attention::keeps_constant_sequences_constant), fails(score::depends_on_offset),
               fails(score::decays_with_distance)},
};

const Fact facts::depends_on_position_alone{
    .name = "has rows that depend on the position alone",
    .claims = {holds(table::is_prefix_stable), holds(table::does_not_depend_on_length),
               holds(table::has_a_step_that_does_not_depend_on_length),
               holds(table::keeps_similarity_across_lengths), holds(table::is_defined_for_one_token)},
};

const Fact facts::depends_on_offset_alone{
    .name = "depends on the offset of query and key alone",
    .claims = {holds(bias::depends_on_offset), holds(score::depends_on_offset)},
};

// What tells positions apart sees a reordering.
const Fact facts::distinguishes_positions{
    .name = "distinguishes positions",
    .claims = {holds(table::has_distinct_positions), holds(score::depends_on_order),
               holds(attention::breaks_the_symmetry), fails(attention::has_the_symmetry_of_its_mask),
               fails(attention::permutation_equivariant), fails(attention::pooled_readout_invariant),
               fails(attention::query_order_equivariant), fails(attention::key_order_invariant)},
};

// In one channel, of two tokens.
const Fact facts::has_rows_0_and_1_first{
    .name = "has the rows 0 and 1 first",
    .claims =
        {
            fails(attention::keeps_constant_sequences_constant, "dim=1 n=2 mask=causal x=[0]", 0.731,
                  "the row is added to the values: the answers are 0, then a mean of 0 and 1"),
            fails(attention::permutation_equivariant, "dim=1 n=2 permutation=[1,0] mask=none x=[0,0]", 0.231,
                  "two equal tokens are exchanged, but their answers differ: 1/2 and e/(1+e)"),
            fails(attention::pooled_readout_invariant, "dim=1 n=2 permutation=[1,0] x=[1,0]", 0.482,
                  "with their rows, the tokens (1, 0) become (1, 1), and (0, 1) become (0, 2)"),
            fails(attention::query_order_equivariant,
                  "dim=1 queries=2 keys=2 permutation=[1,0] q=[0,0] k=[0,0]", 0.231,
                  "equal queries give 1/2 at position 0 and e/(1+e) at position 1"),
            fails(attention::key_order_invariant, "dim=1 queries=1 keys=2 permutation=[1,0] q=[1] k=[1,0]",
                  0.762, "with their rows, the keys (1, 0) become (1, 1), and (0, 1) become (0, 2)"),
        },
};

// In one channel. Their norms and products grow, and formats stop holding them.
const Fact facts::has_rows_that_are_positions{
    .name = "has rows that are the positions",
    .claims =
        {
            fails(score::depends_on_offset, "dim=1 q=[0] k=[0] i=1 j=0 t=1", 2, "1 x 0 = 0 and 2 x 1 = 2"),
            fails(score::decays_with_distance, "dim=1 q=[-2] i=1 far=1 near=0", 1,
                  "(-2 + 1)(-2 + 0) > (-2 + 1)(-2 + 1)"),
            fails(table::has_bounded_entries),
            fails(table::has_constant_norm),
            fails(table::translates_by_a_rotation),
            fails(table::shifts_base_by_a_rotation),
            fails(table::dot_product_depends_on_offset),
            fails(table::distinguishes_neighbours_in_bf16),
            fails(table::has_different_dot_products_near_and_far),
        },
};

// Two numbers up to 1 that differ by more than 2^-8 stay two numbers in bf16, and in f16.
const Fact facts::takes_steps_that_bf16_shows{
    .name = "has entries up to 1, one of which changes by more than 2^-8 at every step",
    .claims = {holds(table::has_bounded_entries), holds(table::distinguishes_neighbours_in_bf16),
               holds(table::distinguishes_neighbours_in_f16)},
};

const Fact facts::moves_rigidly{
    .name = "moves on by rigid motions",
    .claims = {holds(table::distance_depends_on_offset), holds(table::has_one_shift_for_all_lengths)},
};

const Fact facts::moves_by_rotations{
    .name = "moves on by rotations",
    .claims = {holds(table::has_constant_norm), holds(table::translates_by_a_rotation),
               holds(table::shifts_base_by_a_rotation), holds(table::dot_product_depends_on_offset)},
};

// Angles are linear in the position, which is a vector: R_i^T R_j = R_(j-i).
const Fact facts::rotates_by_each_number{
    .name = "rotates by angles linear in the numbers of a position",
    .claims = {holds(rotary::preserves_norm), holds(rotary::preserves_pair_norms), holds(rotary::composes),
               holds(rotary::inverts_at_the_opposite_position), holds(rotary::is_identity_at_zero),
               holds(rotary::is_linear), holds(rotary::role_does_not_matter),
               holds(axes::depends_on_vector_offset), holds(axes::acts_on_each_axis_alone)},
};

const Fact facts::ends{
    .name = "ends at its last row",
    .claims = {holds(call::refuses_out_of_range)},
};

}  // namespace posproof
