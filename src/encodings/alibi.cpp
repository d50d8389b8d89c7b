#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "catalogue/encodings/alibi.h"
#include "catalogue/oracle/alibi.h"
#include "catalogue/properties/attention/breaks_the_symmetry.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/bias/depends_on_offset.h"
#include "catalogue/properties/bias/falls_at_the_first_step.h"
#include "catalogue/properties/bias/falls_with_distance.h"
#include "catalogue/properties/bias/has_geometric_slopes.h"
#include "catalogue/properties/bias/has_monotone_buckets.h"
#include "catalogue/properties/bias/is_conditionally_positive_definite.h"
#include "catalogue/properties/bias/is_zero_at_offset_zero.h"
#include "catalogue/properties/bias/saturates.h"
#include "catalogue/properties/score/decays_with_distance.h"
#include "catalogue/properties/score/depends_on_offset.h"
#include "core/declare.h"
#include "encodings/facts.h"
#include "oracle/bias_bounds.h"
#include "oracle/grid_bounds.h"

namespace posproof::encodings_alibi {
namespace {

long double slope(double max_bias, std::size_t h, std::size_t of) {
  return std::exp2(-static_cast<long double>(max_bias) * static_cast<long double>(h) /
                   static_cast<long double>(of));
}

// 2^(-max_bias h / heads), h = 1 .. heads, by the rule that the paper's code has for a number of heads that
// is no power of two: the slopes of the largest power P below, then every other slope of 2P, from the first.
std::vector<long double> geometric(std::size_t heads, bool official, double max_bias) {
  const std::size_t whole = official ? std::bit_floor(heads) : heads;
  std::vector<long double> out;
  for (std::size_t h = 1; h <= whole; ++h) out.push_back(slope(max_bias, h, whole));
  for (std::size_t h = 1; out.size() < heads; h += 2) out.push_back(slope(max_bias, h, 2 * whole));
  return out;
}

// From 1/2 to 2^(-max_bias), both included, in equal ratios.
std::vector<long double> log_linear(std::size_t heads, double max_bias) {
  std::vector<long double> out;
  for (std::size_t h = 0; h < heads; ++h) out.push_back(slope(max_bias - 1, h, heads - 1) / 2);
  return out;
}

std::size_t heads_with_bias(const Arguments& p) {
  return p.width("biased_heads") != 0 ? p.width("biased_heads") : p.width("heads");
}

// Of the sum of scaled dot product and bias, so that a bias that is scaled with the product is divided
// itself.
std::vector<long double> slopes_of(const Arguments& p) {
  const std::size_t heads = heads_with_bias(p);
  const double max_bias = p.real("max_bias");
  std::vector<long double> out = p.is("rule", "log_linear")
                                     ? log_linear(heads, max_bias)
                                     : geometric(heads, p.is("rule", "official"), max_bias);
  if (p.width("head_dim") != 0)
    for (long double& m : out) m /= std::sqrt(static_cast<long double>(p.width("head_dim")));
  out.resize(p.width("heads"), 0);
  return out;
}

// How far a key counts: of one after the query by itself.
struct Distances {
  bool causal, asymmetric;
  double future_factor;
  Position future_offset;

  explicit Distances(const Arguments& p)
      : causal(p.is("form", "causal")),
        asymmetric(p.is("form", "asymmetric")),
        future_factor(p.real("future_factor")),
        future_offset(p.whole("future_offset")) {}

  long double of(Position query, Position key) const {
    if (key <= query) return static_cast<long double>(query - key);
    if (causal) return 0;
    if (!asymmetric) return static_cast<long double>(key - query);
    return future_factor * static_cast<long double>(key - query + future_offset);
  }
};

bool on_a_grid(const Arguments& p) {
  return !p.is("axes", "line");
}

// The same on a grid, in every direction alike.
struct GridDistances {
  std::size_t axes;
  bool manhattan, class_token;

  explicit GridDistances(const Arguments& p)
      : axes(p.list("grid").size()),
        manhattan(p.is("metric", "manhattan")),
        class_token(p.is("class_token", "zero")) {}

