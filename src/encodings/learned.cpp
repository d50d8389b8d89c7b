#include <algorithm>
#include <cmath>

#include "catalogue/encodings/learned.h"
#include "catalogue/oracle/learned.h"
#include "catalogue/properties/attention/breaks_the_symmetry.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/table/distance_depends_on_offset.h"
#include "catalogue/properties/table/distinguishes_neighbours_in_bf16.h"
#include "catalogue/properties/table/distinguishes_neighbours_in_f16.h"
#include "catalogue/properties/table/dot_product_depends_on_offset.h"
#include "catalogue/properties/table/has_bounded_entries.h"
#include "catalogue/properties/table/has_constant_norm.h"
#include "catalogue/properties/table/has_different_dot_products_near_and_far.h"
#include "catalogue/properties/table/has_distinct_positions.h"
#include "catalogue/properties/table/has_one_shift_for_all_lengths.h"
#include "catalogue/properties/table/shifts_base_by_a_rotation.h"
#include "catalogue/properties/table/translates_by_a_rotation.h"
#include "core/declare.h"
#include "core/outside.h"
#include "encodings/facts.h"
#include "encodings/seeded.h"

namespace posproof::encodings_learned {
namespace {

// A number of the table is kept and its product rounded: 2 units of what is kept in the answer's format. The
// root is rounded, and so is its reciprocal: 2 more of what is worked in.
double scaled_entry_error(double entry, const Precision& p) {
  return (2 * std::max(p.result, p.table()) + 2 * p.work()) * std::abs(entry);
}

Encoding make(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const bool index = p.is("table", "index");
  const auto seed = static_cast<std::uint64_t>(p.whole("table_seed"));
  const double deviation = p.real("std");
  const std::int64_t offset = p.whole("offset");
  const std::int64_t padding_row = p.whole("padding_row");
  Position first = std::max<Position>(-offset, 0);
  const Position last = p.whole("length") - 1 - offset;
  // Padding has a position of its own, before the first: it is asked for, too.
  if (padding_row >= 0) first = std::min(first, padding_row - offset);

  const bool scaled = p.is("scale", "inverse_root_of_dim");
  const long double root = std::sqrt(static_cast<long double>(dim));

  Table table{.dim = dim, .positions = {first, last}, .offset = static_cast<double>(offset)};
  table.positions.ends = true;
  table.rows = [=](std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r) {
      refuse_outside(positions[r], first, last);
      for (std::size_t c = 0; c < dim; ++c) {
        const std::uint64_t entry = static_cast<std::uint64_t>(positions[r] + offset) * dim + c;
        if (positions[r] + offset == padding_row) continue;
        const double number = index ? static_cast<double>(entry) : seeded(seed, entry, deviation);
        rows.at(r, c) = scaled ? static_cast<double>(static_cast<long double>(number) / root) : number;
      }
    }
    return rows;
  };
  if (scaled) table.error = scaled_entry_error;
  return table;
}

using namespace properties;

const Condition numbered{{{"table", {"index"}}, {"padding_row", {-1.0}}, {"scale", {"none"}}}};
const Condition drawn{{{"table", {"seeded"}}}};
const Condition no_padding{{{"padding_row", {-1.0}}}};
const Condition drawn_unscaled{{{"table", {"seeded"}}, {"padding_row", {-1.0}}, {"scale", {"none"}}}};

}  // namespace

