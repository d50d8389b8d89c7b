#include "catalogue/encodings/resized_table.h"

#include <algorithm>
#include <cmath>

#include "catalogue/oracle/resized_table.h"
#include "catalogue/properties/attention/breaks_the_symmetry.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/keeps_constant_sequences_constant.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/score/decays_with_distance.h"
#include "catalogue/properties/score/depends_on_offset.h"
#include "catalogue/properties/score/depends_on_order.h"
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
#include "core/resampling.h"
#include "encodings/facts.h"
#include "encodings/seeded.h"

namespace posproof::encodings_resized_table {
namespace {

using resampling::Axis;
using resampling::Method;

Method method_of(const Arguments& p) {
  if (p.is("method", "linear")) return Method::linear;
  if (p.is("method", "cubic")) return Method::cubic;
  return p.is("method", "first") ? Method::first : Method::centre;
}

Axis axis(const Arguments& p, std::string_view before, std::string_view after) {
  return {.before = p.width(before),
          .after = p.width(after),
          .method = method_of(p),
          .align_corners = p.flag("align_corners"),
          .antialias = p.flag("antialias"),
          .coefficient = p.real("coefficient"),
          .more = p.real("more")};
}

// What stands for the trained rows, those that are kept first.
struct Trained {
  std::size_t dim, kept, height, width;
  std::string table;
  std::uint64_t seed;
  double deviation;

  // Of a mirrored one the left upper quarter, which the others repeat.
  std::size_t repeated(std::size_t row) const {
    if (table != "mirrored" || row < kept) return row;
    const std::size_t y = (row - kept) / width, x = (row - kept) % width;
    return kept + std::min(y, height - 1 - y) * width + std::min(x, width - 1 - x);
  }

  double operator()(std::size_t row, std::size_t channel) const {
    if (table == "constant") return static_cast<double>(channel + 1);
    const std::uint64_t entry = repeated(row) * dim + channel;
    return table == "index" ? static_cast<double>(entry) : seeded(seed, entry, deviation);
  }
};

Encoding make(const Arguments& p) {
  const std::size_t dim = p.width("dim"), kept = p.width("kept_rows");
  const Trained stored{dim,
                       kept,
                       p.width("from_height"),
                       p.width("from_width"),
                       p.word("table"),
                       static_cast<std::uint64_t>(p.whole("table_seed")),
                       p.real("std")};
  // Behind the rows that are kept.
  const resampling::Grid grid{
      axis(p, "from_height", "height"), axis(p, "from_width", "width"),
      [stored, kept](std::size_t row, std::size_t c) { return stored(kept + row, c); }};

  Table table{.dim = dim, .positions = {0, static_cast<Position>(kept + grid.rows()) - 1}};
  table.positions.ends = true;
  table.row_error = [=](std::span<const double> position, std::span<const double> row,
                        const Precision& precision, std::span<double> bound) {
    const auto at = static_cast<std::size_t>(position[0]);
    for (std::size_t c = 0; c < dim; ++c)
      bound[c] =
          at < kept ? 2 * precision.result * std::abs(row[c]) : grid.error(at - kept, c, row[c], precision);
  };
  table.rows = [=, last = table.positions.hi](std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r) {
      refuse_outside(positions[r], 0, last);
      const auto at = static_cast<std::size_t>(positions[r]);
      for (std::size_t c = 0; c < dim; ++c)
        rows.at(r, c) =
            at < kept ? stored(at, c)
                      : static_cast<double>(grid.value(grid.down(at - kept), grid.across(at - kept), c));
    }
    return rows;
  };
  return table;
}

using namespace properties;

const Condition drawn{{{"table", {"seeded", "mirrored"}}}};
const Condition filtered{{{"method", {"linear", "cubic"}}}};
const Condition cubic_only{{{"method", {"cubic"}}}};

bool fits(const Arguments& p) {
  return p.width("height") <= p.width("from_height") && p.width("width") <= p.width("from_width");
}

// Antialiased weights are divided by their sum, which is above 0 as long as the cubic is 0 or less beyond 1.
bool sums_to_1(const Arguments& p) {
  return p.real("coefficient") <= 0;
}

}  // namespace

