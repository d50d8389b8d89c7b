#include <algorithm>
#include <cmath>

#include "catalogue/encodings/rope.h"
#include "catalogue/oracle/rope.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/call/agrees_in_chunks.h"
#include "catalogue/properties/call/treats_batch_rows_independently.h"
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
#include "catalogue/properties/score/depends_on_offset.h"
#include "core/by_row.h"
#include "core/declare.h"
#include "core/hard.h"
#include "core/rotation.h"
#include "encodings/facts.h"
#include "encodings/rotary_widths.h"
#include "encodings/scaling.h"

namespace posproof::encodings_rope {
namespace {

// The channels that rotate, and the parts of a rotation that need no position.
struct Ladder {
  std::size_t dim, heads;
  std::vector<Pair> pairs;
  std::vector<long double> w;  // one per pair, negative where it rotates backward
  long double amplitude;
  std::vector<std::size_t> order;  // of the channels in the answer
};

// What 2i is divided by in the exponent.
std::size_t divisor_of(const Arguments& p) {
  return p.is("exponent", "dim") ? p.width("dim") : rotary_widths::rotating(p);
}

// The channels of the answer: the first of all pairs, then the second of all, then the tail.
std::vector<std::size_t> order_of(const Arguments& p) {
  std::vector<std::size_t> order;
  if (!p.is("layout", "interleaved") || !p.is("output_layout", "half_split")) return order;
  const std::size_t dim = p.width("dim"), rotating = rotary_widths::rotating(p);
  const std::size_t from = p.is("rotary_part", "last") ? dim - rotating : 0;
  for (std::size_t c = 0; c < dim; ++c) {
    const std::size_t i = c - from, half = rotating / 2;
    const bool rotates = c >= from && i < rotating;
    order.push_back(!rotates ? c : from + (i < half ? 2 * i : 2 * (i - half) + 1));
  }
  return order;
}

// Of a sequence of so many tokens.
Ladder ladder_of(const Arguments& p, Position length) {
  Ladder out{p.width("dim"), p.width("heads"), {}, {}, 1, order_of(p)};
  const double base = p.real("base");
  const bool split = p.is("layout", "half_split"), forward = p.is("direction", "forward");
  const std::size_t rotating = rotary_widths::rotating(p), d = divisor_of(p);
  const scaling::Scaling scaled = scaling::scaling_of(p, length);
  out.amplitude = scaled.amplitude;
  const std::size_t kept = p.width("kept_pairs"), from = p.is("rotary_part", "last") ? out.dim - rotating : 0;
  for (std::size_t i = 0; i < (kept == 0 ? rotating / 2 : kept); ++i) {
    const auto [w, frequency_error] = scaling::frequency(scaled, base, d, i);
    out.w.push_back(forward ? w : -w);
    out.pairs.push_back({from + (split ? i : 2 * i), from + (split ? i + rotating / 2 : 2 * i + 1),
                         static_cast<double>(out.w.back()), i, frequency_error});
  }
  return out;
}

Tensor rotate(const Ladder& ladder_of, const Tensor& x, std::span<const Position> positions) {
  check_rotation(x, positions, ladder_of.heads, ladder_of.dim);
  const std::size_t n = x.shape[2];
  Tensor out = x;
  for (std::size_t token = 0; token < positions.size(); ++token)
    for (std::size_t i = 0; i < ladder_of.pairs.size(); ++i) {
      const std::size_t first = ladder_of.pairs[i].first, second = ladder_of.pairs[i].second;
      const long double angle = static_cast<long double>(positions[token]) * ladder_of.w[i];
      const long double c = ladder_of.amplitude * std::cos(angle), s = ladder_of.amplitude * std::sin(angle);
      for (std::size_t head = 0; head < ladder_of.heads; ++head) {
        const std::size_t row = (token / n * ladder_of.heads + head) * n + token % n;
        out.at(row, first) = static_cast<double>(x.at(row, first) * c - x.at(row, second) * s);
        out.at(row, second) = static_cast<double>(x.at(row, first) * s + x.at(row, second) * c);
      }
    }
  return out;
}

Rotary of(const Ladder& made) {
  Rotary rotary{.dim = made.dim, .heads = made.heads, .pairs = made.pairs};
  rotary.amplitude = static_cast<double>(made.amplitude);
  rotary.order = made.order;
  rotary.rotate = [made, own = rotary](const Tensor& x, std::span<const Position> positions, Role) {
    return in_order(own, rotate(made, x, positions));
  };
  return rotary;
}

// Frequencies that change with the length of the call, which begin to where the length that was trained on
// ends.
bool depends_on_the_call(const Arguments& p) {
  const bool changes =
      p.is("scaling", "dynamic_ntk") || (p.is("scaling", "longrope") && !p.list("short_factors").empty());
  return changes && p.whole("length") == 0;
}

Encoding make(const Arguments& p) {
  Rotary rotary = of(ladder_of(p, p.whole("length")));
  Domain& domain = rotary.positions;
  domain.hard = hard_positions(rotary.pairs, domain.lo, domain.hi);
  if (!depends_on_the_call(p)) return rotary;
  add_switches(domain, p.real("original_length"));
  rotary.in_call = [p](Position last) { return std::make_shared<const Rotary>(of(ladder_of(p, last + 1))); };
  rotary.rotate = [p](const Tensor& x, std::span<const Position> positions, Role role) {
    const Position last = positions.empty() ? 0 : std::ranges::max(positions);
    return of(ladder_of(p, last + 1)).rotate(x, positions, role);
  };
  return p.is("length_of", "row") ? by_row(std::move(rotary)) : rotary;
}

using namespace properties;

// Where a parameter of a scaling is looked at.
Condition of(std::vector<Value> kinds) {
  return {{{"scaling", std::move(kinds)}}};
}
const Condition scaled = of({"linear", "ntk", "dynamic_ntk", "by_parts", "yarn", "llama3", "longrope"});

const Condition of_each_call{{{"scaling", {"dynamic_ntk", "longrope"}}, {"length", {0.0}}}};

constexpr std::string_view rotations = "rotations in original_length";

// YaRN and LongRoPE multiply every rotation with their attention factor.
const Condition isometry{{{"scaling", {"none", "linear", "ntk", "dynamic_ntk", "by_parts", "llama3"}}}};
// Dynamic NTK, and LongRoPE with two lists, take their frequencies from the length of the call.
const Condition of_the_position_alone{
    {{"scaling", {"none", "linear", "ntk", "by_parts", "yarn", "llama3", "longrope"}},
     {"short_factors", {std::vector<double>{}}}}};
const Condition dynamic = of({"dynamic_ntk"});
const Condition dynamic_of_the_batch{{{"scaling", {"dynamic_ntk"}}, {"length_of", {"batch"}}}};
const Condition dynamic_of_each_row{{{"scaling", {"dynamic_ntk", "longrope"}}, {"length_of", {"row"}}}};
const Condition group{{{"scaling", {"none", "linear", "ntk", "by_parts", "llama3"}}}};

const std::vector<Parameter> parameters = {
    whole("dim", type::any_width, 64, {2, 4, 6, 8, 64}, "width of a head", "channels"),
    whole("heads", any_heads, 1, {1, 3},
          "heads, all rotated alike; a gate asks with 2 unless told otherwise"),
    above_0(
        "base", 10000, {10000, 500000, 10},
        "its powers are the frequencies, before scaling: from 1 to nearly 1/base where the width is large and all channels rotate"),
    convention(
        "layout", {"half_split", "interleaved"},
        "channels that rotate together, of the r of rotary_dim: half_split (i, i + r/2), interleaved (2i, 2i + 1)"),
    whole("rotary_dim", {0, type::any_width.hi}, 0, {0, 2, 4}, "how many channels rotate; 0: all of them",
          "channels"),
    of_words("rotary_part", {"first", "last"}, "which `rotary_dim` channels rotate: first, last"),
    whole(
        "kept_pairs", {0, type::any_width.hi / 2}, 0, {0, 1},
        "how many pairs rotate, the first ones, which above base 1 are the fastest before scaling; 0: all (p-RoPE)",
        "pairs"),
    convention("exponent", {"rotary_dim", "dim"}, "what 2i is divided by in the exponent: rotary_dim, dim"),
    where(
        {{{"layout", {"interleaved"}}}},
        convention(
            "output_layout", {"as_taken", "half_split"},
            "layout of the answer: as_taken, half_split (all first channels, then all second); claims of rotary/ and score/ are about the answer with its channels put back")),
    convention("direction", {"forward", "backward"}, "forward: by +t w_i; backward: by -t w_i"),
    convention(
        "scaling", {"none", "linear", "ntk", "dynamic_ntk", "by_parts", "yarn", "llama3", "longrope"},
        "for more positions than were trained on: none, linear (w_i/factor), ntk "
        "(another base), dynamic_ntk (a base for each length), by_parts (ramp over rotations), yarn (ramp over i, and an "
        "attention factor), llama3, longrope (a divisor for each w_i)"),
    where(scaled, above_0("factor", 8, {8, 2}, "how many times longer than trained, from 1")),
    where(of({"dynamic_ntk", "by_parts", "yarn", "llama3", "longrope"}),
          above_0("original_length", 8192, {8192, 64, 6, 1000000}, "trained length", "positions")),
    where(of({"llama3"}),
          above_0("low_freq_factor", 1, {1, 2}, "w_i is divided by factor up to so many", rotations)),
    where(of({"llama3"}), above_0("high_freq_factor", 4, {4, 8}, "w_i is kept from so many on", rotations)),
    where(of({"by_parts", "yarn"}),
          above_0("beta_fast", 32, {32, 16}, "w_i is kept from so many on (by_parts: beta)", rotations)),
    where(of({"by_parts", "yarn"}),
          above_0("beta_slow", 1, {1, 2}, "w_i is divided by factor up to so many (by_parts: alpha)",
                  rotations)),
    where(of({"yarn"}), {"truncate",
                         type::Flag{},
                         "true",
                         {"true", "false"},
                         "whether the ramp's ends are rounded outward to whole i",
                         "",
                         true}),
    where(of({"yarn", "longrope"}),
          {"attention_factor",
           type::Real{.from = true},
           0.0,
           {0.0, 1.5},
           "factor of cosine and sine; 0: as the paper computes it (yarn: from mscale and mscale_all_dim)"}),
    where(of({"yarn"}), {"mscale",
                         type::Real{.from = true},
                         1.0,
                         {1.0, 0.707},
                         "factor of the logarithm in the attention factor"}),
    where(of({"yarn"}), {"mscale_all_dim",
                         type::Real{.from = true},
                         0.0,
                         {0.0, 0.5},
                         "the same in the number that the attention factor is divided by; 0: not divided"}),
    where(
        of({"dynamic_ntk", "longrope"}),
        whole(
            "length", {0, std::int64_t{1} << 40}, 0, {0, 20000},
            "length of the sequence that the frequencies are made for; 0: that of each call (its last position + 1)",
            "tokens")),
    where(of_each_call,
          convention("length_of", {"batch", "row"},
                     "whose largest position that is: batch (of all rows of a call, as in Hugging Face), row "
                     "(of each row its own, as in Qwen and TurboMind)")),
    where(of({"longrope"}), {"short_factors",
                             type::List{std::size_t{type::any_width.hi} / 2},
                             std::vector<double>{},
                             {std::vector<double>{}, std::vector<double>{1.25}},
                             "divisors of w_i up to original_length; empty: `factors` there, too"}),
    where(of({"longrope"}), {"factors",
                             type::List{std::size_t{type::any_width.hi} / 2},
                             std::vector<double>{1},
                             {std::vector<double>{1}, std::vector<double>{1, 1.5}, std::vector<double>{4}},
                             "divisor of each w_i, fastest first; the last one is repeated"})};

bool are_divisors(const Arguments& p, const std::vector<double>& list) {
  return list.size() <= std::max<std::size_t>(1, rotary_widths::rotating(p) / 2) &&
         std::ranges::all_of(list, [](double one) { return one > 0; });
}

const std::vector<Relation> relations = {
    rotary_widths::all_heads_fit,
    rotary_widths::a_part_rotates,
    rotary_widths::pairs_rotate,
    {{"factor"},
     "numbers from 1, where there is a scaling",
     [](const Arguments& p) { return p.real("factor") >= 1; },
     scaled},
    {{"base"},
     "numbers above 1, where there is a scaling",
     [](const Arguments& p) { return p.real("base") > 1; },
     scaled},
    {{"dim", "rotary_dim", "exponent"},
     "exponents over more than 2 channels",
     [](const Arguments& p) { return divisor_of(p) > 2; },
     of({"ntk", "dynamic_ntk"})},
    {{"kept_pairs", "dim", "rotary_dim"},
     "numbers up to that of the pairs that rotate",
     [](const Arguments& p) { return p.width("kept_pairs") <= rotary_widths::rotating(p) / 2; }},
    {{"factors"},
     "numbers above 0, one for each pair at most",
     [](const Arguments& p) { return !p.list("factors").empty() && are_divisors(p, p.list("factors")); },
     of({"longrope"})},
    {{"short_factors"},
     "numbers above 0, one for each pair at most",
     [](const Arguments& p) { return are_divisors(p, p.list("short_factors")); },
     of({"longrope"})},
    {{"original_length", "attention_factor"},
     "lengths above 1, where the attention factor is a logarithm's",
     [](const Arguments& p) { return p.real("original_length") > 1 || p.real("attention_factor") != 0; },
     of({"longrope"})},
    {{"low_freq_factor", "high_freq_factor"},
     "numbers up to `high_freq_factor`",
     [](const Arguments& p) { return p.real("low_freq_factor") <= p.real("high_freq_factor"); },
     of({"llama3"})},
    {{"beta_slow", "beta_fast"},
     "numbers below `beta_fast`",
     [](const Arguments& p) { return p.real("beta_slow") < p.real("beta_fast"); },
     of({"by_parts"})},
    {{"beta_slow", "beta_fast"},
     "numbers up to `beta_fast`",
     [](const Arguments& p) { return p.real("beta_slow") <= p.real("beta_fast"); },
     of({"yarn"})}};

}  // namespace

const EncodingSpec entry{
    .summary = "query and key rotated pair by pair, by angles proportional to the position",
    .formula =
        "(x_a, x_b) -> (x_a cos t w_i - x_b sin t w_i, x_a sin t w_i + x_b cos t w_i), w_i = base^(-2i/dim)",
    .source = "Su et al. 2021, RoFormer: Enhanced Transformer with Rotary Position Embedding, eq. 34",
    .parameters = {parameters, relations},
    .reference = &make,
    .exact = &oracle::rope,
    .facts = {{&facts::acts_on_logits_alone},
              {&facts::depends_on_offset_alone, of_the_position_alone},
              {&facts::distinguishes_positions}},
    .witnesses =
        {
            fails(attention::has_the_symmetry_of_its_mask,
                  "dim=2 n=2 mask=none permutation=[1,0] x=[1,0,1,1]", 0.28,
                  "exchanging the two tokens reverses the sign of the angle between them"),
            fails(attention::permutation_equivariant, "dim=2 n=2 permutation=[1,0] mask=none x=[1,0,1,1]",
                  0.28, "exchanging the two tokens reverses the sign of the angle between them"),
            fails(attention::pooled_readout_invariant, "dim=2 n=2 permutation=[1,0] x=[1,0,1,1]", 0.254,
                  "the reordered tokens have other logits, and so other weights"),
            fails(attention::query_order_equivariant,
                  "dim=2 queries=2 keys=2 permutation=[1,0] q=[1,0,0,0] k=[1,0,0,0]", 0.0754,
                  "query and key together: logit 1/sqrt 2; one position apart: cos(1)/sqrt 2"),
            fails(attention::key_order_invariant,
                  "dim=2 queries=1 keys=2 permutation=[1,0] q=[1,0] k=[1,0,0,0]", 0.0754,
                  "the key at 0: logit 1/sqrt 2; at 1: cos(1)/sqrt 2"),
        },
    .claims =
        {
            holds(rotary::preserves_norm, isometry),
            holds(rotary::preserves_pair_norms, isometry),
            holds(rotary::composes, group),
            holds(rotary::inverts_at_the_opposite_position, group),
            holds(rotary::is_identity_at_zero, isometry),
            holds(rotary::is_linear),
            holds(rotary::leaves_the_tail_untouched),
            holds(rotary::layouts_agree_after_one_permutation, group),
            holds(rotary::role_does_not_matter),
            fails(rotary::preserves_norm, "dim=2 scaling=yarn batch=1 n=1 i1=0 x=[1,0] role=query", 0.208,
                  "the attention factor 0.1 ln 8 + 1 scales every rotation"),
            fails(rotary::preserves_pair_norms, "dim=2 scaling=yarn batch=1 n=1 i1=0 x=[1,0] role=query",
                  0.208, "the attention factor 0.1 ln 8 + 1 scales every rotation"),
            fails(rotary::is_identity_at_zero, "dim=2 scaling=yarn batch=1 n=1 x=[1,0] role=query", 0.208,
                  "the attention factor 0.1 ln 8 + 1 scales the rotation by angle 0 as well"),
            fails(rotary::composes, "dim=2 scaling=yarn batch=1 n=1 i1=0 x=[1,0] t1=1 role=query", 0.211,
                  "two rotations are scaled twice: (A^2 - A) sin 1 with A = 0.1 ln 8 + 1"),
            fails(rotary::inverts_at_the_opposite_position,
                  "dim=2 scaling=yarn batch=1 n=1 i1=1 x=[1,0] role=query s1=0 y=[1,0]", 0.251,
                  "one side has A^2 and the other A: A^2 - A with A = 0.1 ln 8 + 1"),
            fails(rotary::layouts_agree_after_one_permutation,
                  "dim=2 scaling=yarn pairs=neighbours batch=1 n=1 i1=0 x=[1,0] role=query", 0.208,
                  "a complex number of norm 0.1 ln 8 + 1 multiplies each pair"),
            fails(score::depends_on_offset,
                  "dim=4 scaling=dynamic_ntk original_length=6 q=[0,1,0,0] k=[0,1,0,0] i=0 j=1 t=5", 0.000245,
                  "the call that holds the key at 6 is longer than the query's, and has other frequencies",
                  dynamic),
            fails(
                call::agrees_in_chunks,
                "dim=4 scaling=dynamic_ntk original_length=6 n=2 prefill=1 then=steps i=5 batch=1 x=[0,1,0*6] "
                "role=query",
                0.0286, "once there is a token at 6, the one at 5 is rotated by other frequencies", dynamic),
            fails(
                call::treats_batch_rows_independently,
                "dim=4 scaling=dynamic_ntk original_length=6 batch=2 n=1 i1=1 i2=6 x=[0,1,0*6] row=1 role=query",
                0.00571,
                "the second row is longer than the trained length, and changes the frequencies of the first",
                dynamic_of_the_batch),
            holds(call::treats_batch_rows_independently, dynamic_of_each_row),
            fails(rotary::composes,
                  "dim=4 scaling=dynamic_ntk original_length=6 batch=1 n=1 i1=1 x=[0,1,0,0] t1=5 role=query",
                  0.0343, "1 and 5 are within the trained length, and 6 is not", dynamic),
            fails(rotary::inverts_at_the_opposite_position,
                  "dim=4 scaling=dynamic_ntk original_length=6 batch=1 n=1 i1=1 x=[0,1,0,0] role=query s1=5 "
                  "y=[0,1,0,0]",
                  0.00113, "1 and 5 are within the trained length, and 6 is not", dynamic),
            fails(rotary::layouts_agree_after_one_permutation,
                  "dim=4 scaling=dynamic_ntk original_length=6 pairs=neighbours batch=1 n=1 i1=6 x=[0,0,1,0] "
                  "role=query",
                  0.0343, "calls that reach position 6 have other frequencies than shorter ones", dynamic),
            fails(score::depends_on_offset,
                  "dim=2 scaling=longrope original_length=6 short_factors=[1.25] q=[1,0] k=[1,0] i=0 j=1 t=5",
                  2.4,
                  "the key at 6 takes its divisors from the long list, the query at 5 from the short one",
                  {{{"short_factors", {std::vector<double>{1.25}}}}}),
            fails(score::decays_with_distance, "dim=2 q=[1,0] i=6 far=6 near=3", 1.95,
                  "cos 6 > cos 3: one pair is periodic; what decays is a bound on the sum over many pairs"),
            holds(call::treats_heads_alike),
        },
    .only = {{&call::agrees_in_chunks, of_the_position_alone},
             {&call::treats_batch_rows_independently, of_the_position_alone}},
};

}  // namespace posproof::encodings_rope
