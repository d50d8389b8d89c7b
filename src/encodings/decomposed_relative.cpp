#include <algorithm>
#include <cmath>

#include "catalogue/encodings/decomposed_relative.h"
#include "catalogue/oracle/decomposed_relative.h"
#include "catalogue/properties/attention/breaks_the_symmetry.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/contextual/adds_content_and_position.h"
#include "catalogue/properties/contextual/saturates.h"
#include "catalogue/properties/score/decays_with_distance.h"
#include "catalogue/properties/score/depends_on_offset.h"
#include "core/declare.h"
#include "encodings/decomposed.h"
#include "encodings/facts.h"

namespace posproof::encodings_decomposed_relative {
namespace {

using namespace inside;

Encoding make(const Arguments& p) {
  const std::vector<DecomposedAxis> axes = decomposed_axes(p);
  Contextual relative = decomposed_logits(
      p, [axes, rows = decomposed_rows(p, axes)](std::span<const double> q, std::span<const double>,
                                                 Coordinates i, Coordinates j) {
        Real met = 0;
        for (std::size_t axis = 0; axis < axes.size(); ++axis)
          met += dot(q, rows[axes[axis].row(i[axis], j[axis])]);
        return met;
      });
  for (const DecomposedAxis& axis : axes) relative.positions.last_on_axis.push_back(axis.finer() - 1);
  relative.positions.hi = std::ranges::max(relative.positions.last_on_axis);
  if (p.is("class_token", "apart")) relative.positions.lo = -1, relative.positions.class_token = -1;
  relative.error = BoundOf<Contextual>(&oracle::decomposed_relative, p);
  return relative;
}

bool are_whole_from_1(const std::vector<double>& numbers) {
  return std::ranges::all_of(numbers, [](double x) { return x >= 1 && x == std::floor(x); });
}

bool two_or_three_extents(const Arguments& p) {
  return p.list("grid").size() >= 2 && are_whole_from_1(p.list("grid"));
}

bool as_many_extents_of_keys(const Arguments& p) {
  const auto& keys = p.list("key_grid");
  return keys.empty() || (keys.size() == p.list("grid").size() && are_whole_from_1(keys));
}

bool as_many_tables(const Arguments& p) {
  const auto& rows = p.list("table_rows");
  return rows.size() == p.list("grid").size() && are_whole_from_1(rows);
}

bool tables_that_are_long_enough(const Arguments& p) {
  const std::vector<DecomposedAxis> axes = decomposed_axes(p);
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    if (p.list("table_rows")[axis] < static_cast<double>(axes[axis].rows())) return false;
  return true;
}

bool tables_that_fit_into_memory(const Arguments& p) {
  double rows = 0;
  for (std::size_t axis = 0; axis < p.list("grid").size(); ++axis) {
    const double queries = p.list("grid")[axis],
                 keys = p.list("key_grid").empty() ? 0 : p.list("key_grid")[axis],
                 trained = p.is("table", "fitting") ? 0 : p.list("table_rows")[axis];
    rows += std::max(2 * std::max(queries, keys) - 1, trained);
  }
  return rows * static_cast<double>(p.width("dim")) <= 0x1p22;
}

using namespace properties;

const std::vector<double> as_of_queries = {}, of_their_own = {3, 5};
const Condition of_offsets{{{"class_token", {"none"}}, {"key_grid", {as_of_queries}}}},
    with_class{{{"class_token", {"apart"}}}}, on_two_grids{{{"key_grid", {of_their_own}}}},
    not_fitting{{{"table", {"linear", "first_rows"}}}};

}  // namespace

const EncodingSpec entry{
    .summary =
        "the query times a trained vector for its offset from the key, one vector for each axis of a grid",
    .formula =
        "s(q,k; i,j) = q.k / sqrt(dim) + q.R_h[y_i - y_j] + q.R_w[x_i - x_j]; scaled: all over sqrt(dim); key_grid: "
        "R[floor(i max(g_k/g_q, 1) + (g_k - 1 - j) max(g_q/g_k, 1))] on each axis, R from its first row on",
    .source =
        "Li et al. 2022, MViTv2: Improved Multiscale Vision Transformers for Classification and Detection, decomposed "
        "relative position embeddings, where the query is scaled; the code of MViTv2, of ViTDet (Li et al. 2022) and of Segment "
        "Anything (Kirillov et al. 2023, image_encoder.py, add_decomposed_rel_pos and get_rel_pos), where it is not; "
        "key_minus_query: Bello et al. 2019, Attention Augmented Convolutional Networks, eq. 3",
    .parameters =
        {.all =
             {whole("dim", type::any_width, 64, {1, 2, 4}, "width of a head", "channels"),
              {"grid",
               type::List{3},
               std::vector<double>{14, 14},
               {std::vector<double>{14, 14}, std::vector<double>{5, 3}, std::vector<double>{2, 5, 3}},
               "extent g of each axis, whose table has 2 g - 1 rows, g of the finer grid: [rows, columns] or "
               "[time, rows, columns]",
               "positions"},
              {"key_grid",
               type::List{3},
               as_of_queries,
               {as_of_queries, of_their_own},
               "extents of the grid of keys where keys are pooled by themselves (MViTv2); empty: as grid. A "
               "position is then a place t on the finer grid f of an axis, where token t g / f, rounded down, "
               "of a grid of g stands",
               "positions"},
              convention("relative", {"query_minus_key", "key_minus_query"},
                         "direction of the offset; the first row of a table is that of its smallest"),
              convention("query", {"unscaled", "scaled"},
                         "which meets the tables: unscaled (the codes of MViTv2, ViTDet and Segment "
                         "Anything), scaled by 1/sqrt(dim) (the paper of MViTv2, BoTNet)"),
              convention("class_token", {"none", "apart"},
                         "apart: a token with a negative number is a class token, which meets no table as "
                         "query or as key (MViTv2)"),
              convention(
                  "table", {"fitting", "linear", "first_rows"},
                  "of 2 g - 1 rows: fitting: trained with as many; linear: interpolated from "
                  "table_rows, entries being squares (ViTDet, Segment Anything, the code of MViTv2 for "
                  "video); first_rows: the first of a longer table (the code of MViTv2 for images)"),
              where(not_fitting, {"table_rows",
                                  type::List{3},
                                  std::vector<double>{27, 27},
                                  {std::vector<double>{11, 9}, std::vector<double>{4, 6}},
                                  "rows of the trained table of each axis",
                                  "rows"}),
              whole("table_seed", type::any_whole, 1, {1, 2},
                    "seed of the trained tables, [rows, dim] one after the other")},
         .relations = {{{"grid"}, "two or three whole numbers from 1", &two_or_three_extents},
                       {{"key_grid", "grid"},
                        "none, or as many whole numbers from 1 as grid has",
                        &as_many_extents_of_keys},
                       {{"table_rows", "grid"},
                        "as many whole numbers from 1 as grid has",
                        &as_many_tables,
                        not_fitting},
                       {{"table_rows", "grid", "key_grid"},
                        "at least 2 g - 1 rows",
                        &tables_that_are_long_enough,
                        {{{"table", {"first_rows"}}}}},
                       {{"grid", "dim"}, "tables of up to 4194304 numbers", &tables_that_fit_into_memory}}},
    .reference = &make,
    .exact = &oracle::decomposed_relative,
    .facts = {{&facts::acts_on_logits_alone},
              {&facts::depends_on_offset_alone, of_offsets},
              {&facts::distinguishes_positions, {}, {&attention::breaks_the_symmetry}}},
    .witnesses =
        {
            fails(attention::has_the_symmetry_of_its_mask,
                  "dim=2 axis=0 n=2 mask=none permutation=[1,0] x=[1,0*3]", 0.266,
                  "keys before a query meet other rows of the table than keys after it"),
            fails(attention::permutation_equivariant,
                  "dim=2 axis=0 n=2 permutation=[1,0] mask=none x=[1,0*3]", 0.266,
                  "keys before a query meet other rows of the table than keys after it"),
            fails(attention::pooled_readout_invariant, "dim=2 axis=0 n=2 permutation=[1,0] x=[1,0*3]", 0.133,
                  "the later of two keys meets another row than the earlier"),
            fails(attention::query_order_equivariant,
                  "dim=2 axis=0 queries=2 keys=2 permutation=[1,0] q=[1,0*3] k=[1,0*3]", 0.59,
                  "the offsets depend on the query's position"),
            fails(attention::key_order_invariant,
                  "dim=2 axis=0 queries=1 keys=2 permutation=[1,0] q=[1,0] k=[1,0*3]", 0.76,
                  "moving a key changes the row that its offset meets"),
        },
    .claims =
        {
            holds(attention::breaks_the_symmetry, {{{"key_grid", {as_of_queries}}}}),
            fails(attention::breaks_the_symmetry,
                  "dim=1 grid=[14,14] key_grid=[3,5] axis=0 n=3 permutation=[1,0,2]", 0.000488,
                  "the first three places of rows are one key: its row is the same for all", on_two_grids),
            fails(score::depends_on_offset, "dim=1 grid=[5,3] key_grid=[3,5] axis=0 q=[1] k=[0] i=0 j=0 t=1",
                  0.854, "one place on, the query is another one and the key the same", on_two_grids),
            fails(contextual::saturates, "dim=1 grid=[5,3] axis=0 side=past q=[1] k=[0]", 1.23,
                  "inside the grid no offset is held: each has a row of its own"),
            fails(contextual::adds_content_and_position,
                  "dim=1 grid=[5,3] axis=0 i=0 j=0 a=0 b=1 q=[1] k=[0]", 0.854,
                  "the row of the offset is multiplied with the query"),
            fails(
                score::decays_with_distance, "dim=2 grid=[5,3] axis=0 q=[1,0] i=4 far=2 near=1", 2.76,
                "trained rows are not ordered by distance: that of offset 2 gives a larger logit than that of 1"),
            fails(score::depends_on_offset,
                  "dim=1 grid=[5,3] class_token=apart axis=0 q=[1] k=[0] i=-1 j=-1 t=1", 1.72,
                  "a class token meets no row, a token one step on that of offset 0", with_class),
        },
};

}  // namespace posproof::encodings_decomposed_relative
