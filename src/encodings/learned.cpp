#include "catalogue/encodings.h"
#include "catalogue/properties.h"
#include "encodings/checked.h"
#include "encodings/seeded.h"
#include "oracle/oracle.h"

namespace posproof {
namespace {

Encoding make(const Parameters& parameters) {
  const std::size_t dim = checked::width(parameters, "dim");
  const std::int64_t length = checked::whole(parameters, "length", 1, 1 << 20);
  const bool index = checked::one_of(parameters, "table", {"index", "seeded"}) == "index";
  const auto seed =
      static_cast<std::uint64_t>(checked::whole(parameters, "table_seed", 0, (std::int64_t{1} << 32) - 1));
  const double deviation = checked::positive(parameters, "std");
  const std::int64_t offset = checked::whole(parameters, "offset", 0, length - 1);

  Table table{.dim = dim, .positions = {0, length - 1 - offset}, .offset = static_cast<double>(offset)};
  table.positions.ends = true;
  table.rows = [=, last = table.positions.hi](std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r) {
      checked::position(positions[r], 0, last);
      for (std::size_t c = 0; c < dim; ++c) {
        const std::uint64_t entry = static_cast<std::uint64_t>(positions[r] + offset) * dim + c;
        rows.at(r, c) = index ? static_cast<double>(entry) : seeded(seed, entry, deviation);
      }
    }
    return rows;
  };
  return table;
}

using namespace properties;

}  // namespace

const EncodingSpec encodings::learned{
    .summary = "a row of a trained table for each position up to its end",
    .formula = "p_t = E[t + offset]",
    .source = "Gehring et al. 2017; Devlin et al. 2018, BERT, section 3; Radford et al. 2019, GPT-2",
    .parameters =
        {{"dim", 64.0, {1.0, 2.0, 3.0, 8.0, 64.0}, "width of a row, channels"},
         {"length", 512.0, {4.0, 17.0, 512.0}, "rows of the table"},
         {"table",
          "index",
          {"index", "seeded"},
          "what stands for the trained numbers: index (row * dim + column), seeded (uniform, of mean 0)"},
         {"table_seed", 1.0, {1.0, 2.0}, "of the table `seeded`"},
         {"std", 0.02, {0.02, 1.0}, "standard deviation of the table `seeded`"},
         {"offset", 0.0, {0.0, 1.0, 2.0}, "first row that is used: OPT 2, RoBERTa padding_idx + 1", true}},
    .make = &make,
    .oracle = &oracle::learned,
    .claims =
        {
            holds(table::is_prefix_stable),
            holds(table::does_not_depend_on_length),
            holds(table::has_a_step_that_does_not_depend_on_length),
            holds(table::keeps_similarity_across_lengths),
            holds(table::has_distinct_positions),
            holds(table::is_defined_for_one_token),
            holds(table::distinguishes_neighbours_in_f16, {.all = {{"table", {"index"}}}}),
            holds(table::has_bounded_entries, {.all = {{"table", {"seeded"}}, {"std", {0.02}}}}),
            holds(table::distance_depends_on_offset, {.all = {{"table", {"index"}}}}),
            holds(table::has_one_shift_for_all_lengths, {.all = {{"table", {"index"}}}}),
            holds(table::distinguishes_neighbours_from_distant_tokens, {.all = {{"table", {"seeded"}}}}),
            fails(table::has_bounded_entries, "dim=1 t=2 n=3", 1,
                  "nothing bounds what training writes into a table: row 2 holds 2"),
            fails(table::has_constant_norm, "dim=1 s=0 t=1", 1,
                  "rows of a table have the norms they have: 0 and 1"),
            fails(table::translates_by_a_rotation, "dim=1 k=1 s=0 t=1", 1.41,
                  "no rotation carries (0, 1) to (1, 2)"),
            fails(table::shifts_base_by_a_rotation, "dim=1 n=2 c=1", 1.41,
                  "no rotation carries (0, 1) to (1, 2)"),
            fails(table::dot_product_depends_on_offset, "dim=1 k=1 s=0 t=1", 2, "0 x 1 = 0 and 1 x 2 = 2"),
            fails(table::distance_depends_on_offset, "dim=1 table=seeded k=1 s=0 t=1", 0.00453,
                  "rows that were drawn independently know nothing of their distance"),
            fails(table::has_one_shift_for_all_lengths, "dim=1 table=seeded k=1 t=0 u=1 n=3 far=4", 0.00453,
                  "no rigid motion carries rows that were drawn independently"),
            fails(table::distinguishes_neighbours_in_bf16, "dim=1 t=256 n=258", 1,
                  "rows 256 and 257 hold those numbers, and 257 is not a bf16"),
            fails(table::distinguishes_neighbours_from_distant_tokens, "dim=1 k=5 t=2 n=4 u=1 far=7", 1,
                  "2 x 3 = 1 x 6"),
            holds(score::depends_on_order),
            fails(score::depends_on_offset, "dim=1 q=[0] k=[0] i=1 j=0 t=1", 2, "1 x 0 = 0 and 2 x 1 = 2"),
            fails(score::decays_with_distance, "dim=1 q=[-2] i=1 far=1 near=0", 1,
                  "(-2 + 1)(-2 + 0) > (-2 + 1)(-2 + 1)"),
            holds(attention::breaks_the_symmetry, {.all = {{"table", {"seeded"}}, {"dim", {8.0, 64.0}}}}),
            fails(attention::breaks_the_symmetry, "dim=1 table=seeded table_seed=2 n=4 permutation=[3,1,2,0]",
                  4.78e-05,
                  "two rows of one channel may hold nearly the same number, as rows 0 and 3 do here"),
            fails(attention::breaks_the_symmetry, "dim=64 n=3 permutation=[1,0,2]", 0.000488,
                  "row numbers of 64 channels outweigh all content: every query sees the last key alone"),
            holds(attention::is_causal),
            fails(attention::keeps_constant_sequences_constant, "dim=1 n=2 mask=causal x=[0]", 0.731,
                  "the code is added to the values: 0, then a mean of 0 and 1"),
            fails(attention::has_the_symmetry_of_its_mask, "dim=2 n=2 mask=none permutation=[1,0] x=[0*4]",
                  0.389,
                  "no mask, equal tokens, and the two answers differ: each leans to row 1, the second one "
                  "more"),
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
            holds(call::refuses_out_of_range),
        },
};

}  // namespace posproof
