#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include "catalogue/encodings/sincos_2d.h"
#include "catalogue/oracle/sincos_2d.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/keeps_constant_sequences_constant.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/axes/acts_on_each_axis_alone.h"
#include "catalogue/properties/axes/depends_on_vector_offset.h"
#include "catalogue/properties/axes/swaps_axes_by_a_permutation.h"
#include "catalogue/properties/score/decays_with_distance.h"
#include "catalogue/properties/score/depends_on_offset.h"
#include "catalogue/properties/score/depends_on_order.h"
#include "catalogue/properties/table/composes_translations.h"
#include "catalogue/properties/table/has_constant_norm.h"
#include "catalogue/properties/table/has_different_dot_products_near_and_far.h"
#include "catalogue/properties/table/has_geometric_wavelengths.h"
#include "catalogue/properties/table/has_translations_of_determinant_one.h"
#include "catalogue/properties/table/inverts_translation_by_transposing.h"
#include "catalogue/properties/table/keeps_pairs_on_the_unit_circle.h"
#include "catalogue/properties/table/rotates_clockwise.h"
#include "core/axis_bases.h"
#include "core/declare.h"
#include "core/error.h"
#include "core/hard.h"
#include "encodings/facts.h"
#include "encodings/ladder.h"
#include "oracle/lone_sines.h"

namespace posproof::encodings_sincos_2d {
namespace {

bool given(const std::vector<double>& list) {
  return list != std::vector<double>{0};
}

// How many columns each axis has, in the order in which their parts stand.
std::vector<std::size_t> parts_of(const Arguments& p) {
  const std::size_t axes = p.width("axes"), dim = p.width("dim");
  const bool cut = p.is("uneven", "round_up") || p.is("uneven", "truncate");
  const std::size_t even = cut ? (dim + 2 * axes - 1) / (2 * axes) : dim / (2 * axes);
  std::vector<std::size_t> out(axes, 2 * even);
  if (given(p.list("parts")))
    for (std::size_t part = 0; part < axes; ++part)
      out[part] = static_cast<std::size_t>(p.list("parts")[part]);
  return out;
}

bool normalised(const Arguments& p) {
  return !p.is("normalize", "none");
}

// What is added to a position, and what multiplies it on an axis.
double offset_of(const Arguments& p) {
  return static_cast<double>(p.whole("offset")) - (p.is("normalize", "centred") ? 0.5 : 0);
}

double factor_of(const Arguments& p, std::size_t axis) {
  return given(p.list("factors")) ? p.list("factors")[axis] : p.real("factor");
}

double base_of(const Arguments& p, std::size_t axis) {
  return base_of_axis(p.list("bases"), axis).value_or(p.real("base"));
}

long double scale_of(const Arguments& p, std::size_t axis) {
  if (!normalised(p)) return 1 / static_cast<long double>(factor_of(p, axis));
  return static_cast<long double>(p.real("scale")) /
         (static_cast<long double>(p.list("grid")[axis]) + static_cast<long double>(p.real("eps")));
}

// `all`: columns of all axes.
Pair place(const std::string& layout, std::size_t begin, std::size_t width, std::size_t all, std::size_t j) {
  if (layout == "sines_first") return {begin / 2 + j, (all + begin) / 2 + j, 0, j};
  if (layout == "interleaved") return {begin + 2 * j, begin + 2 * j + 1, 0, j};
  if (layout == "alternating") {
    const std::size_t turn = (j * all + begin) / width;
    return {2 * turn, 2 * turn + 1, 0, j};
  }
  const std::size_t early = begin + j, late = early + width / 2;
  if (layout == "sin_cos") return {early, late, 0, j};
  return {late, early, 0, j};
}

Encoding make(const Arguments& p) {
  const std::size_t axes = p.width("axes"), dim = p.width("dim");
  const auto parts = parts_of(p);
  Table table{.dim = dim, .offset = offset_of(p)};
  std::vector<Pair> all_pairs;  // and sines whose cosine is cut off, with a second column past the row
  std::vector<long double> w;
  std::size_t begin = 0;
  const std::size_t all = std::accumulate(parts.begin(), parts.end(), std::size_t{0});
  for (std::size_t part = 0; part < axes; begin += parts[part], ++part)
    for (std::size_t j = 0; j < parts[part] / 2; ++j) {
      Pair pair = place(p.word("layout"), begin, parts[part], all, j);
      if (pair.first >= dim) continue;
      pair.axis = p.is("axis_order", "given") ? part : axes - 1 - part;
      const double base = base_of(p, pair.axis);
      const long double plain = p.is("divisor", "half") ? ladder::frequency(base, 2 * j, parts[part])
                                                        : ladder::frequency(base, j, parts[part] / 2 - 1);
      w.push_back(plain * scale_of(p, pair.axis));
      pair.frequency = static_cast<double>(w.back());
      // The extent with eps, its quotient, and products with scale and the frequency.
      if (normalised(p)) pair.frequency_error.roundings = 4;
      if (!normalised(p) && factor_of(p, pair.axis) != 1) pair.frequency_error = divided();
      all_pairs.push_back(pair);
    }
  table.pairs = all_pairs;
  if (std::erase_if(table.pairs, [&](const Pair& pair) { return pair.second >= dim; }) > 0)
    table.row_error = oracle::errors_of_sines(all_pairs, table.offset);
  table.positions.axes = axes;
  if (normalised(p)) {
    for (const double extent : p.list("grid"))
      table.positions.last_on_axis.push_back(static_cast<Position>(extent) - 1);
    table.positions.hi = std::ranges::max(table.positions.last_on_axis);
  }
  table.positions.hard = hard_positions(table.pairs, table.positions.lo, table.positions.hi);
  table.rows = [w, pairs = all_pairs, dim, axes, offset = table.offset](const Positions& positions,
                                                                        Position) {
    if (positions.axes() != axes)
      throw std::invalid_argument(
          fmt::format("rows at positions of {} numbers; allowed: {}", positions.axes(), axes));
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r)
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        const long double t = static_cast<long double>(positions.at(r, pairs[i].axis)) + offset;
        rows.at(r, pairs[i].first) = static_cast<double>(std::sin(t * w[i]));
        if (pairs[i].second < dim) rows.at(r, pairs[i].second) = static_cast<double>(std::cos(t * w[i]));
      }
    return rows;
  };
  return table;
}

