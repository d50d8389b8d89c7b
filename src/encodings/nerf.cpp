#include "catalogue/encodings/nerf.h"

#include <cmath>

#include "catalogue/oracle/nerf.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/keeps_constant_sequences_constant.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/score/decays_with_distance.h"
#include "catalogue/properties/score/depends_on_offset.h"
#include "catalogue/properties/table/composes_translations.h"
#include "catalogue/properties/table/distinguishes_neighbours_in_bf16.h"
#include "catalogue/properties/table/distinguishes_neighbours_in_f16.h"
#include "catalogue/properties/table/dot_product_depends_on_offset.h"
#include "catalogue/properties/table/has_bounded_entries.h"
#include "catalogue/properties/table/has_constant_norm.h"
#include "catalogue/properties/table/has_different_dot_products_near_and_far.h"
#include "catalogue/properties/table/has_distinct_positions.h"
#include "catalogue/properties/table/has_geometric_wavelengths.h"
#include "catalogue/properties/table/has_translations_of_determinant_one.h"
#include "catalogue/properties/table/inverts_translation_by_transposing.h"
#include "catalogue/properties/table/rotates_clockwise.h"
#include "catalogue/properties/table/shifts_base_by_a_rotation.h"
#include "catalogue/properties/table/translates_by_a_rotation.h"
#include "core/declare.h"
#include "core/hard.h"
#include "encodings/facts.h"
#include "encodings/turns.h"

namespace posproof::encodings_nerf {
namespace {

// Where everything stands: the coordinates themselves, then or before that three loops in some order over
// frequencies, sine and cosine, and axes.
struct Columns {
  std::size_t axes, frequencies;
  std::string order;
  std::size_t first = 0;   // column of the first sine
  std::size_t inputs = 0;  // column of the first coordinate
  bool has_input = false;

  std::size_t dim() const { return axes * (2 * frequencies + (has_input ? 1 : 0)); }

