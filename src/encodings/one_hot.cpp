#include "catalogue/encodings/one_hot.h"
#include "catalogue/oracle/one_hot.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/keeps_constant_sequences_constant.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/score/decays_with_distance.h"
#include "catalogue/properties/score/depends_on_offset.h"
#include "catalogue/properties/table/has_different_dot_products_near_and_far.h"
#include "core/declare.h"
#include "core/outside.h"
#include "encodings/facts.h"

namespace posproof::encodings_one_hot {
namespace {

Encoding make(const Arguments& p) {
  const std::size_t dim = p.width("dim");

  Table table{.dim = dim, .positions = {0, static_cast<Position>(dim) - 1}};
  table.positions.ends = true;
  table.rows = [dim, last = table.positions.hi](std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r) {
      refuse_outside(positions[r], 0, last);
      rows.at(r, static_cast<std::size_t>(positions[r])) = 1;
    }
    return rows;
  };
  return table;
}

using namespace properties;

}  // namespace

const EncodingSpec entry{
    .summary = "a channel of its own for each position",
    .formula = "p_t = e_t",
    .source = "the table behind every learned encoding: a linear layer on e_t is a row of its weights",
    .parameters = {{whole("dim", type::any_width, 64, {1, 2, 3, 8, 64},
                          "width of a row and number of positions", "channels")}},
    .reference = &make,
    .exact = &oracle::one_hot,
    .facts = {{&facts::is_added_to_the_tokens},
              {&facts::depends_on_position_alone},
              {&facts::distinguishes_positions},
              {&facts::takes_steps_that_bf16_shows},
              {&facts::moves_rigidly},
              {&facts::moves_by_rotations},
              {&facts::ends}},
    .witnesses =
        {
            fails(score::depends_on_offset, "dim=2 q=[0,0] k=[1,0] i=0 j=0 t=1", 1,
                  "e_0.(e_0 + e_0) = 2 and e_1.(e_0 + e_1) = 1"),
            fails(score::decays_with_distance, "dim=3 q=[1,0,0] i=2 far=2 near=1", 1,
                  "the content favours position 0: q.e_0 = 1 and q.e_1 = 0"),
            fails(attention::keeps_constant_sequences_constant, "dim=2 n=2 mask=causal x=[0,0]", 0.67,
                  "the row is added to the values: the answers are e_0, then a mean of e_0 and e_1"),
            fails(attention::has_the_symmetry_of_its_mask, "dim=2 n=2 mask=none permutation=[1,0] x=[0*4]",
                  0.34,
                  "two equal tokens without a mask have different answers: each favours its own position"),
            fails(attention::permutation_equivariant, "dim=2 n=2 permutation=[1,0] mask=none x=[0*4]", 0.34,
                  "exchanging two equal tokens changes nothing, but their answers differ"),
            fails(attention::pooled_readout_invariant, "dim=2 n=2 permutation=[1,0] x=[1,0,0,0]", 0.304,
                  "the token is added to e_0, then to e_1"),
            fails(attention::query_order_equivariant,
                  "dim=2 queries=2 keys=2 permutation=[1,0] q=[0*4] k=[0*4]", 0.34,
                  "equal queries at 0 and 1 each favour the key at their own position"),
            fails(attention::key_order_invariant,
                  "dim=2 queries=1 keys=2 permutation=[1,0] q=[0,0] k=[1,0,0,0]", 0.304,
                  "the key is added to e_0, then to e_1"),
        },
    .claims =
        {
            fails(table::has_different_dot_products_near_and_far, "dim=3 k=2 t=0 n=2 u=0 far=3", 1,
                  "any two rows are orthogonal, near or far"),
        },
};

}  // namespace posproof::encodings_one_hot
