#include <algorithm>
#include <numeric>

#include "catalogue/encodings/axial_rope.h"
#include "catalogue/oracle/axial_rope.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/axes/is_one_ladder_where_numbers_are_equal.h"
#include "catalogue/properties/axes/swaps_axes_by_a_permutation.h"
#include "catalogue/properties/call/treats_heads_alike.h"
#include "catalogue/properties/rotary/layouts_agree_after_one_permutation.h"
#include "catalogue/properties/rotary/leaves_the_tail_untouched.h"
#include "catalogue/properties/score/decays_with_distance.h"
#include "catalogue/properties/score/depends_on_order.h"
#include "core/declare.h"
#include "core/error.h"
#include "encodings/axial.h"
#include "encodings/facts.h"
#include "encodings/ladder.h"

namespace posproof {
namespace {

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

Encoding make(const Arguments& p) {
  const std::size_t axes = p.width("axes");
  const auto parts = parts_of(p);
  const std::size_t rotating = std::accumulate(parts.begin(), parts.end(), std::size_t{0});
  const long double factor = p.real("factor");
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
      if (factor != 1) pair.frequency_error = divided();
      ladder.add(pair, ladder::frequency(p.real("base"), 2 * index, over) / factor);
    }
  return axial::rotary(ladder);
}

const std::vector<Parameter> parameters = {
    whole("dim", type::any_width, 64, {4, 8, 12, 14, 64}, "width of a head", "channels"),
    whole("heads", any_heads, 1, {1, 3},
          "heads, all rotated alike; a gate asks with 2 where nothing is said"),
    whole("axes", {2, 3}, 2, {2, 3}, "numbers in a position: 2 (row, column), 3 (time, row, column)"),
    above_0("base", 10000, {10000, 100, 10}, "ratio of the slowest wavelength to the fastest, in the limit"),
    {"parts",
     type::List{3},
     std::vector<double>{0},
     {std::vector<double>{0}, std::vector<double>{2, 6}, std::vector<double>{6, 2},
      std::vector<double>{2, 6, 4}},
     "how many channels each axis rotates, the first channels' axis first; [0]: an even share of the width",
     "channels"},
    convention(
        "layout", {"half_split", "half_split_by_axis", "interleaved"},
        "channels that rotate together: half_split (i, i + half of those that rotate), half_split_by_axis "
        "(the same within the part of each axis), interleaved (2i, 2i + 1)"),
    convention(
        "order", {"blocks", "alternating"},
        "whose pair is which: blocks (all of one axis, then all of the next), alternating (pair i is of "
        "axis i mod axes)"),
    convention(
        "ladder", {"restarted", "strided"},
        "frequencies of an axis: restarted (base^(-2j/its channels)), strided (number axes j + a of those "
        "of all channels that rotate)"),
    convention("axis_order", {"given", "reversed"},
               "which axis has the first part: given (the position's first number), reversed (its last)"),
    {"factor",
     type::Real{.lo = 1, .from = true},
     1.0,
     {1.0, 2.0},
     "what positions are divided by: the grid's extent over that of training"}};

const std::vector<Relation> relations = {
    {{"heads", "dim"},
     "at most 1048576 channels in all heads",
     [](const Arguments& p) { return p.width("heads") * p.width("dim") <= std::size_t{type::any_width.hi}; }},
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
    {{"order"},
     "blocks, where the halves are those of each axis",
     [](const Arguments& p) { return p.is("order", "blocks"); },
     {{{"layout", {"half_split_by_axis"}}}}}};

using namespace properties;

// Every axis has the same frequencies.
const Condition restarted{{{"ladder", {"restarted"}}}};

}  // namespace

const EncodingSpec encodings::axial_rope{
    .summary = "query and key rotated pair by pair, each pair by one number of a position on a grid",
    .formula = "(x_a, x_b) -> R(p_axis w_j) (x_a, x_b), w_j = base^(-2j/channels of the axis)",
    .source =
        "Heo et al. 2024, Rotary Position Embedding for Vision Transformer, eq. 10; Agrawal et al. 2024, "
        "Pixtral 12B; Wang et al. 2024, Qwen2-VL",
    .parameters = {parameters, relations},
    .reference = &make,
    .exact = &oracle::axial_rope,
    .facts = {{&facts::acts_on_logits_alone},
              {&facts::rotates_by_each_number},
              {&facts::depends_on_offset_alone},
              {&facts::distinguishes_positions, restarted}},
    .witnesses =
        {
            fails(attention::has_the_symmetry_of_its_mask,
                  "dim=4 axis=1 n=2 mask=none permutation=[1,0] x=[1,0,0,0,1,1,0,0]", 0.195,
                  "the angle between the tokens rotates the other way as they change places"),
            fails(attention::permutation_equivariant,
                  "dim=4 axis=1 n=2 permutation=[1,0] mask=none x=[1,0,0,0,1,1,0,0]", 0.195,
                  "the angle between the tokens rotates the other way as they change places"),
            fails(attention::pooled_readout_invariant,
                  "dim=4 axis=1 n=2 permutation=[1,0] x=[1,0,0,0,1,1,0,0]", 0.0977,
                  "the logits of the reordered tokens are others, and so are the weights"),
            fails(attention::query_order_equivariant,
                  "dim=4 axis=0 queries=2 keys=2 permutation=[1,0] q=[1,0*7] k=[1,0*7]", 0.0553,
                  "query and key together: logit 1/2; one row apart: cos(1)/2"),
            fails(attention::key_order_invariant,
                  "dim=4 axis=0 queries=1 keys=2 permutation=[1,0] q=[1,0,0,0] k=[1,0*7]", 0.0553,
                  "the key in row 0: logit 1/2; in row 1: cos(1)/2"),
        },
    .claims =
        {
            holds(axes::swaps_axes_by_a_permutation, restarted),
            fails(
                axes::swaps_axes_by_a_permutation,
                "dim=8 ladder=strided a=0 b=1 x=[0,0,1,0*5] role=query i=0 i_1=1", 0.742,
                "rows have the frequencies 1 and 0.01, columns 0.1 and 0.001: cos(1) and sin(1) stand where "
                "those of 0.1 should"),
            holds(axes::is_one_ladder_where_numbers_are_equal,
                  {{{"order", {"alternating"}}, {"ladder", {"strided"}}}}),
            fails(axes::is_one_ladder_where_numbers_are_equal, "dim=8 x=[0,0,1,0*5] t=1 role=query", 0.841,
                  "1, 0.01, then 1 again: sin 1 in place of sin 10^-4"),
            fails(score::depends_on_order, "dim=8 axes=3 ladder=strided axis=2 i=3", 0.000202,
                  "the last axis has the slowest frequency alone, 0.002 radians a column"),
            holds(rotary::leaves_the_tail_untouched),
            holds(rotary::layouts_agree_after_one_permutation),
            fails(score::decays_with_distance, "dim=4 axis=0 q=[1,0,0,0] i=6 far=6 near=3", 1.95,
                  "cos 6 > cos 3: a pair comes round; what falls off is a bound on the sum of many"),
            holds(call::treats_heads_alike),
        },
};

}  // namespace posproof