const EncodingSpec entry{
    .summary = "a row of a trained table for each position up to its end",
    .formula = "p_t = E[t + offset], or that over sqrt(dim)",
    .source = "Gehring et al. 2017; Devlin et al. 2018, BERT, section 3; Radford et al. 2019, GPT-2",
    .parameters =
        {.all = {whole("dim", type::any_width, 64, {1, 2, 3, 8, 64}, "width of a row", "channels"),
                 whole("length", type::any_width, 512, {4, 17, 512},
                       "length of the table: the last position is length - 1 - offset", "rows"),
                 of_words("table", {"index", "seeded"},
                          "what stands for the trained numbers: index (row * dim + column), seeded (uniform, "
                          "of mean 0)"),
                 where(drawn,
                       whole("table_seed", type::any_whole, 1, {1, 2}, "seed of the table [length, dim]")),
                 where(drawn, above_0("std", 0.02, {0.02, 1}, "standard deviation of the table's entries")),
                 convention("scale", {"none", "inverse_root_of_dim"},
                            "what multiplies every row: none, inverse_root_of_dim (x-transformers' "
                            "AbsolutePositionalEmbedding)"),
                 disputed(whole("offset", type::any_whole, 0, {0, 1, 2},
                                "row of position 0, the first that is used: OPT 2, RoBERTa padding_idx + 1",
                                "rows")),
                 disputed(whole("padding_row", {-1, type::any_width.hi - 1}, -1, {-1, 1},
                                "row that is all 0, nn.Embedding's padding_idx; positions begin at "
                                "padding_row - offset, that of padding, where it is before 0; -1 for none",
                                "rows"))},
         .relations = {{{"offset", "length"},
                        "offsets below the length",
                        [](const Arguments& p) { return p.whole("offset") < p.whole("length"); }},
                       {{"padding_row", "length"},
                        "rows below the length",
                        [](const Arguments& p) { return p.whole("padding_row") < p.whole("length"); }}}},
    .reference = &make,
    .exact = &oracle::learned,
    .facts = {{&facts::is_added_to_the_tokens},
              {&facts::depends_on_position_alone},
              {&facts::distinguishes_positions, no_padding, {&attention::breaks_the_symmetry}},
              {&facts::has_rows_0_and_1_first, numbered},
              {&facts::has_rows_that_are_positions, numbered},
              {&facts::moves_rigidly, numbered},
              {&facts::ends}},
    .witnesses =
        {
            fails(table::has_bounded_entries, "dim=1 t=2 n=3", 1,
                  "trained entries have no bound: here row 2 holds 2"),
            fails(table::has_constant_norm, "dim=1 s=0 t=1", 1,
                  "rows of a trained table may have any norms: here 0 and 1"),
            fails(table::translates_by_a_rotation, "dim=1 k=1 s=0 t=1",
                  1.41, "no rotation maps the rows 0 and 1 to 1 and 2: their norms differ"),
            fails(table::shifts_base_by_a_rotation, "dim=1 n=2 c=1",
                  1.41, "no rotation maps the rows 0 and 1 to 1 and 2: their norms differ"),
            fails(table::dot_product_depends_on_offset, "dim=1 k=1 s=0 t=1", 2, "0 x 1 = 0 and 1 x 2 = 2"),
            fails(table::distinguishes_neighbours_in_bf16, "dim=1 t=256 n=258", 1,
                  "rows 256 and 257 hold those numbers, and 257 is not a bf16"),
            fails(table::has_different_dot_products_near_and_far, "dim=1 k=5 t=2 n=4 u=1 far=7", 1,
                  "2 x 3 = 1 x 6"),
            fails(
                attention::has_the_symmetry_of_its_mask, "dim=2 n=2 mask=none permutation=[1,0] x=[0*4]",
                0.389,
                "two equal tokens without a mask have different answers: both favour row 1, the second one more"),
        },
    .claims =
        {
            fails(table::distinguishes_neighbours_in_f16, "dim=1 length=2050 t=2048 n=2050", 1,
                  "rows 2048 and 2049 hold those numbers, and 2049 is not an f16"),
            holds(table::has_bounded_entries, {.all = {{"table", {"seeded"}}, {"std", {0.02}}}}),
            holds(table::has_different_dot_products_near_and_far, drawn_unscaled),
            fails(table::has_distinct_positions, "dim=1 length=4 padding_row=1 k=1 t=0", 1,
                  "the table of row numbers holds 0 in row 0 as well",
                  {{{"table", {"index"}}, {"padding_row", {1.0}}}}),
            fails(table::distance_depends_on_offset, "dim=1 table=seeded k=1 s=0 t=1", 0.00453,
                  "rows are drawn independently: the distance of 0 and 1 is not that of 1 and 2"),
            fails(table::has_one_shift_for_all_lengths, "dim=1 table=seeded k=1 t=0 u=1 n=3 far=4", 0.00453,
                  "no rigid motion maps independently drawn rows to the next ones"),
            holds(attention::breaks_the_symmetry,
                  {.all = {{"table", {"seeded"}}, {"dim", {8.0, 64.0}}, {"scale", {"none"}}}}),
            fails(attention::breaks_the_symmetry, "dim=1 table=seeded table_seed=2 n=4 permutation=[3,1,2,0]",
                  4.78e-05,
                  "two rows of one channel may hold nearly the same number, as rows 0 and 3 do here"),
            fails(
                attention::breaks_the_symmetry, "dim=64 n=3 permutation=[1,0,2]", 0.000488,
                "the entries, row * 64 + column, outweigh all content: every query attends to the last key alone"),
        },
};

}  // namespace posproof::encodings_learned