  bool is_class(std::span<const Position> token) const { return class_token && std::ranges::min(token) < 0; }
  long double of(std::span<const Position> query, std::span<const Position> key) const {
    if (is_class(query) || is_class(key)) return 0;
    long double sum = 0;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const auto along = static_cast<long double>(query[axis] - key[axis]);
      sum += manhattan ? std::abs(along) : along * along;
    }
    return manhattan ? sum : std::sqrt(sum);
  }
};

Domain domain_of(const Arguments& p, const GridDistances& distances) {
  Domain domain;
  domain.axes = distances.axes;
  if (distances.class_token) domain.lo = -1, domain.class_token = -1;
  for (const double extent : p.list("grid")) domain.last_on_axis.push_back(static_cast<Position>(extent) - 1);
  domain.hi = std::ranges::max(domain.last_on_axis);
  return domain;
}

Encoding made_on_a_grid(const Arguments& p) {
  const GridDistances distances(p);
  const std::vector<long double> m = slopes_of(p);

  Bias bias{.heads = m.size(), .slopes = {m.begin(), m.end()}, .modulo_rows = p.is("rows", "any")};
  bias.positions = domain_of(p, distances);
  bias.error = bias_bounds::of_slopes_on_a_grid(bias.slopes, distances.axes, distances.manhattan);
  bias.bias = [=](const Positions& queries, const Positions& keys) {
    const auto token = [&](const Positions& all, std::size_t n) {
      return all.flat().subspan(n * distances.axes, distances.axes);
    };
    Tensor out({m.size(), queries.size(), keys.size()});
    for (std::size_t i = 0; i < queries.size(); ++i)
      for (std::size_t j = 0; j < keys.size(); ++j) {
        const long double distance = distances.of(token(queries, i), token(keys, j));
        for (std::size_t h = 0; h < m.size(); ++h)
          out.at(h * queries.size() + i, j) = static_cast<double>(-m[h] * distance + 0.0L);
      }
    return out;
  };
  return bias;
}

Encoding make(const Arguments& p) {
  if (on_a_grid(p)) return made_on_a_grid(p);
  const std::size_t heads = p.width("heads");
  const Distances distances(p);
  const bool relative = !p.is("rows", "key_index");
  const std::vector<long double> m = slopes_of(p);

  Bias bias{.heads = heads,
            .slopes = {m.begin(), m.end()},
            .causal = distances.causal,
            .modulo_rows = p.is("rows", "any")};
  if (distances.asymmetric) bias.error = bias_bounds::of_asymmetric_slopes(bias.slopes);
  bias.bias = [=](std::span<const Position> queries, std::span<const Position> keys) {
    Tensor out({heads, queries.size(), keys.size()});
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t i = 0; i < queries.size(); ++i)
        for (std::size_t j = 0; j < keys.size(); ++j)
          // + 0.0: the bias of the query's own position is 0, not -0.
          out.at(h * queries.size() + i, j) =
              static_cast<double>(relative ? -m[h] * distances.of(queries[i], keys[j]) + 0.0L
                                           : m[h] * static_cast<long double>(keys[j]));
    return out;
  };
  return bias;
}

using namespace properties;

bool has_an_extent_for_each_axis(const Arguments& p) {
  constexpr double most = std::int64_t{1} << 20;
  const auto allowed = [](double extent) {
    return extent >= 1 && extent <= most && extent == std::floor(extent);
  };
  return p.list("grid").size() == (p.is("axes", "rows_and_columns") ? 2 : 3) &&
         std::ranges::all_of(p.list("grid"), allowed);
}

const std::vector<double> no_grid = {};
const Condition asymmetric{{{"form", {"asymmetric"}}}}, is_log_linear{{{"rule", {"log_linear"}}}},
    several_axes{{{"axes", {"rows_and_columns", "time_rows_and_columns"}}}},
    with_class{{{"class_token", {"zero"}}}}, no_class{{{"class_token", {"none"}}}};

}  // namespace

