#include <algorithm>
#include <cmath>
#include <numeric>

#include "catalogue/encodings/axial_rope.h"
#include "catalogue/oracle/axial_rope.h"
#include "catalogue/properties/attention/breaks_the_symmetry.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/axes/acts_on_each_axis_alone.h"
#include "catalogue/properties/axes/depends_on_vector_offset.h"
#include "catalogue/properties/axes/is_one_ladder_where_numbers_are_equal.h"
#include "catalogue/properties/axes/swaps_axes_by_a_permutation.h"
#include "catalogue/properties/call/treats_heads_alike.h"
#include "catalogue/properties/rotary/composes.h"
#include "catalogue/properties/rotary/inverts_at_the_opposite_position.h"
#include "catalogue/properties/rotary/is_identity_at_zero.h"
#include "catalogue/properties/rotary/is_linear.h"
#include "catalogue/properties/rotary/layouts_agree_after_one_permutation.h"
#include "catalogue/properties/rotary/leaves_the_tail_untouched.h"
#include "catalogue/properties/rotary/preserves_norm.h"
#include "catalogue/properties/rotary/preserves_pair_norms.h"
#include "catalogue/properties/rotary/role_does_not_matter.h"
#include "catalogue/properties/score/decays_with_distance.h"
#include "catalogue/properties/score/depends_on_order.h"
#include "core/declare.h"
#include "core/error.h"
#include "core/rotation.h"
#include "encodings/axial.h"
#include "encodings/axial_coordinates.h"
#include "encodings/facts.h"
#include "encodings/ladder.h"
#include "encodings/rotary_widths.h"

