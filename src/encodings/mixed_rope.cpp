#include <algorithm>
#include <cmath>

#include "catalogue/encodings/mixed_rope.h"
#include "catalogue/oracle/mixed_rope.h"
#include "catalogue/properties/attention/breaks_the_symmetry.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/axes/is_one_ladder_where_numbers_are_equal.h"
#include "catalogue/properties/call/treats_heads_alike.h"
#include "catalogue/properties/score/decays_with_distance.h"
#include "catalogue/properties/score/depends_on_order.h"
#include "core/declare.h"
#include "core/error.h"
#include "core/hard.h"
#include "core/rotation.h"
#include "encodings/facts.h"
#include "encodings/rotary_widths.h"
#include "encodings/seeded.h"

namespace posproof::encodings_mixed_rope {
namespace {

// The frequency of each pair on each axis, in each head.
struct Frequencies {
  std::size_t axes, heads, pairs;
  std::vector<double> all;  // [axes, heads or 1, pairs]

  bool shared() const { return all.size() == axes * pairs; }
  double at(std::size_t axis, std::size_t head, std::size_t pair) const {
    return all.at((axis * (shared() ? 1 : heads) + (shared() ? 0 : head)) * pairs + pair);
  }
  // The largest |sum over the axes of what the numbers contribute|, had they all one sign.
  double reach(std::span<const double> position, std::size_t pair) const {
    double most = 0;
    for (std::size_t head = 0; head < heads; ++head) {
      double sum = 0;
      for (std::size_t axis = 0; axis < axes; ++axis) sum += std::abs(position[axis] * at(axis, head, pair));
      most = std::max(most, sum);
    }
    return most;
  }
};

Frequencies frequencies_of(const Arguments& p) {
  Frequencies out{p.width("axes"), p.width("heads"), p.width("dim") / 2, {}};
  const std::size_t count = out.axes * (p.flag("shared") ? 1 : out.heads) * out.pairs;
  if (p.is("table", "given")) {
    out.all = p.list("frequencies");
    return out;
  }
  for (std::size_t entry = 0; entry < count; ++entry)
    out.all.push_back(seeded(static_cast<std::uint64_t>(p.whole("table_seed")), entry, p.real("std")));
  return out;
}

// What an implementation may be off by: each frequency is kept in the angle's format, its product with a
// number is rounded, and so is that number where it is large, 3 units; and of sums over the axes one each
// fewer than there are. Of the rotation itself as of one by no angle.
void bound(const Frequencies& w, const std::vector<Pair>& pairs, std::span<const double> x,
           std::span<const double> position, const Precision& p, std::span<double> error) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double norm = std::hypot(x[pairs[i].first], x[pairs[i].second]);
    const double roundings = 2 + static_cast<double>(w.axes);
    const double angle = std::min(2.0, roundings * p.angle * w.reach(position, i));
    error[pairs[i].first] = error[pairs[i].second] = norm * (angle + rotation_error(p, 0, pairs[i]));
  }
}

Tensor rotate(const Frequencies& w, const std::vector<Pair>& pairs, std::size_t dim, const Tensor& x,
              const Positions& positions) {
  check_rotation(x, positions, w.heads, dim, w.axes);
  const std::size_t n = x.shape[2];
  Tensor out = x;
  for (std::size_t row = 0; row < x.rows(); ++row) {
    const std::size_t head = row / n % w.heads, token = row / (w.heads * n) * n + row % n;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      long double angle = 0;
      for (std::size_t axis = 0; axis < w.axes; ++axis)
        angle += static_cast<long double>(positions.at(token, axis)) * w.at(axis, head, i);
      const long double c = std::cos(angle), s = std::sin(angle);
      const double a = x.at(row, pairs[i].first), b = x.at(row, pairs[i].second);
      out.at(row, pairs[i].first) = static_cast<double>(a * c - b * s);
      out.at(row, pairs[i].second) = static_cast<double>(a * s + b * c);
    }
  }
  return out;
}

Encoding make(const Arguments& p) {
  const Frequencies w = frequencies_of(p);
  Rotary rotary{.dim = p.width("dim"), .heads = w.heads};
  const bool split = p.is("layout", "half_split");
  for (std::size_t i = 0; i < w.pairs; ++i) {
    // The largest of its frequencies: what is allowed along one axis grows with it.
    double most = 0;
    for (std::size_t axis = 0; axis < w.axes; ++axis)
      for (std::size_t head = 0; head < w.heads; ++head) most = std::max(most, std::abs(w.at(axis, head, i)));
    rotary.pairs.push_back({split ? i : 2 * i, split ? i + w.pairs : 2 * i + 1, most, i});
  }
  rotary.positions.axes = w.axes;
  rotary.positions.hard = hard_positions(rotary.pairs, rotary.positions.lo, rotary.positions.hi);
  rotary.rotate = [w, pairs = rotary.pairs, dim = rotary.dim](const Tensor& x, const Positions& positions,
                                                              Role) {
    return rotate(w, pairs, dim, x, positions);
  };
  rotary.error = [w, pairs = rotary.pairs](std::span<const double> x, std::span<const double> position, Role,
                                           const Precision& precision, std::span<double> error) {
    bound(w, pairs, x, position, precision, error);
  };
  return rotary;
}

const Condition drawn{{{"table", {"seeded"}}}};
const Condition given{{{"table", {"given"}}}};