const EncodingSpec entry{
    .summary =
        "a penalty on the logit that is linear in the distance, in a sequence or on a grid, with a slope for "
        "each head",
    .formula =
        "b_h(i,j) = -m_h (i - j), m_h = 2^(-max_bias h / heads), h = 1 .. heads, where heads is a power of 2; "
        "else as rule says; on a grid -m_h |i - j|, the norm as metric says",
    .source =
        "Press, Smith and Lewis 2021, Train Short, Test Long: Attention with Linear Biases, section 3; euclidean: "
        "Fuller et al. 2023, CROMA: Remote Sensing Representations with Contrastive Radar-Optical Masked "
        "Autoencoders, section 3 (2D-ALiBi); manhattan: the code of Baevski et al. 2023, data2vec 2.0 (get_alibi)",
    .parameters =
        {.all =
             {whole("heads", any_heads, 8, {1, 2, 3, 8, 12}, "heads"),
              convention(
                  "rule", {"official", "geometric", "log_linear"},
                  "slopes where the number of heads is no power of two: official (two geometric sets), geometric (one), log_linear (from 1/2 to the last, in equal ratios)"),
              convention(
                  "form", {"causal", "symmetric", "asymmetric"},
                  "causal: keys at or before the query; symmetric: by |i - j| on both sides; asymmetric: "
                  "keys after the query count as future_factor (|i - j| + future_offset)"),
              convention("rows", {"relative", "key_index", "any"},
                         "relative: -m (i - j); key_index: +m j, equal to it after softmax; any: either, "
                         "or with any other constant on a whole row, as m (j + 1)"),
              above_0("max_bias", 8, {8, 4},
                      "minus log2 of the smallest slope, before a division by the root of head_dim"),
              disputed(whole(
                  "biased_heads", {0, any_heads.hi}, 0, {0, 1},
                  "how many heads, the first ones, have a bias, with the slopes of so many heads; 0: all",
                  "heads")),
              disputed(whole(
                  "head_dim", {0, type::any_width.hi}, 0, {0, 64},
                  "bias and dot product are divided by its square root together; 0: the bias is added after the division")),
              where(asymmetric,
                    above_0("future_factor", 1, {1, 0.5, 2}, "factor of the distance of later keys")),
              where(asymmetric, whole("future_offset", {0, std::int64_t{1} << 20}, 0, {0, 1},
                                      "added to the distance of later keys", "tokens")),
              of_words(
                  "axes", {"line", "rows_and_columns", "time_rows_and_columns"},
                  "line: positions are one number; rows_and_columns: (row, column); time_rows_and_columns: "
                  "(frame, row, column)"),
              where(several_axes, {"grid",
                                   type::List{3},
                                   no_grid,
                                   {no_grid, std::vector<double>{5, 3}, std::vector<double>{2, 5, 3}},
                                   "how many rows and columns the grid has; of three, frames first",
                                   "positions"}),
              where(several_axes,
                    convention(
                        "metric",
                        {"euclidean", "manhattan"},
                        "distance of two places: euclidean, the root of the sum of squares (CROMA, TITAN); "
                        "manhattan, the sum of the axes' distances (data2vec 2.0)")),
              where(several_axes,
                    convention(
                        "class_token", {"none", "zero"},
                        "zero: a token with a negative number is a class token, whose entries are 0 as query "
                        "and as key (data2vec 2.0)"))},
         .relations =
             {{{"biased_heads", "heads"},
               "numbers up to `heads`",
               [](const Arguments& p) { return p.width("biased_heads") <= p.width("heads"); }},
              {{"heads", "biased_heads"},
               "2 or more heads with a bias: the slopes run from 1/2 to the last one",
               [](const Arguments& p) { return heads_with_bias(p) >= 2; },
               is_log_linear},
              {{"max_bias"},
               "numbers from 1: the first slope is 1/2",
               [](const Arguments& p) { return p.real("max_bias") >= 1; },
               is_log_linear},
              {{"head_dim"},
               "0, or widths from 8",
               [](const Arguments& p) { return p.width("head_dim") == 0 || p.width("head_dim") >= 8; }},
              {{"rows", "form"},
               "`rows=relative` or `rows=any` where the bias is not causal: it then depends on more than the key",
               [](const Arguments& p) { return p.is("form", "causal") || !p.is("rows", "key_index"); }},
              {{"form"},
               "symmetric, where positions have several numbers",
               [](const Arguments& p) { return p.is("form", "symmetric"); },
               several_axes},
              {{"grid"},
               "whole numbers from 1 to 1048576, one for each axis",
               &has_an_extent_for_each_axis,
               several_axes}}},
    .reference = &make,
    .exact = &oracle::alibi,
    .facts = {{&facts::acts_on_logits_alone},
              {&facts::depends_on_offset_alone, no_class, {&score::depends_on_offset}},
              // Slopes may be too small to be seen.
              {&facts::distinguishes_positions,
               {{{"max_bias", {8.0, 4.0}}}},
               {&attention::breaks_the_symmetry}}},
    .witnesses =
        {
            fails(
                attention::has_the_symmetry_of_its_mask,
                "heads=1 form=symmetric n=3 mask=none permutation=[1,0,2] x=[1,0*11]", 0.0013,
                "one head of slope 2^-8: seen from the third position, the first is farther than the second"),
            fails(
                attention::permutation_equivariant,
                "heads=1 form=symmetric n=3 permutation=[1,0,2] mask=none x=[1,0*11]", 0.0013,
                "distances belong to the positions: seen from the third, the first is farther than the second"),
            fails(attention::pooled_readout_invariant,
                  "heads=1 form=symmetric n=3 permutation=[1,0,2] x=[1,0*11]", 0.000433,
                  "the token in the middle is nearer to the others"),
            fails(attention::query_order_equivariant,
                  "heads=1 form=symmetric queries=2 keys=2 permutation=[1,0] q=[0*8] k=[1,0*7]", 0.00195,
                  "each query prefers the key at its own position", {.all = {{"rows", {"relative"}}}}),
            fails(attention::key_order_invariant,
                  "heads=1 form=symmetric queries=1 keys=2 permutation=[1,0] q=[0*4] k=[1,0*7]", 0.00195,
                  "the bias of the second key is one slope below that of the first"),
        },
    .claims =
        {
            holds(bias::has_geometric_slopes, {.all = {{"rule", {"official", "geometric"}},
                                                       {"form", {"causal", "symmetric"}},
                                                       {"head_dim", {0.0}},
                                                       {"class_token", {"none"}}}}),
            fails(bias::has_geometric_slopes, "heads=3 rule=log_linear n=1 i=1", 0.206,
                  "the slopes are 2^-1, 2^-4.5 and 2^-8, and the square of the first is 2^-2",
                  {.all = {{"rule", {"log_linear"}}}}),
            fails(bias::has_geometric_slopes, "heads=1 form=asymmetric future_factor=0.5 n=1 side=future i=0",
                  0.00195, "the distance of a later key counts half", {.all = {{"form", {"asymmetric"}}}}),
            fails(bias::has_geometric_slopes, "heads=2 head_dim=64 n=1 i=1", 0.000427,
                  "divided by sqrt(64), the slopes are 2^-7 and 2^-11, and the square of the first is 2^-14",
                  {.all = {{"head_dim", {64.0}}}}),
            holds(bias::falls_with_distance, no_class),
            holds(bias::falls_at_the_first_step,
                  {.all = {{"biased_heads", {0.0}}, {"class_token", {"none"}}}}),
            // -|i - j| is the kernel of Brownian motion, but for a constant in each row.
            holds(bias::is_conditionally_positive_definite, no_class),
            holds(bias::is_zero_at_offset_zero, {.all = {{"rows", {"relative"}}}}),
            fails(bias::is_zero_at_offset_zero, "rows=key_index i=1", 0.5,
                  "the slope times the key's index is 0 at the first key; the softmax sees no difference",
                  {.all = {{"rows", {"key_index"}}}}),
            fails(bias::has_monotone_buckets, "near=0 t=1 i=1", 0.5,
                  "the bias falls by the slope at every step"),
            fails(bias::saturates, "far=1048576 near=1048575 i=1048576", 0.5,
                  "the last of 2^20 steps costs as much as the first"),
            holds(score::depends_on_offset, {.all = {{"rows", {"relative"}}, {"class_token", {"none"}}}}),
            holds(score::decays_with_distance, no_class),
            fails(
                score::depends_on_offset, "heads=1 rows=key_index q=[0*4] k=[0*4] i=0 j=0 t=256", 1,
                "256 positions on, the bias of every key is larger by 256 slopes of 2^-8; the softmax sees no difference",
                {.all = {{"rows", {"key_index"}}}}),
            holds(attention::breaks_the_symmetry, {.all = {{"heads", {2.0, 3.0, 8.0, 12.0}},
                                                           {"max_bias", {8.0, 4.0}},
                                                           {"biased_heads", {0.0}},
                                                           {"head_dim", {0.0}}}}),
            fails(
                attention::breaks_the_symmetry, "heads=1 head_dim=64 n=3 permutation=[1,0,2]", 0.000366,
                "one head of slope 2^-8/8: two steps of it change an answer by less than the threshold, 2^-11",
                {.all = {{"heads", {1.0}}, {"head_dim", {64.0}}}}),
            holds(attention::query_order_equivariant, {.all = {{"rows", {"key_index"}}}}),
            fails(
                bias::depends_on_offset,
                "heads=1 form=symmetric axes=rows_and_columns grid=[5,3] class_token=zero axis=0 i=-1 j=-1 k=0 t=1",
                0.00391, "the class token has the entry 0, tokens one step on that of one step, -2^-8",
                with_class),
        },
};

}  // namespace posproof::encodings_alibi