namespace posproof::encodings_axial_rope {
namespace {

using namespace axial;

// How many channels each axis rotates, in the order in which their parts stand.
std::vector<std::size_t> parts_of(const Arguments& p) {
  const std::size_t axes = p.width("axes");
  const auto& given = p.list("parts");
  if (given == std::vector<double>{0}) return std::vector<std::size_t>(axes, p.width("dim") / (2 * axes) * 2);
  std::vector<std::size_t> out;
  for (const double width : given) out.push_back(static_cast<std::size_t>(width));
  return out;
}

bool equal_parts(const Arguments& p) {
  const auto parts = parts_of(p);
  return std::ranges::all_of(parts, [&](std::size_t width) { return width == parts.front(); });
}

// What an implementation may be off by where coordinates do not begin at 0. From -1, the quotient c + 1
// carries 2 roundings (of the step and its product), the difference c is 1 more: absolutely, since c may be
// 0. The angle is c times a frequency, 1 rounding; in turns 2 pi and its product are 2 more, and so are pi
// and its in half turns.
void bound(const Arguments& of, const axial::Ladder& ladder, const std::vector<Coordinate>& at,
           std::span<const double> x, std::span<const double> position, const Precision& p,
           std::span<double> error) {
  const double unit = static_cast<double>(unit_of(of));
  for (std::size_t i = 0; i < ladder.pairs.size(); ++i) {
    const Pair& pair = ladder.pairs[i];
    const auto& [step, zero, roundings] = at[pair.axis];
    const double c = static_cast<double>((position[pair.axis] - zero) * step), size = std::abs(c);
    const double w = static_cast<double>(ladder.w[i] / step) / unit;
    const double own =
        of_the_base(of) ? power_error(p, w, pair.index) : error_between_two(of, w, pair.index, p);
    const double relative = (unit == 1 ? 1 : 3) * p.angle + own;
    const double angle = unit * w * ((roundings.value_or(2 * (c + 1)) + size) * p.angle + size * relative);
    error[pair.first] = error[pair.second] =
        std::hypot(x[pair.first], x[pair.second]) * (std::min(2.0, angle) + rotation_error(p, 0, pair));
  }
}

// The same where the numbers of a position are added to an offset first: a whole number, of which an angle is
// a product as it is of a position without one.
void bound_of_sums(double offset, const std::vector<Pair>& pairs, std::span<const double> x,
                   std::span<const double> position, const Precision& p, std::span<double> error) {
  for (const Pair& pair : pairs) {
    const double angle = angle_error(p, position[pair.axis] + offset, pair);
    error[pair.first] = error[pair.second] =
        pair_norm(x[pair.first], x[pair.second]) * (std::min(2.0, angle) + rotation_error(p, 0, pair));
  }
}

Encoding make(const Arguments& p) {
  const std::size_t axes = p.width("axes");
  const auto parts = parts_of(p);
  const std::size_t rotating = std::accumulate(parts.begin(), parts.end(), std::size_t{0});
  std::vector<Coordinate> at;
  for (std::size_t axis = 0; axis < axes; ++axis) at.push_back(coordinate_of(p, axis));
  axial::Ladder ladder{.dim = p.width("dim"), .heads = p.width("heads"), .axes = axes};
  std::size_t begin = 0;  // of a part, in channels
  for (std::size_t part = 0; part < axes; begin += parts[part], ++part)
    for (std::size_t j = 0; j < parts[part] / 2; ++j) {
      const std::size_t rank = p.is("order", "blocks") ? begin / 2 + j : axes * j + part;
      const std::size_t index = p.is("ladder", "restarted") ? j : axes * j + part;
      const std::size_t over = p.is("ladder", "restarted") ? parts[part] : rotating;
      Pair pair{.first = rank, .second = rank + rotating / 2, .frequency = 0, .index = index};
      if (p.is("layout", "interleaved")) pair.first = 2 * rank, pair.second = 2 * rank + 1;
      if (p.is("layout", "half_split_by_axis"))
        pair.first = begin + j, pair.second = pair.first + parts[part] / 2;
      pair.axis = p.is("axis_order", "given") ? part : axes - 1 - part;
      if (at[pair.axis].step != 1) pair.frequency_error = divided();
      const long double w = of_the_base(p) ? ladder::frequency(base_of(p, pair.axis), 2 * index, over)
                                           : between_two(p, j, parts[part] / 2);
      ladder.add(pair, unit_of(p) * w * at[pair.axis].step, at[pair.axis].zero);
    }
  Rotary rotary =
      p.is("coordinates", "whole") ? axial::rotary(ladder) : axial::rotary(ladder, p.list("grid"));
  if (const double offset = offset_of(p); offset != 0)
    rotary.error = [offset, pairs = ladder.pairs](std::span<const double> x, std::span<const double> position,
                                                  Role, const Precision& precision, std::span<double> error) {
      bound_of_sums(offset, pairs, x, position, precision, error);
    };
  if (!from_0(p))
    rotary.error = [=](std::span<const double> x, std::span<const double> position, Role,
                       const Precision& precision,
                       std::span<double> error) { bound(p, ladder, at, x, position, precision, error); };
  return rotary;
}

const Condition whole_numbers{{{"coordinates", {"whole"}}}};
const Condition on_a_grid{{{"coordinates", {"resized", "cropped", "cells", "corners"}}}};
const Condition from_a_number{{{"coordinates", {"whole", "resized"}}}};
const Condition at_the_origin{{{"coordinates", {"whole", "resized"}}, {"offset", {0.0}}}};
const Condition from_1{{{"coordinates", {"whole", "resized"}}, {"offset", {1.0}}}};
const Condition from_a_corner{{{"coordinates", {"cropped"}}}};
const Condition centred{{{"coordinates", {"cells", "corners"}}}};
const Condition of_periods{{{"coordinates", {"cells", "corners"}}, {"frequencies", {"periods"}}}};
const Condition of_bands{
    {{"coordinates", {"cells", "corners"}}, {"frequencies", {"linear_bands", "log_bands"}}}};
const Condition in_its_unit{{{"coordinates", {"cells", "corners"}}, {"frequencies", {"base", "periods"}}}};

bool of_each_axis(const Arguments& p, std::string_view name, double least) {
  const auto& list = p.list(name);
  return list.size() == p.width("axes") &&
         std::ranges::all_of(list, [&](double one) { return one >= least && one == std::floor(one); });
}

const std::vector<Parameter> parameters = {
    whole("dim", type::any_width, 64, {8, 12, 14, 64}, "width of a head", "channels"),
    whole("heads", any_heads, 1, {1, 3},
          "heads, all rotated alike; a gate asks with 2 unless told otherwise"),
    whole("axes", {2, 4}, 2, {2, 3},
          "numbers in a position: 2 (row, column), 3 (time, row, column), 4 (FLUX.2: and the token's index)"),
    above_0(
        "base", 10000, {10000, 100, 10},
        "its powers are the frequencies unless `frequencies` names others: from 1 to nearly 1/base where axes have many channels"),
    {"parts",
     type::List{4},
     std::vector<double>{0},
     {std::vector<double>{0}, std::vector<double>{2, 6}, std::vector<double>{4, 4},
      std::vector<double>{2, 2, 4}},
     "how many channels each axis rotates, the first channels' axis first; [0]: an even share of the width",
     "channels"},
    convention(
        "layout", {"half_split", "half_split_by_axis", "interleaved"},
        "channels that rotate together: half_split (i, i + half of those that rotate), half_split_by_axis "
        "(the same within the part of each axis), interleaved (2i, 2i + 1)"),
    convention(
        "order", {"blocks", "alternating"},
        "which pair belongs to which axis: blocks (all of one axis, then all of the next), alternating (pair i to axis i mod axes)"),
    convention(
        "ladder", {"restarted", "strided"},
        "frequencies of an axis: restarted (base^(-2j/its channels)), strided (number axes j + a of those "
        "of all channels that rotate)"),
    convention("axis_order", {"given", "reversed"},
               "which axis has the first part: given (the position's first number), reversed (its last)"),
    convention(
        "coordinates", {"whole", "resized", "cropped", "cells", "corners"},
        "what stands for the number p of E on an axis: whole ((p + offset) / factor), resized ((p + offset) "
        "times trained_grid / E), "
        "cropped (from crop_start in E steps, by crop_spacing), "
        "cells (2 (p + 1/2) / E - 1), corners (2 p / (E - 1) - 1)"),
    where(
        from_a_number,
        disputed(whole("offset", type::any_whole, 0, {0, 1},
                       "integer added to every number of a position: 1 in Llama 4's vision and in Perception "
                       "Encoder, timm's grid_offset",
                       "positions"))),
    where(whole_numbers, {"factor",
                          type::Real{.lo = 1, .from = true},
                          1.0,
                          {1.0, 2.0},
                          "divisor of positions: the grid's extent over the trained one"}),
    where(
        whole_numbers,
        {"factors",
         type::List{4},
         std::vector<double>{0},
         {std::vector<double>{0}, std::vector<double>{2, 1}, std::vector<double>{1, 2, 4}},
         "divisor of each axis' numbers, of a grid that is longer on one side: the inverses of HunyuanVideo's "
         "interpolation_factor; [0]: factor on every axis"}),
    where(
        whole_numbers,
        {"bases",
         type::List{4},
         std::vector<double>{0},
         {std::vector<double>{0}, std::vector<double>{100, 40}, std::vector<double>{20, 100, 40}},
         "base of each axis: of NTK by the extent of each, as in FiT, base s^(d/(d - 2)) for a factor s and d "
         "channels; [0]: base on every axis"}),
    where(on_a_grid, {"grid",
                      type::List{4},
                      std::vector<double>{16, 16},
                      {std::vector<double>{16, 16}, std::vector<double>{5, 3}, std::vector<double>{2, 5, 3}},
                      "extent of each axis: rows, columns; further axes come before them",
                      "positions"}),
    where({{{"coordinates", {"resized"}}}},
          {"trained_grid",
           type::List{4},
           std::vector<double>{16, 16},
           {std::vector<double>{16, 16}, std::vector<double>{4, 7}, std::vector<double>{3, 4, 7}},
           "extent of each axis of the trained grid: timm's ref_feat_shape",
           "positions"}),
    where(from_a_corner,
          {"crop_start",
           type::List{4},
           std::vector<double>{0, 0},
           {std::vector<double>{0, 0}, std::vector<double>{2, 3}, std::vector<double>{-8, -6}},
           "first coordinate of each axis: of diffusers' crops_coords the first; below 0 where the "
           "middle is 0, as -(E - E // 2) in Qwen-Image",
           "positions"}),
    where(
        from_a_corner,
        {"crop_stop",
         type::List{4},
         std::vector<double>{16, 12},
         {std::vector<double>{16, 12}, std::vector<double>{9, 14}, std::vector<double>{8, 6}},
         "where so many equal steps from crop_start end (crop_spacing=stop_excluded): of diffusers' crops_coords the second",
         "positions"}),
    where(
        from_a_corner,
        convention(
            "crop_spacing", {"stop_excluded", "stop_scaled"},
            "coordinate p of E from a to b: stop_excluded (a + p (b - a) / E, as NumPy's linspace without its "
            "endpoint), stop_scaled (evenly from a to b (E - 1) / E, as diffusers in PyTorch)")),
    where(centred, convention("extent", {"separate", "largest", "smallest"},
                              "E of an axis: separate (its own), largest, smallest (of all axes)")),
    where(centred,
          convention(
              "frequencies", {"base", "periods", "linear_bands", "log_bands"},
              "w_j of an axis of m pairs: base (a power of it), periods (1 / (min_period (max_period / "
              "min_period)^(j/(m-1)))); in half turns, with R for max_resolution, linear_bands (1 + (R/2 - "
              "1) j/(m-1)), log_bands ((R/2)^(j/(m-1))); j/(m-1) is 0 where m is 1")),
    where(of_periods, above_0("min_period", 1, {1, 0.25}, "period of the fastest pair of an axis, DINOv3's")),
    where(of_periods, above_0("max_period", 100, {100, 3}, "period of the slowest of two or more")),
    where(of_bands, {"max_resolution",
                     type::Real{.lo = 2, .from = true},
                     224.0,
                     {224.0, 10.0},
                     "twice the last band of two or more: timm's max_res, lucidrains' max_freq",
                     "pixels"}),
    where(in_its_unit, convention("unit", {"turns", "radians"},
                                  "what w_j multiplies: turns (2 pi times the coordinate), radians (it)"))};

const std::vector<Relation> relations = {
    rotary_widths::all_heads_fit,
    {{"parts", "axes"},
     "as many parts as axes, or [0]",
     [](const Arguments& p) {
       return p.list("parts") == std::vector<double>{0} || p.list("parts").size() == p.width("axes");
     }},
    {{"parts", "dim"},
     "even numbers from 2, of which the sum is at most `dim`",
     [](const Arguments& p) {
       double sum = 0;
       for (const double width : p.list("parts")) {
         if (p.list("parts").size() > 1 && !(width >= 2 && width / 2 == std::floor(width / 2))) return false;
         sum += width;
       }
       return sum <= static_cast<double>(p.width("dim"));
     }},
    {{"dim", "axes"},
     "widths with a pair for each axis",
     [](const Arguments& p) { return p.width("dim") >= 2 * p.width("axes"); }},
    {{"parts"}, "parts of one width", &equal_parts, {{{"order", {"alternating"}}}}},
    {{"parts"}, "parts of one width", &equal_parts, {{{"ladder", {"strided"}}}}},
    {{"ladder"},
     "restarted, where frequencies are no powers of the base",
     [](const Arguments& p) { return p.is("ladder", "restarted"); },
     {{{"coordinates", {"cells", "corners"}}, {"frequencies", {"periods", "linear_bands", "log_bands"}}}}},
    {{"order"},
     "blocks, where the halves are those of each axis",
     [](const Arguments& p) { return p.is("order", "blocks"); },
     {{{"layout", {"half_split_by_axis"}}}}},
    {{"grid", "axes"},
     "whole numbers from 1, one for each axis",
     [](const Arguments& p) { return of_each_axis(p, "grid", 1); },
     on_a_grid},
    {{"grid"},
     "axes of 2 numbers at least, between whose corners they lie",
     [](const Arguments& p) { return std::ranges::min(p.list("grid")) >= 2; },
     {{{"coordinates", {"corners"}}}}},
    {{"crop_start", "axes"},
     "whole numbers from -2^53, one for each axis",
     [](const Arguments& p) { return of_each_axis(p, "crop_start", -0x1p53); },
     from_a_corner},
    {{"crop_stop", "axes"},
     "whole numbers from -2^53, one for each axis",
     [](const Arguments& p) { return of_each_axis(p, "crop_stop", -0x1p53); },
     from_a_corner},
    {{"factors", "axes"},
     "numbers from 1, one for each axis, or [0]",
     [](const Arguments& p) {
       const auto& all = p.list("factors");
       return all == std::vector<double>{0} || (all.size() == p.width("axes") && std::ranges::min(all) >= 1);
     },
     whole_numbers},
    {{"factor", "factors"},
     "1 where each axis has a factor of its own",
     [](const Arguments& p) { return p.list("factors").size() == 1 || p.real("factor") == 1; },
     whole_numbers},
    {{"bases", "axes"},
     "numbers above 0, one for each axis, or [0]",
     [](const Arguments& p) {
       const auto& all = p.list("bases");
       return all == std::vector<double>{0} || (all.size() == p.width("axes") && std::ranges::min(all) > 0);
     },
     whole_numbers},
    {{"base", "bases"},
     "10000 where each axis has a base of its own",
     [](const Arguments& p) { return p.list("bases").size() == 1 || p.real("base") == 10000; },
     whole_numbers},
    {{"crop_start", "crop_stop", "grid"},
     "a last coordinate beyond the first, on each axis",
     [](const Arguments& p) {
       for (std::size_t axis = 0; axis < p.width("axes"); ++axis)
         if (!(cropped(p, axis).step > 0)) return false;
       return true;
     },
     from_a_corner},
    {{"trained_grid", "axes"},
     "whole numbers from 1, one for each axis",
     [](const Arguments& p) { return of_each_axis(p, "trained_grid", 1); },
     {{{"coordinates", {"resized"}}}}}};

using namespace properties;

// Every axis has the same frequencies, and a step on one is as long as on another.
const Condition alike{{{"ladder", {"restarted"}},
                       {"coordinates", {"whole"}},
                       {"factors", {std::vector<double>{0}}},
                       {"bases", {std::vector<double>{0}}}}};
// The fastest pair of each axis makes no whole turn from one number to another.
const Condition restarted_from_0{{{"ladder", {"restarted"}}, {"coordinates", {"whole", "resized"}}}};

}  // namespace

const EncodingSpec entry{
    .summary = "query and key rotated pair by pair, each pair by one number of a position on a grid",
    .formula = "(x_a, x_b) -> R(p_axis w_j) (x_a, x_b), w_j = base^(-2j/channels of the axis)",
    .source =
        "Heo et al. 2024, Rotary Position Embedding for Vision Transformer, eq. 10; Agrawal et al. 2024, "
        "Pixtral 12B; Wang et al. 2024, Qwen2-VL; offset: Bolya et al. 2025, Perception Encoder; Meta 2025, Llama 4; resized: Fang et al. 2023, EVA-02; cropped: diffusers, _get_2d_rotary_pos_embed_np (stop_excluded) and get_3d_rotary_pos_embed (stop_scaled); cells: Siméoni et al. "
        "2025, DINOv3, section 3.2; bands: Wightman, timm, pixel_freq_bands",
    .parameters = {parameters, relations},
    .reference = &make,
    .exact = &oracle::axial_rope,
    .facts = {{&facts::acts_on_logits_alone},
              {&facts::depends_on_offset_alone},
              {&facts::distinguishes_positions, restarted_from_0}},
    .witnesses =
        {
            fails(attention::has_the_symmetry_of_its_mask,
                  "dim=4 axis=1 n=2 mask=none permutation=[1,0] x=[1,0,0,0,1,1,0,0]", 0.195,
                  "exchanging the two tokens reverses the sign of the angle between them"),
            fails(attention::permutation_equivariant,
                  "dim=4 axis=1 n=2 permutation=[1,0] mask=none x=[1,0,0,0,1,1,0,0]", 0.195,
                  "exchanging the two tokens reverses the sign of the angle between them"),
            fails(attention::pooled_readout_invariant,
                  "dim=4 axis=1 n=2 permutation=[1,0] x=[1,0,0,0,1,1,0,0]", 0.0977,
                  "the reordered tokens have other logits, and so other weights"),
            fails(attention::query_order_equivariant,
                  "dim=4 axis=0 queries=2 keys=2 permutation=[1,0] q=[1,0*7] k=[1,0*7]", 0.0553,
                  "query and key together: logit 1/2; one row apart: cos(1)/2"),
            fails(attention::key_order_invariant,
                  "dim=4 axis=0 queries=1 keys=2 permutation=[1,0] q=[1,0,0,0] k=[1,0*7]", 0.0553,
                  "the key in row 0: logit 1/2; in row 1: cos(1)/2"),
        },
    .claims =
        {
            holds(axes::swaps_axes_by_a_permutation, alike),
            fails(axes::swaps_axes_by_a_permutation,
                  "dim=8 ladder=strided a=0 b=1 x=[0,0,1,0*5] role=query i=0 i_1=1", 0.742,
                  "rows have the frequencies 1 and 0.01, columns 0.1 and 0.001: sin 1 in place of sin 0.1"),
            holds(axes::is_one_ladder_where_numbers_are_equal, {{{"order", {"alternating"}},
                                                                 {"ladder", {"strided"}},
                                                                 {"coordinates", {"whole"}},
                                                                 {"factors", {std::vector<double>{0}}},
                                                                 {"bases", {std::vector<double>{0}}},
                                                                 {"offset", {0.0}}}}),
            fails(axes::is_one_ladder_where_numbers_are_equal, "dim=8 x=[0,0,1,0*5] t=1 role=query", 0.841,
                  "the frequencies are 1, 0.01 and then 1 again: sin 1 in place of sin 10^-4"),
            fails(score::depends_on_order, "dim=8 axes=3 ladder=strided axis=2 i=3", 0.000202,
                  "the last axis has only the slowest frequency, 0.002 radians a column"),
            // A rotation by an angle for each number, none of which need be 0.
            holds(rotary::preserves_norm),
            holds(rotary::preserves_pair_norms),
            holds(rotary::is_linear),
            holds(rotary::role_does_not_matter),
            holds(axes::depends_on_vector_offset),
            // Angles that are linear in the numbers.
            holds(rotary::composes, at_the_origin),
            holds(rotary::inverts_at_the_opposite_position, at_the_origin),
            holds(rotary::is_identity_at_zero, at_the_origin),
            holds(axes::acts_on_each_axis_alone, at_the_origin),
            fails(
                rotary::composes, "dim=4 offset=1 axis=0 batch=1 n=1 i1=0 x=[1,0,0,0] t1=1 role=query", 0.768,
                "rotating at 0 and then at 1 is rotating by 1 and then by 2 radians, at 1 alone by 2: sin 2 - "
                "sin 3",
                from_1),
            fails(rotary::inverts_at_the_opposite_position,
                  "dim=4 offset=1 axis=0 batch=1 n=1 i1=1 x=[1,0,0,0] role=query s1=0 y=[1,0,0,0]", 0.46,
                  "the angle of position 0 is not 0 but one radian: 1 - cos 1", from_1),
            fails(rotary::is_identity_at_zero, "dim=4 offset=1 axis=0 batch=1 n=1 x=[1,0,0,0] role=query",
                  0.841, "position 0 stands for 1 and is rotated by one radian: sin 1", from_1),
            fails(
                axes::acts_on_each_axis_alone, "dim=4 offset=1 axis=0 x=[1,0,0,0] i=1 i_1=1 role=query",
                0.768,
                "the rotations at (0, x) and at (y, 0) both include the radian of position 0: sin 2 - sin 3",
                from_1),
            fails(
                rotary::composes,
                "dim=4 coordinates=cells axis=0 batch=1 n=1 i1=0 x=[1,0,0,0] t1=1 role=query", 0.383,
                "position 0 has the angle of -15/16 turns, by which rotating by 0 and then by 1 differs from rotating by 1",
                centred),
            fails(rotary::inverts_at_the_opposite_position,
                  "dim=4 coordinates=cells axis=0 batch=1 n=1 i1=1 x=[1,0,0,0] role=query s1=0 y=[1,0,0,0]",
                  0.0761,
                  "the angle of position 0 is not 0 but -15/16 of a turn, by which the two sides differ",
                  centred),
            fails(rotary::is_identity_at_zero,
                  "dim=4 coordinates=cells axis=0 batch=1 n=1 x=[1,0,0,0] role=query", 0.383,
                  "the first of 16 cells stands for -15/16: sin(pi/8)", centred),
            fails(axes::acts_on_each_axis_alone,
                  "dim=4 coordinates=cells axis=0 x=[1,0,0,0] i=1 i_1=1 role=query", 0.383,
                  "the rotations at (0, x) and at (y, 0) both include the angle of the first cell", centred),
            fails(score::depends_on_order, "dim=4 coordinates=cells grid=[2,16] extent=smallest axis=1 i=3",
                  0.000244, "with an extent of 2, each step is a whole turn", centred),
            fails(attention::breaks_the_symmetry,
                  "dim=4 coordinates=cells axis=0 n=8 permutation=[1,2,3,4,5,6,7,0]", 0.000488,
                  "with 16 cells, 8 steps are a whole turn: a cyclic shift of 8 tokens keeps every angle",
                  centred),
            holds(rotary::leaves_the_tail_untouched),
            holds(rotary::layouts_agree_after_one_permutation, at_the_origin),
            fails(score::decays_with_distance, "dim=4 axis=0 q=[1,0,0,0] i=6 far=6 near=3", 1.95,
                  "cos 6 > cos 3: one pair is periodic; what decays is a bound on the sum over many pairs"),
            holds(call::treats_heads_alike),
        },
};

}  // namespace posproof::encodings_axial_rope
