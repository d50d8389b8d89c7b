#include <algorithm>
#include <cmath>

#include "catalogue/encodings/decomposed_relative.h"
#include "catalogue/oracle/decomposed_relative.h"
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
#include "encodings/facts.h"
#include "encodings/inside_attention.h"

namespace posproof::encodings_decomposed_relative {
namespace {

using namespace inside;

// Where the rows of an axis stand in the table of all, and the last number of that axis.
struct Axis {
  Position begin, last;
  Position row(Position offset) const { return begin + last + std::clamp(offset, -last, last); }
};

std::vector<Axis> axes_of(const Arguments& p) {
  std::vector<Axis> out;
  Position begin = 0;
  for (const double extent : p.list("grid")) {
    out.push_back({begin, static_cast<Position>(extent) - 1});
    begin += 2 * out.back().last + 1;
  }
  return out;
}

Position rows_of(const std::vector<Axis>& axes) {
  return axes.back().begin + 2 * axes.back().last + 1;
}

Encoding make(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const std::vector<Axis> axes = axes_of(p);
  const bool from_key = p.is("relative", "query_minus_key"), scaled = p.is("query", "scaled"),
             classed = p.is("class_token", "apart");
  const Tensor table = trained(static_cast<std::size_t>(rows_of(axes)), dim, p.whole("table_seed"));

  Contextual relative = contextual_on_a_grid(
      dim, 1, axes.size(),
      [=](std::span<const double> q, std::span<const double> k, Coordinates i, Coordinates j, std::size_t) {
        const Real content = dot(q, k) / root(dim);
        if (classed && std::min(std::ranges::min(i), std::ranges::min(j)) < 0) return content;
        Real met = 0;
        for (std::size_t axis = 0; axis < axes.size(); ++axis) {
          const Position offset = from_key ? i[axis] - j[axis] : j[axis] - i[axis];
          met += dot(q, table.row(static_cast<std::size_t>(axes[axis].row(offset))));
        }
        return content + (scaled ? met / root(dim) : met);
      });
  for (const Axis& axis : axes) relative.positions.last_on_axis.push_back(axis.last);
  relative.positions.hi = std::ranges::max(relative.positions.last_on_axis);
  if (classed) relative.positions.lo = -1;
  relative.error = BoundOf<Contextual>(&oracle::decomposed_relative, p);
  return relative;
}

bool two_or_three_extents(const Arguments& p) {
  const auto& grid = p.list("grid");
  return grid.size() >= 2 && std::ranges::all_of(grid, [](double x) { return x >= 1 && x == std::floor(x); });
}

using namespace properties;

const Condition no_class{{{"class_token", {"none"}}}}, with_class{{{"class_token", {"apart"}}}};

}  // namespace

const EncodingSpec entry{
    .summary =
        "the query times a trained vector for its offset from the key, one vector for each axis of a grid",
    .formula =
        "s(q,k; i,j) = q.k / sqrt(dim) + q.R_h[y_i - y_j] + q.R_w[x_i - x_j]; scaled: all over sqrt(dim)",
    .source =
        "Li et al. 2022, MViTv2: Improved Multiscale Vision Transformers for Classification and Detection, eq. "
        "4 and 5, where the query is scaled; the code of MViTv2, of ViTDet (Li et al. 2022) and of Segment "
        "Anything (Kirillov et al. 2023, image_encoder.py, add_decomposed_rel_pos), where it is not; "
        "key_minus_query: Bello et al. 2019, Attention Augmented Convolutional Networks, eq. 4",
    .parameters =
        {.all =
             {whole("dim", type::any_width, 64, {1, 2, 4}, "width of a head", "channels"),
              {"grid",
               type::List{3},
               std::vector<double>{14, 14},
               {std::vector<double>{14, 14}, std::vector<double>{5, 3}, std::vector<double>{2, 5, 3}},
               "extent g of each axis, whose table has 2 g - 1 rows: [rows, columns] or [time, rows, columns]",
               "positions"},
              convention("relative", {"query_minus_key", "key_minus_query"},
                         "direction of the offset; the first row of a table is that of its smallest"),
              convention("query", {"unscaled", "scaled"},
                         "which meets the tables: unscaled (the codes of MViTv2, ViTDet and Segment "
                         "Anything), scaled by 1/sqrt(dim) (the paper of MViTv2, BoTNet)"),
              convention("class_token", {"none", "apart"},
                         "apart: a token with a negative number is a class token, which meets no table as "
                         "query or as key (MViTv2)"),
              whole("table_seed", type::any_whole, 1, {1, 2},
                    "seed of the tables, [2 g - 1, dim] one after the other")},
         .relations = {{{"grid"}, "two or three whole numbers from 1", &two_or_three_extents},
                       {{"grid", "dim"},
                        "tables of up to 4194304 numbers",
                        [](const Arguments& p) {
                          double rows = 0;
                          for (const double extent : p.list("grid")) rows += 2 * extent - 1;
                          return rows * static_cast<double>(p.width("dim")) <= 0x1p22;
                        }}}},
    .reference = &make,
    .exact = &oracle::decomposed_relative,
    .facts = {{&facts::acts_on_logits_alone},
              {&facts::depends_on_offset_alone, no_class},
              {&facts::distinguishes_positions}},
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