const EncodingSpec entry{
    .summary = "a trained grid of rows, resized to another height and width",
    .formula = "p_{y,x} = sum_{i,j} a_y(i) b_x(j) E[i, j], a and b from a linear or cubic filter",
    .source =
        "Dosovitskiy et al. 2021, ViT, section 3.2; PyTorch interpolate; Keys 1981; more: Oquab et al. 2023, "
        "DINOv2; centre: Esser et al. 2024, Stable Diffusion 3",
    .parameters =
        {.all = {whole("dim", type::any_width, 64, {1, 2, 8}, "width of a row", "channels"),
                 whole("from_height", {1, 4096}, 14, {1, 4, 7}, "of the trained grid", "rows of it"),
                 whole("from_width", {1, 4096}, 14, {5, 8}, "of the trained grid", "columns of it"),
                 whole("height", {1, 4096}, 16, {1, 3, 4}, "of the resized grid", "rows of it"),
                 whole("width", {1, 4096}, 16, {5, 8, 3}, "of the resized grid", "columns of it"),
                 disputed(whole("kept_rows", {0, 4096}, 0, {0, 1},
                                "rows before the grid that stay as they are: class tokens", "rows")),
                 convention("method", {"linear", "cubic", "first", "centre"},
                            "linear and cubic on both axes; first (cut off at the end), centre (cropped)"),
                 where(filtered, disputed({"align_corners",
                                           type::Flag{},
                                           "false",
                                           {"false", "true"},
                                           "true: corners lie on corners (with antialias the step alone is "
                                           "that, as in PyTorch); false: entries are squares"})),
                 where(filtered, disputed({"antialias",
                                           type::Flag{},
                                           "false",
                                           {"false", "true"},
                                           "true: filters as wide as the step, cut at the border"})),
                 where(cubic_only,
                       disputed({"coefficient",
                                 type::Real{-1, true},
                                 -0.75,
                                 {-0.75, -0.5},
                                 "of the cubic: -0.75 PyTorch, -0.5 PIL, JAX and PyTorch with antialias"})),
                 where(
                     filtered, disputed({"more",
                                         type::Real{0, true},
                                         0.0,
                                         {0.0, 0.1},
                                         "added to height and width where steps are computed: DINOv2 0.1"})),
                 of_words("table", {"index", "seeded", "constant", "mirrored"},
                          "what stands for the trained numbers: index (row * dim + column), seeded (uniform, of mean "
                          "0), constant (column + 1), mirrored (seeded, the same from both ends of both axes)"),
                 where(drawn, whole("table_seed", type::any_whole,
                                    1, {1, 2}, "seed of the table [rows, dim], kept rows first")),
                 where(drawn, above_0("std", 0.02, {0.02, 1}, "standard deviation of the table's entries"))},
         .relations =
             {{{"height", "width", "from_height", "from_width"},
               "a grid that is no larger than the trained one",
               &fits,
               {{{"method", {"first", "centre"}}}}},
              {{"coefficient", "antialias"},
               "numbers up to 0, where the filter is as wide as the step: a larger one may divide by a sum of 0",
               &sums_to_1,
               {{{"method", {"cubic"}}, {"antialias", {"true"}}}}}}},
    .reference = &make,
    .exact = &oracle::resized_table,
    .facts = {{&facts::is_added_to_the_tokens}, {&facts::depends_on_position_alone}, {&facts::ends}},
    .witnesses =
        {
            fails(score::depends_on_offset,
                  "dim=1 from_height=1 from_width=8 height=1 width=8 q=[0] k=[0] i=1 j=0 t=1", 2,
                  "1 x 0 = 0 and 2 x 1 = 2"),
            fails(score::decays_with_distance,
                  "dim=1 from_height=1 from_width=8 height=1 width=8 q=[-2] i=1 far=1 near=0", 1,
                  "(-2 + 1)(-2 + 0) > (-2 + 1)(-2 + 1)"),
            fails(attention::keeps_constant_sequences_constant,
                  "dim=1 from_height=1 from_width=2 height=1 width=2 n=2 mask=causal x=[0]", 0.731,
                  "the row is added to the values: the answers are 0, then a mean of 0 and 1"),
        },
    .claims =
        {
            fails(
                attention::has_the_symmetry_of_its_mask,
                "dim=2 from_height=1 from_width=2 height=1 width=2 n=2 mask=none permutation=[1,0] x=[0*4]",
                0.389,
                "two equal tokens without a mask have different answers: both favour row 1, the second one more"),
            fails(attention::permutation_equivariant,
                  "dim=1 from_height=1 from_width=2 height=1 width=2 n=2 permutation=[1,0] mask=none x=[0,0]",
                  0.231, "two equal tokens are exchanged, but their answers differ"),
            fails(attention::pooled_readout_invariant,
                  "dim=1 from_height=1 from_width=2 height=1 width=2 n=2 permutation=[1,0] x=[1,0]", 0.482,
                  "with their rows, the tokens (1, 0) become (1, 1), and (0, 1) become (0, 2)"),
            fails(
                attention::query_order_equivariant,
                "dim=1 from_height=1 from_width=2 height=1 width=2 queries=2 keys=2 permutation=[1,0] q=[0,0] k=[0,0]",
                0.231, "equal queries give 1/2 at position 0 and e/(1+e) at position 1"),
            fails(
                attention::key_order_invariant,
                "dim=1 from_height=1 from_width=2 height=1 width=2 queries=1 keys=2 permutation=[1,0] q=[1] k=[1,0]",
                0.762, "with their rows, the keys (1, 0) become (1, 1), and (0, 1) become (0, 2)"),
            fails(table::has_bounded_entries, "dim=1 from_height=1 from_width=8 height=1 width=8 t=2 n=3", 1,
                  "trained entries have no bound: here row 2 holds 2"),
            fails(table::has_constant_norm, "dim=1 from_height=1 from_width=2 height=1 width=2 s=0 t=1", 1,
                  "rows of a trained table may have any norms: here 0 and 1"),
            fails(table::translates_by_a_rotation,
                  "dim=1 from_height=1 from_width=8 height=1 width=8 k=1 s=0 t=1",
                  1.41, "no rotation maps the rows 0 and 1 to 1 and 2: their norms differ"),
            fails(table::shifts_base_by_a_rotation,
                  "dim=1 from_height=1 from_width=8 height=1 width=8 n=2 c=1",
                  1.41, "no rotation maps the rows 0 and 1 to 1 and 2: their norms differ"),
            fails(table::dot_product_depends_on_offset,
                  "dim=1 from_height=1 from_width=8 height=1 width=8 k=1 s=0 t=1", 2,
                  "0 x 1 = 0 and 1 x 2 = 2"),
            fails(
                table::distance_depends_on_offset,
                "dim=1 from_height=1 from_width=2 height=1 width=4 k=1 s=0 t=1", 0.25,
                "linear resizing repeats the end rows outside the first and last centres, and interpolates between them"),
            fails(
                table::has_one_shift_for_all_lengths,
                "dim=1 from_height=1 from_width=2 height=1 width=4 k=1 t=0 u=1 n=3 far=4", 0.25,
                "linear resizing repeats the end rows outside the first and last centres, and interpolates between them"),
            fails(table::has_distinct_positions, "dim=1 from_height=1 from_width=1 height=1 width=3 k=1 t=0",
                  1, "one trained row gives equal rows"),
            fails(table::distinguishes_neighbours_in_bf16,
                  "dim=1 from_height=1 from_width=1 height=1 width=3 t=0 n=2", 1,
                  "one trained row gives equal rows"),
            fails(table::distinguishes_neighbours_in_f16,
                  "dim=1 from_height=1 from_width=1 height=1 width=3 t=0 n=2", 1,
                  "one trained row gives equal rows"),
            fails(table::has_different_dot_products_near_and_far,
                  "dim=1 from_height=1 from_width=8 height=1 width=8 k=5 t=2 n=4 u=1 far=7", 1,
                  "2 x 3 = 1 x 6"),
            fails(score::depends_on_order, "dim=1 from_height=1 from_width=1 height=1 width=16 i=3", 0.000244,
                  "one trained row gives equal rows"),
            fails(attention::breaks_the_symmetry,
                  "dim=1 from_height=1 from_width=1 height=1 width=4 n=3 permutation=[1,0,2]", 0.000488,
                  "one trained row gives equal rows"),
        },
};

}  // namespace posproof::encodings_resized_table
