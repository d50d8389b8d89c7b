#include <algorithm>
#include <cmath>

#include "catalogue/encodings/xpos.h"
#include "catalogue/oracle/xpos.h"
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
#include "encodings/ladder.h"
#include "encodings/rotary_widths.h"

namespace posproof::encodings_xpos {
namespace {

// A pair, its frequency, and zeta, of which it is a power.
struct Stretched {
  Pair pair;
  long double w, zeta;
};

std::vector<Stretched> pairs_of(const Arguments& p) {
  const std::size_t rotating = rotary_widths::rotating(p);
  const long double gamma = p.real("gamma");
  std::vector<Stretched> out;
  for (std::size_t i = 0; i < rotating / 2; ++i) {
    const bool split = p.is("layout", "half_split");
    const long double w = ladder::frequency(p.real("base"), 2 * i, rotating);
    const long double share = 2 * static_cast<long double>(i) / static_cast<long double>(rotating);
    const Pair pair{split ? i : 2 * i, split ? i + rotating / 2 : 2 * i + 1, static_cast<double>(w), i};
    out.push_back({pair, w, (share + gamma) / (1 + gamma)});
  }
  return out;
}

// (t - c) / B for a query, (c - t) / B for a key.
struct Exponent {
  long double centre, scale_base;

  long double operator()(double t, Role role) const {
    const long double e = (static_cast<long double>(t) - centre) / scale_base;
    return role == Role::query ? e : -e;
  }
};

// In a call with that centre.
Rotary centred_at(long double centre, const Arguments& p) {
  const std::size_t dim = p.width("dim"), heads = p.width("heads");
  const std::vector<Stretched> pairs = pairs_of(p);
  const Exponent exponent{centre, p.real("scale_base")};

  Rotary rotary{.dim = dim, .heads = heads};
  for (const Stretched& one : pairs) rotary.pairs.push_back(one.pair);
  rotary.stretch = [pairs, exponent](const Pair& pair, double t, Role role) {
    return static_cast<double>(std::pow(pairs.at(pair.index).zeta, exponent(t, role)));
  };
  // zeta carries 4 roundings (2i/d, a sum, a sum below it, a quotient) which count |e| times in zeta^e; t -
  // c, the quotient by B and ln zeta within 1 ulp put e ln zeta off by 4 of itself; the power is within 1
  // ulp, and a key's may be its reciprocal: 3. It is kept in the table's format, and multiplied there or in
  // the work's.
  rotary.stretch_error = [pairs, exponent](const Pair& pair, double t, const Precision& precision) {
    const double e = static_cast<double>(std::abs(exponent(t, Role::query)));
    const double logarithm = static_cast<double>(std::abs(std::log(pairs.at(pair.index).zeta)));
    return (3 + e * (4 + 4 * logarithm)) * precision.angle +
           2 * std::max(precision.table(), precision.work());
  };
  rotary.rotate = [pairs, exponent, heads, dim](const Tensor& x, std::span<const Position> positions,
                                                Role role) {
    check_rotation(x, positions, heads, dim);
    const std::size_t n = x.shape[2];
    Tensor out = x;
    for (std::size_t row = 0; row < x.rows(); ++row) {
      const Position t = positions[row / (heads * n) * n + row % n];
      for (const auto& [pair, w, zeta] : pairs) {
        const long double angle = static_cast<long double>(t) * w;
        const long double size = std::pow(zeta, exponent(static_cast<double>(t), role));
        const long double a = x.at(row, pair.first), b = x.at(row, pair.second);
        out.at(row, pair.first) = static_cast<double>(size * (a * std::cos(angle) - b * std::sin(angle)));
        out.at(row, pair.second) = static_cast<double>(size * (a * std::sin(angle) + b * std::cos(angle)));
      }
    }
    return out;
  };
  return rotary;
}

// Half of the length of a call, which ends with its largest position.
Position half_of(Position last, bool up) {
  const Position length = last + 1;
  return up ? length - length / 2 : length / 2;
}

Rotary centred_in_each_call(const Arguments& p) {
  const bool up = p.is("centre_at", "half_of_call_rounded_up");
  Rotary rotary = centred_at(0, p);
  rotary.in_call = [p, up](Position last) {
    return std::make_shared<const Rotary>(centred_at(static_cast<long double>(half_of(last, up)), p));
  };
  rotary.rotate = [in_call = rotary.in_call](const Tensor& x, std::span<const Position> positions,
                                             Role role) {
    return in_call(positions.empty() ? 0 : std::ranges::max(positions))->rotate(x, positions, role);
  };
  // Where no call is known, that of the farthest token of one that ends there: the first is so far from c.
  const auto farthest = [up](double t) { return static_cast<double>(half_of(static_cast<Position>(t), up)); };
  rotary.stretch = [own = rotary.stretch, farthest](const Pair& pair, double t, Role role) {
    return own(pair, farthest(t), role);
  };
  rotary.stretch_error = [own = rotary.stretch_error, farthest](const Pair& pair, double t,
                                                                const Precision& precision) {
    return own(pair, farthest(t), precision);
  };
  return p.is("length_of", "row") ? by_row(std::move(rotary)) : rotary;
}

Encoding make(const Arguments& p) {
  const bool of_position = p.is("centre_at", "position");
  Rotary rotary = of_position ? centred_at(p.real("centre"), p) : centred_in_each_call(p);
  rotary.positions.hi = 1 << 14;
  rotary.positions.hard = hard_positions(rotary.pairs, rotary.positions.lo, rotary.positions.hi);
  return rotary;
}

using namespace properties;

const Condition of_a_position{{{"centre_at", {"position"}}}};
const Condition centred_at_0{{{"centre_at", {"position"}}, {"centre", {0.0}}}};
// Half of one token is none.
const Condition rounded_down{{{"centre_at", {"half_of_call"}}}};
// The longer the call, the farther on is its centre.
const Condition of_each_call{{{"centre_at", {"half_of_call", "half_of_call_rounded_up"}}}};

const Condition of_the_batch{
    {{"centre_at", {"half_of_call", "half_of_call_rounded_up"}}, {"length_of", {"batch"}}}};
const Condition of_each_row{
    {{"centre_at", {"half_of_call", "half_of_call_rounded_up"}}, {"length_of", {"row"}}}};

}  // namespace

const EncodingSpec entry{
    .summary =
        "RoPE whose queries shrink with the position as their keys grow, so that the largest possible logit of an earlier key falls with its distance",
    .formula =
        "query pair i: zeta_i^((t - c)/B) R(t w_i); key pair i: zeta_i^((c - t)/B) R(t w_i); "
        "zeta_i = (2i/r + gamma) / (1 + gamma), w_i = base^(-2i/r) of the r channels that rotate",
    .source = "Sun et al. 2022, A Length-Extrapolatable Transformer, section 3.2 and algorithm 1",
    .parameters =
        {.all =
             {whole("dim", type::any_width, 64, {2, 4, 8, 64}, "width of a head", "channels"),
              whole("heads", any_heads, 1, {1, 3},
                    "heads, all rotated alike; a gate asks with 2 unless told otherwise"),
              above_0(
                  "base", 10000, {10000, 10},
                  "its powers are the frequencies, from 1 to nearly 1/base where the width is large and all channels rotate"),
              convention(
                  "layout", {"interleaved", "half_split"},
                  "channels that rotate together, of the r of rotary_dim: half_split (i, i + r/2), interleaved (2i, 2i + 1)"),
              whole(
                  "rotary_dim", {0, type::any_width.hi}, 0, {0, 4},
                  "r: how many channels rotate and are scaled, the first ones, as in x-transformers; 0: all",
                  "channels"),
              above_0("gamma", 0.4, {0.4, 1},
                      "how slowly the first pair decays: its zeta is gamma / (1 + gamma)"),
              above_0("scale_base", 512, {512, 64},
                      "B: number of positions over which a query is scaled by zeta", "positions"),
              convention(
                  "centre_at", {"position", "half_of_call", "half_of_call_rounded_up"},
                  "what c is: a position, or half of the length of the call (its largest position and 1), rounded down "
                  "(x-transformers, rotary-embedding-torch, local-attention) or up (torchscale)"),
              where(of_each_call,
                    convention(
                        "length_of", {"batch", "row"},
                        "whose length that is: batch (of all rows of a call), row (of each row its own, of "
                        "sequences of different lengths)")),
              where(of_a_position, {"centre",
                                    type::Real{-0x1p53},
                                    0.0,
                                    {0.0, 256.0},
                                    "c: the position at which nothing is scaled",
                                    "positions",
                                    true})},
         .relations = {rotary_widths::pairs_rotate, rotary_widths::all_heads_fit,
                       rotary_widths::a_part_rotates}},
    .reference = &make,
    .exact = &oracle::xpos,
    .facts = {{&facts::acts_on_logits_alone},
              {&facts::depends_on_offset_alone, of_a_position},
              {&facts::distinguishes_positions}},
    .witnesses =
        {
            fails(attention::has_the_symmetry_of_its_mask,
                  "dim=2 n=2 mask=none permutation=[1,0] x=[-1,0,1,0]", 0.578,
                  "exchanging the two tokens reverses the sign of the angle between them"),
            fails(attention::permutation_equivariant,
                  "dim=2 n=3 permutation=[1,0,2] mask=none x=[1,0,1,0,0,0]", 0.13,
                  "exchanging the two tokens reverses the sign of the angle between them"),
            fails(
                attention::pooled_readout_invariant, "dim=2 n=2 permutation=[1,0] x=[1,0,0,1]", 0.000451,
                "query 1 and key 0 are scaled by zeta^(1/512) together, query 0 and key 1 by its reciprocal"),
            fails(attention::query_order_equivariant,
                  "dim=2 queries=2 keys=2 permutation=[1,0] q=[1,0,0,0] k=[1,0,0,0]", 0.0756,
                  "query and key together: logit 1/sqrt 2; one position apart: zeta^(1/512) cos(1)/sqrt 2"),
            fails(attention::key_order_invariant,
                  "dim=2 queries=1 keys=2 permutation=[1,0] q=[1,0] k=[1,0,0,0]", 0.0752,
                  "the key at 0: logit 1/sqrt 2; at 1: cos(1) zeta^(-1/512)/sqrt 2"),
        },
    .claims =
        {
            holds(rotary::is_linear),
            holds(rotary::is_identity_at_zero, centred_at_0),
            holds(rotary::is_identity_at_zero, rounded_down),
            holds(rotary::composes, centred_at_0),
            holds(call::treats_heads_alike),
            holds(rotary::leaves_the_tail_untouched),
            fails(rotary::is_identity_at_zero, "dim=2 centre=256 batch=1 n=1 x=[1,0] role=query", 0.871,
                  "position 0 is 256 before the centre, and is scaled by zeta^(-1/2), zeta = 2/7"),
            fails(
                rotary::composes, "dim=2 centre=256 batch=1 n=1 i1=0 x=[1,0] t1=1 role=query", 1.37,
                "two rotations are scaled by zeta^(-1/2) and zeta^(-255/512), one rotation by the latter alone"),
            fails(rotary::preserves_norm, "dim=2 batch=1 n=1 i1=1 x=[1,0] role=query", 0.00244,
                  "the query at position 1 has the norm zeta^(1/512), zeta = 2/7"),
            fails(rotary::preserves_pair_norms, "dim=2 batch=1 n=1 i1=1 x=[1,0] role=query", 0.00244,
                  "the query at position 1 has the norm zeta^(1/512), zeta = 2/7"),
            fails(rotary::inverts_at_the_opposite_position,
                  "dim=2 batch=1 n=1 i1=1 x=[1,0] role=query s1=0 y=[1,0]", 0.00488,
                  "the transpose scales by the same factor; the inverse would scale by its reciprocal"),
            fails(rotary::layouts_agree_after_one_permutation,
                  "dim=2 pairs=neighbours batch=1 n=1 i1=1 x=[1,0] role=query", 0.00206,
                  "each pair is multiplied by a complex number of norm zeta^(1/512)"),
            fails(rotary::role_does_not_matter, "dim=2 batch=1 n=2 i1=0 x=[0,0,1,0]", 0.00412,
                  "keys are scaled up where queries are scaled down"),
            fails(score::depends_on_offset, "dim=2 centre_at=half_of_call q=[1,0] k=[1,0] i=0 j=1 t=1",
                  0.00132,
                  "in calls that end with the token, 0 and 1 are at the centre, and 2 is one past it",
                  of_each_call),
            fails(call::agrees_in_chunks,
                  "dim=2 centre_at=half_of_call n=2 prefill=1 then=steps i=0 batch=1 x=[1,0,0,0] role=query",
                  0.00245,
                  "in a call of one token that token is at the centre, in a call of two the second is",
                  of_each_call),
            fails(
                call::treats_batch_rows_independently,
                "dim=2 centre_at=half_of_call batch=2 n=1 i1=0 i2=1 x=[1,0,0,0] row=1 role=query", 0.00245,
                "the second row ends at 1, so that the call is centred at 1; the first row alone is centred at 0",
                of_the_batch),
            holds(call::treats_batch_rows_independently, of_each_row),
            fails(score::decays_with_distance, "dim=2 q=[1,0] i=4 far=4 near=3", 0.335,
                  "cos 4 > cos 3, and zeta^(1/512) is nearly 1: only the envelope decays"),
        },
    .only = {{&call::agrees_in_chunks, of_a_position},
             {&call::treats_batch_rows_independently, of_a_position}},
};

}  // namespace posproof::encodings_xpos