bool whole_numbers_from(const std::vector<double>& list, double least) {
  return std::ranges::all_of(list, [&](double x) { return x >= least && x == std::floor(x); });
}

const Condition everywhere_normalised{{{"normalize", {"detr", "centred"}}}};
const Condition plain{{{"normalize", {"none"}}}};
const std::vector<double> of_all_axes{0};
const Condition plain_and_alike{{{"normalize", {"none"}}, {"factors", {of_all_axes}}}};
const Condition one_base_for_all{{{"bases", {of_all_axes}}}};

const std::vector<Parameter> parameters = {
    whole("dim", type::any_width, 64, {4, 8, 12, 14, 64}, "width of a row", "channels"),
    whole("axes", {2, 3}, 2, {2, 3}, "numbers in a position: 2 (row, column), 3 (time, row, column)"),
    {"bases",
     type::List{3},
     std::vector<double>{0},
     {std::vector<double>{0}, std::vector<double>{100, 40}},
     "base of each axis, as DINO's temperatureH and temperatureW; [0]: base on every axis"},
    where(
        one_base_for_all,
        above_0(
            "base", 10000, {10000, 100},
            "its powers are the frequencies, from 1 to nearly 1/base where axes have many columns, and to just "
            "that where divisor is half_minus_one")),
    {"parts",
     type::List{3},
     std::vector<double>{0},
     {std::vector<double>{0}, std::vector<double>{4, 8}, std::vector<double>{8, 4},
      std::vector<double>{4, 6, 4}},
     "how many columns each axis has, the first columns' axis first; [0]: an even share of the width",
     "channels"},
    convention(
        "layout", {"sin_cos", "cos_sin", "interleaved", "sines_first", "alternating"},
        "where sines and cosines of an axis stand in its part: sin_cos, cos_sin, interleaved; sines_first: the "
        "sines of all axes, then their cosines (timm); alternating: sine and cosine of each axis in turn, for one "
        "frequency after the other (LoFTR)"),
    convention("divisor", {"half", "half_minus_one"},
               "half: exponent 2j/(columns of the axis); half_minus_one: j/(h-1) of its h frequencies"),
    convention(
        "axis_order", {"given", "reversed"},
        "which axis has the first part: given (the position's first number, rows), reversed (its last, "
        "columns)"),
    disputed(whole("offset", type::any_whole, 0, {0, 1}, "integer added to every number of a position",
                   "positions")),
    convention(
        "uneven", {"refuse", "zero_pad", "round_up", "truncate"},
        "widths that are no multiple of 2 axes: refuse, zero_pad (last columns 0), round_up (as the next "
        "multiple, cut), truncate (the same of sin_cos columns: the last sines have no cosine; V-JEPA's "
        "uniform_power)"),
    convention(
        "normalize", {"none", "detr", "centred"},
        "none; detr (times scale/(extent of the grid + eps)); centred (the same of the position - 1/2)"),
    where(
        plain,
        {"factors",
         type::List{3},
         std::vector<double>{0},
         {std::vector<double>{0}, std::vector<double>{2, 1}},
         "divisor of each axis' numbers, as in diffusers where the grid is longer on one side; [0]: factor on every axis"}),
    where(
        plain_and_alike,
        {"factor",
         type::Real{.lo = 1, .from = true},
         1.0,
         {1.0, 2.0},
         "divisor of positions with their offset: in diffusers the grid's extent over base_size, times interpolation_scale; Stable Diffusion 3: 3"}),
    where(everywhere_normalised,
          {"grid",
           type::List{3},
           std::vector<double>{16, 16},
           {std::vector<double>{16, 16}, std::vector<double>{5, 3}, std::vector<double>{2, 5, 3}},
           "how many rows and columns the grid has; of three, images first",
           "positions"}),
    where(everywhere_normalised, above_0("scale", 2 * std::numbers::pi, {2 * std::numbers::pi, 1},
                                         "angle of the fastest pair over the whole grid", "radians")),
    where(everywhere_normalised, {"eps",
                                  type::Real{.lo = 0, .from = true},
                                  1e-6,
                                  {1e-6, 0.0},
                                  "what is added to the extent before it divides",
                                  "positions"})};