const Condition shared_by_heads{{{"shared", {"true"}}}};

using namespace properties;

}  // namespace

const EncodingSpec entry{
    .summary =
        "query and key rotated pair by pair, each pair by a sum over the numbers of a position on a grid",
    .formula = "(x_a, x_b) -> R(y u_i + x v_i) (x_a, x_b), u and v trained",
    .source = "Heo et al. 2024, Rotary Position Embedding for Vision Transformer, eq. 12 (RoPE-Mixed)",
    .parameters =
        {.all = {whole("dim", type::any_width, 64, {4, 8, 2}, "width of a head", "channels"),
                 whole("heads", any_heads, 1, {1, 3}, "heads; a gate asks with 2 unless told otherwise"),
                 whole("axes", {2, 3}, 2, {2, 3},
                       "numbers in a position: 2 (row, column), 3 (time, row, column)"),
                 convention(
                     "layout", {"half_split", "interleaved"},
                     "channels that rotate together: half_split (i, i + width/2), interleaved (2i, 2i + 1)"),
                 {"shared",
                  type::Flag{},
                  "true",
                  {"true", "false"},
                  "whether all heads have the same frequencies"},
                 of_words(
                     "table", {"seeded", "given"},
                     "what stands for the trained frequencies: seeded (uniform, of mean 0), given (a list)"),
                 where(drawn, whole("table_seed", type::any_whole, 1, {1, 2},
                                    "seed of the table, in the order of `frequencies`")),
                 where(drawn,
                       above_0("std", 0.5, {0.5, 0.125}, "standard deviation of its entries", "radians")),
                 where(given, {"frequencies",
                               type::List{std::size_t{type::any_width.hi}},
                               std::vector<double>{1, 0, 0, 1},
                               {std::vector<double>{1, 0.5, 0.25, 2}, std::vector<double>{0.5, 1, 2, 0.25}},
                               "[axes, heads, pairs], or [axes, pairs] where heads share them",
                               "radians"})},
         .relations = {rotary_widths::all_heads_fit,
                       {{"dim"}, "even widths", [](const Arguments& p) { return p.width("dim") % 2 == 0; }},
                       {{"frequencies", "axes", "heads", "dim", "shared"},
                        "a frequency for each axis, head and pair",
                        [](const Arguments& p) {
                          return p.list("frequencies").size() ==
                                 p.width("axes") * (p.flag("shared") ? 1 : p.width("heads")) *
                                     (p.width("dim") / 2);
                        },
                        given}}},
    .reference = &make,
    .exact = &oracle::mixed_rope,
    .facts = {{&facts::acts_on_logits_alone},
              {&facts::rotates_by_each_number},
              {&facts::depends_on_offset_alone},
              {&facts::distinguishes_positions,
               {},
               {&attention::breaks_the_symmetry, &score::depends_on_order}}},
    .witnesses =
        {
            fails(attention::has_the_symmetry_of_its_mask,
                  "dim=2 table=given frequencies=[1,0] axis=0 n=2 mask=none permutation=[1,0] x=[1,0,1,1]",
                  0.28, "exchanging the two tokens reverses the sign of the angle between them"),
            fails(attention::permutation_equivariant,
                  "dim=2 table=given frequencies=[1,0] axis=0 n=2 permutation=[1,0] mask=none x=[1,0,1,1]",
                  0.28, "exchanging the two tokens reverses the sign of the angle between them"),
            fails(attention::pooled_readout_invariant,
                  "dim=2 table=given frequencies=[1,0] axis=0 n=2 permutation=[1,0] x=[1,0,1,1]", 0.254,
                  "the reordered tokens have other logits, and so other weights"),
            fails(
                attention::query_order_equivariant,
                "dim=2 table=given frequencies=[1,0] axis=0 queries=2 keys=2 permutation=[1,0] q=[1,0*3] k=[1,0*3]",
                0.0754, "query and key together: logit 1/sqrt 2; one row apart: cos(1)/sqrt 2"),
            fails(
                attention::key_order_invariant,
                "dim=2 table=given frequencies=[1,0] axis=0 queries=1 keys=2 permutation=[1,0] q=[1,0] k=[1,0*3]",
                0.0754, "the key in row 0: logit 1/sqrt 2; in row 1: cos(1)/sqrt 2"),
        },
    .claims =
        {
            fails(axes::is_one_ladder_where_numbers_are_equal,
                  "dim=6 table=given frequencies=[1,1,0.5,0,0,0] x=[0,0,1,0*3] t=1 role=query", 0.362,
                  "trained frequencies need not be a ladder: here 1, 1 and 0.5"),
            fails(score::depends_on_order, "dim=2 table=given frequencies=[1,0] axis=1 i=3", 0.000244,
                  "the frequencies of an axis may all be trained to 0"),
            fails(attention::breaks_the_symmetry,
                  "dim=2 table=given frequencies=[1,0] axis=1 n=3 permutation=[1,0,2]", 0.000488,
                  "the frequencies of an axis may all be trained to 0"),
            fails(
                score::decays_with_distance,
                "dim=2 table=given frequencies=[1,0] axis=0 q=[1,0] i=6 far=6 near=3", 1.95,
                "cos 6 > cos 3: one pair is periodic; what decays is a bound on the sum over many pairs"),
            holds(call::treats_heads_alike, shared_by_heads),
        },
};

}  // namespace posproof::encodings_mixed_rope
