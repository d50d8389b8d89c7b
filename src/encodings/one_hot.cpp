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

namespace table = properties::table;

}  // namespace

const EncodingSpec encodings::one_hot{
    .summary = "a channel of its own for each position",
    .formula = "p_t = e_t",
    .source = "the table behind every learned encoding: a linear layer on e_t is a row of its weights",
    .parameters = {{"dim",
                    64.0,
                    {1.0, 2.0, 3.0, 8.0, 64.0},
                    "width of the code, channels; also the number of positions"}},
    .make = &make,
    .oracle = &oracle::one_hot,
    .claims =
        {
            holds(table::appending_a_token_moves_no_code),
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
            holds(table::tells_neighbours_apart_in_bf16),
            holds(table::tells_neighbours_apart_in_fp16),
            holds(table::translates_by_a_rotation),
            fails(table::tells_neighbours_from_distant_tokens, "dim=3 k=2 t=0 n=2 u=0 far=3", 1,
                  "any two codes are orthogonal: no nearness at all"),
            holds(properties::call::agrees_in_chunks),
            holds(properties::call::forgets_history),
            holds(properties::call::takes_positions_in_any_order),
            holds(properties::call::refuses_out_of_range),
        },
};

}  // namespace posproof
