#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "catalogue/encodings/m_rope.h"
#include "catalogue/oracle/m_rope.h"
#include "catalogue/properties/attention/breaks_the_symmetry.h"
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
#include "encodings/axial.h"
#include "encodings/facts.h"
#include "encodings/ladder.h"
#include "encodings/rotary_widths.h"

namespace posproof::encodings_m_rope {
namespace {

constexpr std::size_t time_id = 0, height_id = 1, width_id = 2;

// Which id rotates pair i; none: the pair is left over.
std::optional<std::size_t> id_of(const Arguments& p, const std::array<std::size_t, 3>& sections,
                                 std::size_t i) {
  const auto [t, h, w] = sections;
  if (p.is("assignment", "contiguous")) {
    if (i < t) return time_id;
    if (i < t + h) return height_id;
    if (i < t + h + w) return width_id;
    return std::nullopt;
  }
  if (p.is("assignment", "alternating")) {
    if (i < h + w) return i % 2 == 0 ? height_id : width_id;
    if (i < h + w + t) return time_id;
    return std::nullopt;
  }
  const std::size_t id = i % 3;
  if (i < 3 * sections[id]) return id;
  return std::nullopt;
}

std::array<std::size_t, 3> sections_of(const Arguments& p) {
  std::array<std::size_t, 3> out{};
  for (std::size_t n = 0; n < 3; ++n) out[n] = static_cast<std::size_t>(p.list("sections")[n]);
  return out;
}

Encoding make(const Arguments& p) {
  const std::size_t rotating = rotary_widths::rotating(p);
  const auto sections = sections_of(p);
  const bool split = p.is("layout", "half_split"), running = p.is("ladder", "running");
  const std::size_t before = p.is("ids", "hw") ? 1 : 0;  // ids that a position has no number of
  axial::Ladder ladder{.dim = p.width("dim"), .heads = p.width("heads"), .axes = 3 - before};
  std::array<std::size_t, 3> seen{};
  for (std::size_t i = 0; i < rotating / 2; ++i) {
    auto id = id_of(p, sections, i);
    if (!id && p.is("leftover", "none")) continue;
    if (!id) id = time_id;
    const std::size_t index = running ? i : seen[*id]++;
    Pair pair{.first = split ? i : 2 * i,
              .second = split ? i + rotating / 2 : 2 * i + 1,
              .frequency = 0,
              .index = index};
    if (*id < before) continue;  // rotated by the time 0
    pair.axis = *id - before;
    ladder.add(pair, ladder::frequency(p.real("base"), running ? 2 * index : 4 * index, rotating));
  }
  return axial::rotary(ladder);
}

const std::vector<Parameter> parameters = {
    whole("dim", type::any_width, 128, {8, 16, 6, 128}, "width of a head", "channels"),
    whole("heads", any_heads, 1, {1, 3},
          "heads, all rotated alike; a gate asks with 2 unless told otherwise"),
    above_0(
        "base", 10000, {10000, 1000000, 10},
        "its powers are the frequencies, from 1 to nearly 1/base where the width is large and all channels rotate by the running ladder"),
    convention(
        "layout", {"half_split", "interleaved"},
        "channels that rotate together, of the r of rotary_dim: half_split (i, i + r/2), interleaved (2i, 2i + 1)"),
    whole("rotary_dim", {0, type::any_width.hi}, 0, {0, 6},
          "how many channels rotate, the first ones; 0: all", "channels"),
    of_words(
        "ids", {"thw", "hw"},
        "numbers of a position: thw, hw (of an image, whose time is 0: the pairs of t do not rotate, as in timm's "
        "RotaryEmbeddingMRope)"),
    {"sections",
     type::List{3},
     std::vector<double>{16, 24, 24},
     {std::vector<double>{16, 24, 24}, std::vector<double>{24, 20, 20}, std::vector<double>{1, 1, 1},
      std::vector<double>{1, 2, 1}, std::vector<double>{2, 1, 1}},
     "how many pairs rotate by each of the ids t, h, w",
     "pairs"},
    convention(
        "assignment", {"contiguous", "interleaved", "alternating"},
        "whose pair is which: contiguous (t, then h, then w), interleaved (i mod 3, up to three times the "
        "section), alternating (h and w in turn, then t)"),
    of_words("leftover", {"t", "none"}, "pairs of no section: t (rotated by t), none (not rotated)"),
    of_words(
        "ladder", {"running", "restarted"},
        "frequencies: running (base^(-2i/channels) across the sections), restarted (base^(-4j/channels) from "
        "each section's first pair on)")};

const std::vector<Relation> relations = {
    rotary_widths::all_heads_fit,
    rotary_widths::a_part_rotates,
    rotary_widths::pairs_rotate,
    {{"sections", "dim", "rotary_dim"},
     "three whole numbers from 0, together at least 1 and at most the number of pairs",
     [](const Arguments& p) {
       const auto& list = p.list("sections");
       double sum = 0;
       for (const double section : list) {
         if (!(section >= 0 && section == std::floor(section))) return false;
         sum += section;
       }
       return list.size() == 3 && sum >= 1 && sum <= static_cast<double>(rotary_widths::rotating(p) / 2);
     }},
    {{"ladder"},
     "running ladders, where sections are not contiguous",
     [](const Arguments& p) { return p.is("ladder", "running"); },
     {{{"assignment", {"interleaved", "alternating"}}}}},
    {{"sections"},
     "a section of h or of w that is not 0, where the time is",
     [](const Arguments& p) { return p.list("sections")[1] + p.list("sections")[2] > 0; },
     {{{"ids", {"hw"}}}}}};

using namespace properties;

// What 1-D RoPE rotates: text, all of whose ids are the same.
const Condition one_ladder{{{"ids", {"thw"}}, {"leftover", {"t"}}, {"ladder", {"running"}}}};

}  // namespace

const EncodingSpec entry{
    .summary =
        "query and key rotated pair by pair, each pair by one of a token's three ids: time, height, width",
    .formula = "(x_a, x_b) -> R(p_id(i) w_i) (x_a, x_b), w_i = base^(-2i/dim), id(i) in (t, h, w)",
    .source = "Wang et al. 2024, Qwen2-VL, section 2.1; interleaved: Bai et al. 2025, Qwen3-VL",
    .parameters = {parameters, relations},
    .reference = &make,
    .exact = &oracle::m_rope,
    .facts = {{&facts::acts_on_logits_alone},
              {&facts::rotates_by_each_number},
              {&facts::depends_on_offset_alone},
              {&facts::distinguishes_positions,
               {},
               {&attention::breaks_the_symmetry, &score::depends_on_order}}},
    .witnesses =
        {
            fails(attention::has_the_symmetry_of_its_mask,
                  "dim=2 sections=[1,0,0] axis=0 n=2 mask=none permutation=[1,0] x=[1,0,1,1]", 0.28,
                  "exchanging the two tokens reverses the sign of the angle between them"),
            fails(attention::permutation_equivariant,
                  "dim=2 sections=[1,0,0] axis=0 n=2 permutation=[1,0] mask=none x=[1,0,1,1]", 0.28,
                  "exchanging the two tokens reverses the sign of the angle between them"),
            fails(attention::pooled_readout_invariant,
                  "dim=2 sections=[1,0,0] axis=0 n=2 permutation=[1,0] x=[1,0,1,1]", 0.254,
                  "the reordered tokens have other logits, and so other weights"),
            fails(attention::query_order_equivariant,
                  "dim=2 sections=[1,0,0] axis=0 queries=2 keys=2 permutation=[1,0] q=[1,0*3] k=[1,0*3]",
                  0.0754, "query and key together: logit 1/sqrt 2; one frame apart: cos(1)/sqrt 2"),
            fails(attention::key_order_invariant,
                  "dim=2 sections=[1,0,0] axis=0 queries=1 keys=2 permutation=[1,0] q=[1,0] k=[1,0*3]",
                  0.0754, "the key in frame 0: logit 1/sqrt 2; in frame 1: cos(1)/sqrt 2"),
        },
    .claims =
        {
            fails(attention::breaks_the_symmetry, "dim=8 sections=[2,1,1] axis=2 n=3 permutation=[1,0,2]",
                  0.000384, "w has only the slowest pair, 0.001 radians per column"),
            fails(score::depends_on_order, "dim=6 sections=[1,1,1] axis=2 i=3", 0.000202,
                  "w has only the slowest pair, 0.002 radians per column"),
            fails(axes::swaps_axes_by_a_permutation,
                  "dim=6 sections=[1,1,1] a=0 b=1 x=[0,1,0*4] role=query i=0 i_1=1 i_2=0", 0.795,
                  "t has the fastest pair and h the next one, which is 22 times slower"),
            holds(axes::is_one_ladder_where_numbers_are_equal, one_ladder),
            fails(axes::is_one_ladder_where_numbers_are_equal,
                  "dim=8 sections=[2,1,1] ladder=restarted x=[0,0,1,0*5] t=1 role=query", 0.841,
                  "the frequencies are 1, 0.01 and then 1 again: sin 1 in place of sin 10^-4"),
            fails(
                axes::is_one_ladder_where_numbers_are_equal,
                "dim=18 base=10 sections=[2,2,3] assignment=interleaved leftover=none x=[0*8,1,0*9] t=1 role=query",
                0.085,
                "pairs 6 and 7 do not rotate, and pair 8 keeps its own frequency, which is not the next on the ladder"),
            holds(rotary::leaves_the_tail_untouched),
            holds(rotary::layouts_agree_after_one_permutation),
            fails(score::decays_with_distance, "dim=2 sections=[1,0,0] axis=0 q=[1,0] i=6 far=6 near=3", 1.95,
                  "cos 6 > cos 3: one pair is periodic; what decays is a bound on the sum over many pairs"),
            holds(call::treats_heads_alike),
        },
};

}  // namespace posproof::encodings_m_rope
