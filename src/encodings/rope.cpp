#include <cmath>

#include "catalogue/encodings.h"
#include "catalogue/properties.h"
#include "core/hard.h"
#include "encodings/checked.h"
#include "encodings/scaling.h"
#include "oracle/oracle.h"

namespace posproof {
namespace {

// The channels that rotate, and the parts of a rotation that need no position.
struct Ladder {
  std::size_t dim, heads;
  std::vector<Pair> pairs;
  std::vector<long double> w;  // one per pair, negative where it rotates backward
  long double amplitude;
};

Ladder ladder_of(const Parameters& parameters) {
  Ladder out{checked::width(parameters, "dim"), checked::width(parameters, "heads"), {}, {}, 1};
  const double base = checked::positive(parameters, "base");
  const bool split = checked::one_of(parameters, "layout", {"half_split", "interleaved"}) == "half_split";
  const auto given = checked::whole(parameters, "rotary_dim", 0, static_cast<std::int64_t>(out.dim));
  const std::size_t rotating = given == 0 ? out.dim : static_cast<std::size_t>(given);
  if (rotating % 2 == 1)
    throw Refusal(fmt::format("`dim={} rotary_dim={}`: {} channels rotate, allowed are even numbers", out.dim,
                              given, rotating));
  const bool own = checked::one_of(parameters, "exponent", {"rotary_dim", "dim"}) == "rotary_dim";
  const bool forward = checked::one_of(parameters, "direction", {"forward", "backward"}) == "forward";
  const std::size_t d = own ? rotating : out.dim;
  const scaling::Scaling scaled = scaling::read(parameters, base, d);
  out.amplitude = scaled.amplitude;
  for (std::size_t i = 0; i < rotating / 2; ++i) {
    const auto [w, frequency_error] = scaling::frequency(scaled, base, d, i);
    out.w.push_back(forward ? w : -w);
    out.pairs.push_back({split ? i : 2 * i, split ? i + rotating / 2 : 2 * i + 1,
                         static_cast<double>(out.w.back()), i, frequency_error});
  }
  return out;
}

Tensor rotate(const Ladder& ladder_of, const Tensor& x, std::span<const Position> positions) {
  if (x.shape.size() != 4 || x.shape[1] != ladder_of.heads || x.shape[3] != ladder_of.dim ||
      positions.size() != x.shape[0] * x.shape[2])
    throw std::invalid_argument(fmt::format(
        "a rotation of x {} at {} positions: allowed are [batch, {}, n, {}] and batch * n positions",
        text(x.shape), positions.size(), ladder_of.heads, ladder_of.dim));
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

Encoding make(const Parameters& parameters) {
  const Ladder made = ladder_of(parameters);
  Rotary rotary{.dim = made.dim, .heads = made.heads, .pairs = made.pairs};
  rotary.amplitude = static_cast<double>(made.amplitude);
  rotary.positions.hard = hard_positions(made.pairs, rotary.positions.lo, rotary.positions.hi);
  rotary.rotate = [made](const Tensor& x, std::span<const Position> positions, Role) {
    return rotate(made, x, positions);
  };
  return rotary;
}

using namespace properties;

// YaRN multiplies every rotation with its attention factor.
const Condition isometry{{{"scaling", {"none", "linear", "ntk", "by_parts", "llama3"}}}};

}  // namespace

const EncodingSpec encodings::rope{
    .summary = "query and key rotated pair by pair, by angles proportional to the position",
    .formula =
        "(x_a, x_b) -> (x_a cos t w_i - x_b sin t w_i, x_a sin t w_i + x_b cos t w_i), w_i = base^(-2i/dim)",
    .source = "Su et al. 2021, RoFormer: Enhanced Transformer with Rotary Position Embedding, eq. 34",
    .parameters =
        {{"dim", 64.0, {2.0, 4.0, 6.0, 8.0, 64.0}, "width of a head, channels"},
         {"heads", 1.0, {1.0, 3.0}, "heads, all rotated alike"},
         {"base",
          10000.0,
          {10000.0, 500000.0},
          "ratio of the slowest wavelength to the fastest, in the limit"},
         {"layout",
          "half_split",
          {"half_split", "interleaved"},
          "channels that rotate together: half_split (i, i + width/2), interleaved (2i, 2i + 1)",
          true},
         {"rotary_dim", 0.0, {0.0, 2.0, 4.0}, "how many channels rotate, the first ones; 0: all of them"},
         {"exponent",
          "rotary_dim",
          {"rotary_dim", "dim"},
          "what 2i is divided by in the exponent: rotary_dim, dim",
          true},
         {"direction", "forward", {"forward", "backward"}, "forward: by +t w_i; backward: by -t w_i", true},
         {"scaling",
          "none",
          {"none", "linear", "ntk", "by_parts", "yarn", "llama3"},
          "for more positions than were trained on: none, linear (w_i/factor), ntk (another base), by_parts "
          "(ramp over rotations), yarn (ramp over i, and an attention factor), llama3",
          true},
         {"factor", 8.0, {8.0}, "of a scaling: times as many positions, from 1"},
         {"original_length", 8192.0, {8192.0}, "by_parts, yarn, llama3: positions trained on"},
         {"low_freq_factor",
          1.0,
          {1.0},
          "llama3, low_freq_factor: rotations in original_length up to which w_i is divided by factor"},
         {"high_freq_factor", 4.0, {4.0}, "llama3, high_freq_factor: rotations from which w_i is kept"},
         {"beta_fast", 32.0, {32.0}, "by_parts (beta) and yarn: rotations from which w_i is kept"},
         {"beta_slow",
          1.0,
          {1.0},
          "by_parts (alpha) and yarn: rotations up to which w_i is divided by factor"},
         {"truncate",
          "true",
          {"true", "false"},
          "yarn: whether the ramp's ends are rounded outward to whole i: true, false",
          true},
         {"attention_factor", 0.0, {0.0}, "yarn: of cosine and sine; 0: 0.1 ln factor + 1"}},
    .make = &make,
    .oracle = &oracle::rope,
    .claims =
        {
            holds(rotary::preserves_norm, isometry),
            holds(rotary::preserves_pair_norms, isometry),
            holds(rotary::composes, isometry),
            holds(rotary::inverts_at_the_opposite_position, isometry),
            holds(rotary::is_identity_at_zero, isometry),
            holds(rotary::is_linear),
            holds(rotary::leaves_the_tail_untouched),
            holds(rotary::layouts_agree_after_one_permutation, isometry),
            holds(rotary::role_does_not_matter),
            fails(rotary::preserves_norm, "dim=2 scaling=yarn batch=1 n=1 i1=0 x=[1,0] role=query", 0.208,
                  "the attention factor 0.1 ln 8 + 1 stretches every rotation"),
            fails(rotary::preserves_pair_norms, "dim=2 scaling=yarn batch=1 n=1 i1=0 x=[1,0] role=query",
                  0.208, "the attention factor 0.1 ln 8 + 1 stretches every rotation"),
            fails(rotary::is_identity_at_zero, "dim=2 scaling=yarn batch=1 n=1 x=[1,0] role=query", 0.208,
                  "the attention factor 0.1 ln 8 + 1 stretches the rotation by no angle, too"),
            fails(rotary::composes, "dim=2 scaling=yarn batch=1 n=1 i1=0 x=[1,0] t1=1 role=query", 0.211,
                  "two rotations are stretched twice: (A^2 - A) sin 1 with A = 0.1 ln 8 + 1"),
            fails(rotary::inverts_at_the_opposite_position,
                  "dim=2 scaling=yarn batch=1 n=1 i1=1 x=[1,0] role=query s1=0 y=[1,0]", 0.251,
                  "A^2 on one side and A on the other: A^2 - A with A = 0.1 ln 8 + 1"),
            fails(rotary::layouts_agree_after_one_permutation,
                  "dim=2 scaling=yarn pairs=neighbours batch=1 n=1 i1=0 x=[1,0] role=query", 0.208,
                  "a complex number of norm 0.1 ln 8 + 1 multiplies each pair"),
            holds(score::depends_on_offset),
            holds(score::depends_on_order),
            fails(score::decays_with_distance, "dim=2 q=[1,0] i=6 far=6 near=3", 1.95,
                  "cos 6 > cos 3: a pair comes round; what falls off is a bound on the sum of many"),
            holds(attention::breaks_the_symmetry),
            holds(attention::is_causal),
            holds(attention::keeps_constant_sequences_constant),
            fails(attention::has_the_symmetry_of_its_mask,
                  "dim=2 n=2 mask=none permutation=[1,0] x=[1,0,1,1]", 0.28,
                  "the angle between the tokens rotates the other way as they change places"),
            fails(attention::permutation_equivariant, "dim=2 n=2 permutation=[1,0] mask=none x=[1,0,1,1]",
                  0.28, "the angle between the tokens rotates the other way as they change places"),
            fails(attention::pooled_readout_invariant, "dim=2 n=2 permutation=[1,0] x=[1,0,1,1]", 0.254,
                  "the logits of the reordered tokens are others, and so are the weights"),
            fails(attention::query_order_equivariant,
                  "dim=2 queries=2 keys=2 permutation=[1,0] q=[1,0,0,0] k=[1,0,0,0]", 0.0754,
                  "query and key together: logit 1/sqrt 2; one place apart: cos(1)/sqrt 2"),
            fails(attention::key_order_invariant,
                  "dim=2 queries=1 keys=2 permutation=[1,0] q=[1,0] k=[1,0,0,0]", 0.0754,
                  "the key at 0: logit 1/sqrt 2; at 1: cos(1)/sqrt 2"),
            holds(call::agrees_in_chunks),
            holds(call::is_stateless),
            holds(call::takes_positions_in_any_order),
            holds(call::treats_batch_rows_independently),
            holds(call::treats_heads_alike),
        },
};

}  // namespace posproof