const std::vector<Relation> relations = {
    {{"parts", "axes"},
     "as many parts as axes, or [0]",
     [](const Arguments& p) { return !given(p.list("parts")) || p.list("parts").size() == p.width("axes"); }},
    {{"bases", "axes"},
     "numbers above 0, one for each axis, or [0]",
     [](const Arguments& p) {
       const auto& all = p.list("bases");
       return !given(all) || (all.size() == p.width("axes") && std::ranges::min(all) > 0);
     }},
    {{"base", "bases"},
     "10000 where each axis has a base of its own",
     [](const Arguments& p) { return !given(p.list("bases")) || p.real("base") == 10000; }},
    {{"parts", "dim", "uneven"},
     "even numbers from 2 that fill the width",
     [](const Arguments& p) {
       if (!given(p.list("parts"))) return true;
       double sum = 0;
       for (const double width : p.list("parts")) {
         if (!(width >= 2 && width / 2 == std::floor(width / 2))) return false;
         sum += width;
       }
       return p.is("uneven", "zero_pad") ? sum <= static_cast<double>(p.width("dim"))
                                         : sum == static_cast<double>(p.width("dim"));
     }},
    {{"dim", "axes"},
     "multiples of twice the axes",
     [](const Arguments& p) { return given(p.list("parts")) || p.width("dim") % (2 * p.width("axes")) == 0; },
     {{{"uneven", {"refuse"}}}}},
    {{"dim", "axes"},
     "widths with a frequency for each axis",
     [](const Arguments& p) { return p.width("dim") >= 2 * p.width("axes"); }},
    {{"dim"},
     "even widths",
     [](const Arguments& p) { return p.width("dim") % 2 == 0; },
     {{{"uneven", {"round_up", "truncate"}}}}},
    {{"layout"},
     "sines before cosines, which are cut",
     [](const Arguments& p) { return p.is("layout", "sin_cos"); },
     {{{"uneven", {"truncate"}}}}},
    {{"dim", "axes"},
     "widths that have every sine",
     [](const Arguments& p) {
       const auto parts = parts_of(p);
       const auto all = std::accumulate(parts.begin(), parts.end(), std::size_t{0});
       return p.width("dim") + parts.back() / 2 >= all;
     },
     {{{"uneven", {"truncate"}}}}},
    {{"layout"},
     "interleaved columns, where some are cut",
     [](const Arguments& p) { return p.is("layout", "interleaved"); },
     {{{"uneven", {"round_up"}}}}},
    {{"parts"},
     "parts of one width, where axes alternate",
     [](const Arguments& p) {
       const auto parts = parts_of(p);
       return std::ranges::count(parts, parts[0]) == std::ssize(parts);
     },
     {{{"layout", {"alternating"}}}}},
    {{"dim", "parts"},
     "parts with two frequencies",
     [](const Arguments& p) { return std::ranges::min(parts_of(p)) >= 4; },
     {{{"divisor", {"half_minus_one"}}}}},
    {{"factors", "axes"},
     "numbers from 1, one for each axis, or [0]",
     [](const Arguments& p) {
       const auto& all = p.list("factors");
       return !given(all) || (all.size() == p.width("axes") && std::ranges::min(all) >= 1);
     },
     plain},
    {{"factor", "factors"},
     "1 where each axis has a factor of its own",
     [](const Arguments& p) { return !given(p.list("factors")) || p.real("factor") == 1; },
     plain},
    {{"grid", "axes"},
     "whole numbers from 1, one for each axis",
     [](const Arguments& p) {
       return p.list("grid").size() == p.width("axes") && whole_numbers_from(p.list("grid"), 1);
     },
     everywhere_normalised}};