  std::size_t at(std::size_t frequency, std::size_t part, std::size_t axis) const {
    if (order == "frequency_part_axis") return first + (2 * frequency + part) * axes + axis;
    if (order == "part_frequency_axis") return first + (part * frequencies + frequency) * axes + axis;
    if (order == "part_axis_frequency") return first + (part * axes + axis) * frequencies + frequency;
    return first + (axis * frequencies + frequency) * 2 + part;
  }
};

Columns columns(const Arguments& p) {
  Columns out{.axes = p.width("axes"), .frequencies = p.width("frequencies"), .order = p.word("order")};
  out.has_input = !p.is("input", "none");
  if (p.is("input", "first")) out.first = out.axes;
  if (p.is("input", "last")) out.inputs = 2 * out.frequencies * out.axes;
  return out;
}

// A power of 2 is exact; as a power it may be an ulp off (2 units). Pi is rounded and multiplied with the
// power or the coordinate (2). Where the cosine is the sine of the angle and pi/2, pi/2 is rounded and so is
// the sum: pi + |a| units of 1, which move the cosine by |sin a| times as much. That is less than 5 units of
// |a|: from 1 on pi + |a| is, and below |sin a| <= |a|.
constexpr FrequencyError formed{.condition = 0, .roundings = 9};
// Of a number between two the difference of the ends, the share, their product and the sum are rounded: 4 in
// place of 2.
constexpr FrequencyError interpolated{.condition = 0, .roundings = 11};

// What the factor multiplies, one for each frequency of an axis.
std::vector<long double> bands_of(const Arguments& p) {
  const std::size_t n = p.width("frequencies");
  std::vector<long double> out;
  for (std::size_t j = 0; j < n; ++j) {
    const long double share = n == 1 ? 0 : static_cast<long double>(j) / static_cast<long double>(n - 1);
    out.push_back(p.is("bands", "linear") ? 1 + share * (static_cast<long double>(p.real("last_band")) - 1)
                                          : std::ldexp(1.0L, static_cast<int>(j)));
  }
  return out;
}

Encoding make(const Arguments& p) {
  const Columns c = columns(p);
  const std::string factor = p.word("factor");
  const std::vector<long double> bands = bands_of(p);
  const FrequencyError error = p.is("bands", "linear") ? interpolated : formed;
  const long double unit = factor == "one"  ? 1
                           : factor == "pi" ? std::numbers::pi_v<long double>
                                            : 2 * std::numbers::pi_v<long double>;

  Table table{.dim = c.dim()};
  for (std::size_t axis = 0; axis < c.axes; ++axis)
    for (std::size_t j = 0; j < c.frequencies; ++j)
      table.pairs.push_back(
          {c.at(j, 0, axis), c.at(j, 1, axis), static_cast<double>(unit * bands[j]), j, error, axis});
  table.positions = {-128, 128, hard_positions(table.pairs, -128, 128)};
  table.positions.axes = c.axes;
  table.positions.real = true;
  table.rows = [c, factor, bands](const Positions& positions, Position) {
    Tensor rows({positions.size(), c.dim()});
    for (std::size_t r = 0; r < positions.size(); ++r)
      for (std::size_t axis = 0; axis < c.axes; ++axis) {
        const long double x = positions.at(r, axis);
        if (c.has_input) rows.at(r, c.inputs + axis) = static_cast<double>(x);
        for (std::size_t j = 0; j < c.frequencies; ++j) {
          const long double times = bands[j] * x;
          const OnTheCircle point = factor == "one"  ? OnTheCircle{std::sin(times), std::cos(times)}
                                    : factor == "pi" ? of_turns(times / 2)
                                                     : of_turns(times);
          rows.at(r, c.at(j, 0, axis)) = static_cast<double>(point.sine);
          rows.at(r, c.at(j, 1, axis)) = static_cast<double>(point.cosine);
        }
      }
    return rows;
  };
  return table;
}

using namespace properties;

const Condition of_linear_bands{{{"bands", {"linear"}}}};
const Condition without_pi{{{"factor", {"one"}}, {"bands", {"powers_of_two"}}}};
const Condition with_pi{{{"factor", {"pi", "two_pi"}}, {"bands", {"powers_of_two"}}}};
const Condition only_waves{{{"input", {"none"}}}};
const Condition with_input{{{"input", {"first", "last"}}}};
const Condition only_waves_with_pi{
    {{"factor", {"pi", "two_pi"}}, {"bands", {"powers_of_two"}}, {"input", {"none"}}}};
// A half turn per position changes the sign of sine and cosine, a whole one changes nothing.
const Condition only_half_turns{{{"factor", {"pi"}}, {"bands", {"powers_of_two"}}, {"input", {"none"}}}};
const Condition only_whole_turns{{{"factor", {"two_pi"}}, {"bands", {"powers_of_two"}}, {"input", {"none"}}}};
const Condition only_waves_without_pi{
    {{"factor", {"one"}}, {"bands", {"powers_of_two"}}, {"input", {"none"}}}};

}  // namespace

const EncodingSpec entry{
    .summary = "sine and cosine of a coordinate at frequencies that double, on each axis",
    .formula =
        "p_x = [sin(2^j f x), cos(2^j f x)] for j = 0 .. frequencies - 1, f = pi; linear: 1 + j (last_band - 1) / "
        "(frequencies - 1) for 2^j",
    .source = "Mildenhall et al. 2020, NeRF, eq. 4",
    .parameters =
        {.all = {whole("axes", {1, 3}, 1, {1, 2}, "coordinates of a position"),
                 whole("frequencies", {1, 64}, 10, {1, 2, 10}, "frequencies on each axis"),
                 convention("factor", {"pi", "one", "two_pi"},
                            "of every frequency: pi (paper), one (the released code), two_pi "
                            "(nerfstudio)"),
                 convention("bands", {"powers_of_two", "linear"},
                            "what the factor multiplies: powers_of_two (1, 2, 4, ..), linear (evenly from "
                            "1 to last_band: timm's FourierEmbed, NeRF's log_sampling=False)"),
                 where(of_linear_bands,
                       above_0("last_band", 112, {112, 5},
                               "the last of two or more: half of timm's max_res, 2^(frequencies - 1) of "
                               "NeRF's")),
                 convention("input", {"none", "first", "last"},
                            "whether the row contains the coordinates themselves, and where"),
                 convention("order",
                            {"axis_frequency_part", "frequency_part_axis", "part_frequency_axis",
                             "part_axis_frequency"},
                            "what the columns count, slowest first; a part is all sines or all "
                            "cosines: axis_frequency_part (paper), frequency_part_axis (released "
                            "code), part_frequency_axis (jaxnerf), part_axis_frequency (nerfstudio)")},
         .relations = {}},
    .reference = &make,
    .exact = &oracle::nerf,
    .facts =
        {{&facts::is_added_to_the_tokens},
         {&facts::depends_on_position_alone},
         {&facts::distinguishes_positions, without_pi},
         {&facts::takes_steps_that_bf16_shows, only_waves_without_pi},
         {&facts::moves_rigidly},
         {&facts::moves_by_rotations,
          only_waves,
          {&table::has_constant_norm, &table::dot_product_depends_on_offset},
          "some implementations (jaxnerf, nerfstudio, tiny-cuda-nn) form a cosine as the sine of the angle plus pi/2, a sum that is rounded, so that norms and dot products are off by more than the rounding of each entry allows; agreement bounds each entry"}},
    .witnesses =
        {
            fails(score::depends_on_offset, "frequencies=1 factor=one q=[1,0] k=[0,0] i=0 j=0 t=1", 0.841,
                  "p_i.p_j depends on the offset alone, but q.p_j does not: q.p_0 = sin 0, q.p_1 = sin 1"),
            fails(score::decays_with_distance, "frequencies=1 factor=one q=[0,0] i=6 far=6 near=3", 1.95,
                  "cos 6 > cos 3: the pair is periodic"),
            fails(attention::keeps_constant_sequences_constant,
                  "frequencies=1 factor=one n=2 mask=causal x=[0,0]", 0.489,
                  "the row is added to the values: the answers are p_0, then a mean of p_0 and p_1"),
            fails(attention::has_the_symmetry_of_its_mask,
                  "frequencies=1 factor=one n=2 mask=none permutation=[1,0] x=[0*4]", 0.136,
                  "two equal tokens without a mask have different answers: each favours its own position"),
            fails(attention::permutation_equivariant,
                  "frequencies=1 factor=one n=2 permutation=[1,0] mask=none x=[0*4]", 0.136,
                  "exchanging two equal tokens changes nothing, but their answers differ"),
            fails(attention::pooled_readout_invariant,
                  "frequencies=1 factor=one n=2 permutation=[1,0] x=[1,0,0,0]", 0.341,
                  "the token is added to p_0, then to p_1"),
            fails(attention::query_order_equivariant,
                  "frequencies=1 factor=one queries=2 keys=2 permutation=[1,0] q=[0*4] k=[0*4]", 0.136,
                  "equal queries at 0 and 1 each favour the key at their own position"),
            fails(attention::key_order_invariant,
                  "frequencies=1 factor=one queries=1 keys=2 permutation=[1,0] q=[0,0] k=[1,0,0,0]", 0.161,
                  "the key is added to p_0, then to p_1"),
        },
    .claims =
        {
            holds(table::rotates_clockwise),
            holds(table::composes_translations),
            holds(table::inverts_translation_by_transposing),
            holds(table::has_translations_of_determinant_one),
            holds(table::has_different_dot_products_near_and_far, without_pi),
            fails(table::has_distinct_positions, "frequencies=1 t=0 k=2", 1,
                  "sin(pi t) = 0 and cos(pi t) = 1 at every even number", only_waves_with_pi),
            fails(table::has_bounded_entries, "frequencies=1 input=first t=2 n=3", 1,
                  "the row contains the coordinate itself", with_input),
            fails(table::has_constant_norm, "frequencies=1 input=first t=2", 1.24,
                  "the row contains the coordinate itself", with_input),
            fails(table::has_geometric_wavelengths, "frequencies=1 factor=two_pi t=0 doublings=0", 1,
                  "at whole positions a frequency of 2 pi looks like 0, not like 1 radian per position",
                  with_pi),
            fails(table::translates_by_a_rotation, "frequencies=1 input=first k=1 s=0 t=1", 1,
                  "the coordinate itself grows by 1", with_input),
            fails(table::shifts_base_by_a_rotation, "frequencies=1 input=first n=2 c=1", 1,
                  "the coordinate itself grows by 1", with_input),
            fails(table::dot_product_depends_on_offset, "frequencies=1 input=first k=1 s=0 t=1", 2,
                  "the coordinates contribute 0 x 1 = 0 and 1 x 2 = 2, the pair cos pi = -1 to both",
                  with_input),
            holds(table::distinguishes_neighbours_in_bf16, only_half_turns),
            fails(table::distinguishes_neighbours_in_bf16, "frequencies=1 factor=two_pi t=0 n=2", 1,
                  "the frequency 2 pi is a whole turn per position", only_whole_turns),
            holds(table::distinguishes_neighbours_in_f16, only_half_turns),
            fails(table::distinguishes_neighbours_in_f16, "frequencies=1 factor=two_pi t=0 n=2", 1,
                  "the frequency 2 pi is a whole turn per position", only_whole_turns),
        },
};

}  // namespace posproof::encodings_nerf