using namespace properties;

const Condition alike{{{"normalize", {"none"}}, {"factors", {of_all_axes}}, {"bases", {of_all_axes}}}};
const Condition unscaled{{{"normalize", {"none"}}, {"factor", {1.0}}, {"factors", {of_all_axes}}}};
// No axis is cut off, and one radian a position is the fastest pair of each.
const Condition has_every_axis{{{"normalize", {"none"}}, {"uneven", {"refuse", "zero_pad", "truncate"}}}};
// No sine is without its cosine.
const Condition has_whole_pairs{{{"uneven", {"refuse", "zero_pad", "round_up"}}}},
    has_lone_sines{{{"uneven", {"truncate"}}}};

}  // namespace

const EncodingSpec entry{
    .summary = "sines and cosines of each number of a position on a grid, side by side",
    .formula = "p(y, x) = [sin y w_j, cos y w_j | sin x w_j, cos x w_j], w_j = base^(-4j/dim)",
    .source =
        "He et al. 2021, Masked Autoencoders; Carion et al. 2020, DETR, appendix A.4; half_minus_one: Beyer et "
        "al. 2022, Better plain ViT baselines for ImageNet-1k; factor: Esser et al. 2024, Stable Diffusion 3, "
        "section 5.3.2",
    .parameters = {parameters, relations},
    .reference = &make,
    .exact = &oracle::sincos_2d,
    .facts = {{&facts::is_added_to_the_tokens},
              {&facts::depends_on_position_alone},
              {&facts::distinguishes_positions, has_every_axis},
              {&facts::takes_steps_that_bf16_shows, has_every_axis},
              {&facts::moves_rigidly, has_whole_pairs},
              {&facts::moves_by_rotations, has_whole_pairs}},
    .witnesses =
        {
            fails(score::depends_on_offset, "dim=4 axis=0 q=[1,0,0,0] k=[0*4] i=0 j=0 t=1", 0.841,
                  "p_i.p_j depends on the offset alone, but q.p_j does not: q.p_0 = sin 0, q.p_1 = sin 1"),
            fails(score::decays_with_distance, "dim=4 axis=0 q=[0*4] i=6 far=6 near=3", 1.95,
                  "cos 6 > cos 3: the pair is periodic"),
            fails(attention::keeps_constant_sequences_constant, "dim=4 axis=0 n=2 mask=causal x=[0*4]", 0.469,
                  "the row is added to the values: the answers are p_0, then a mean of p_0 and p_1"),
            fails(attention::has_the_symmetry_of_its_mask,
                  "dim=4 axis=0 n=2 mask=none permutation=[1,0] x=[0*8]", 0.0963,
                  "two equal tokens without a mask have different answers: each favours its own position"),
            fails(attention::permutation_equivariant, "dim=4 axis=0 n=2 permutation=[1,0] mask=none x=[0*8]",
                  0.0963, "exchanging two equal tokens changes nothing, but their answers differ"),
            fails(attention::pooled_readout_invariant, "dim=4 axis=0 n=2 permutation=[1,0] x=[1,0*7]", 0.198,
                  "the token is added to p_0, then to p_1"),
            fails(attention::query_order_equivariant,
                  "dim=4 axis=0 queries=2 keys=2 permutation=[1,0] q=[0*8] k=[0*8]", 0.0963,
                  "equal queries in rows 0 and 1 prefer the key in their own row"),
            fails(attention::key_order_invariant,
                  "dim=4 axis=0 queries=1 keys=2 permutation=[1,0] q=[0*4] k=[1,0*7]", 0.114,
                  "the key is added to p_0, then to p_1"),
        },
    .claims =
        {
            // Each column is a sine or a cosine of one number of the position.
            holds(axes::depends_on_vector_offset, has_whole_pairs),
            holds(axes::acts_on_each_axis_alone),
            holds(axes::swaps_axes_by_a_permutation, alike),
            fails(axes::swaps_axes_by_a_permutation, "dim=4 normalize=detr grid=[5,3] a=0 b=1 i=0 i_1=1",
                  0.809, "one row is a fifth of a turn, one column a third: cos 2 pi/5 and cos 2 pi/3"),
            fails(score::depends_on_order, "dim=8 axes=3 layout=interleaved uneven=round_up axis=2 i=3",
                  0.000244, "three parts of 4 columns are cut to 8: none is left for the last axis"),
            fails(
                table::has_constant_norm, "dim=10 axes=3 uneven=truncate axis=2 t=1", 0.17,
                "two sines of the last axis have no cosine: the norm is the root of 4 + sin(1)^2 + sin(0.01)^2, not of 4",
                has_lone_sines),
            holds(table::keeps_pairs_on_the_unit_circle),
            holds(table::has_different_dot_products_near_and_far),
            holds(table::rotates_clockwise),
            holds(table::composes_translations),
            holds(table::inverts_translation_by_transposing),
            holds(table::has_translations_of_determinant_one),
            holds(table::has_geometric_wavelengths, unscaled),
            fails(table::has_geometric_wavelengths, "dim=4 normalize=detr grid=[5,3] axis=0 t=0 doublings=0",
                  0.257, "the shortest wavelength is the extent of the grid, not 2 pi"),
        },
};

}  // namespace posproof::encodings_sincos_2d
