#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "catalogue/encodings/log_cpb.h"
#include "catalogue/oracle/log_cpb.h"
#include "catalogue/properties/attention/breaks_the_symmetry.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/bias/depends_on_offset.h"
#include "catalogue/properties/bias/falls_at_the_first_step.h"
#include "catalogue/properties/bias/falls_with_distance.h"
#include "catalogue/properties/bias/has_monotone_buckets.h"
#include "catalogue/properties/bias/is_conditionally_positive_definite.h"
#include "catalogue/properties/bias/is_zero_at_offset_zero.h"
#include "catalogue/properties/bias/saturates.h"
#include "catalogue/properties/score/decays_with_distance.h"
#include "catalogue/properties/score/depends_on_offset.h"
#include "core/declare.h"
#include "encodings/facts.h"
#include "encodings/perceptron.h"
#include "encodings/seeded.h"

namespace posproof::encodings_log_cpb {
namespace {

using bias_bounds::LogCpb;

const Condition by_pretrained{{{"coordinates", {"normalized"}}}};
const Condition no_class{{{"class_token", {"none"}}}}, with_class{{{"class_token", {"zero"}}}};

// The extents by which offsets are divided: of the window that was trained on, or of this one.
std::vector<double> extents_of(const Arguments& p) {
  if (by_pretrained.met(p.parameters()) && !p.list("pretrained").empty()) return p.list("pretrained");
  return {static_cast<double>(p.whole("height")), static_cast<double>(p.whole("width"))};
}

LogCpb bias_of(const Arguments& p) {
  using enum bias_bounds::Limit;
  LogCpb bias{.below = {},
              .base = p.is("coordinates", "edge_at_1") ? 9.0 : 8.0,
              .limit = p.is("limit", "sigmoid") ? sigmoid
                       : p.is("limit", "tanh")  ? tanh
                                                : none,
              .class_token = p.is("class_token", "zero"),
              .layers = {2, p.width("hidden"), p.width("heads"), p.is("last_biases", "trained")}};
  if (!p.is("coordinates", "raw"))
    for (const double extent : extents_of(p)) bias.below.push_back(extent - 1);
  const auto seed = static_cast<std::uint64_t>(p.whole("mlp_seed"));
  for (std::size_t n = 0; n < bias.layers.count(); ++n)
    bias.layers.numbers.push_back(seeded(seed, n, n < 3 * bias.layers.width ? 1.0 : p.real("std")));
  return bias;
}

long double log_spaced_offset(const LogCpb& bias, std::size_t axis, Position offset) {
  const auto distance = static_cast<long double>(std::abs(offset));
  const long double log_spaced = bias.below.empty() ? std::log1p(distance)
                                                    : std::log2(1 + 8 * distance / bias.below[axis]) /
                                                          std::log2(static_cast<long double>(bias.base));
  return offset < 0 ? -log_spaced : log_spaced;
}

long double limited(bias_bounds::Limit limit, long double z) {
  if (limit == bias_bounds::Limit::sigmoid) return 16 / (1 + std::exp(-z));
  return limit == bias_bounds::Limit::tanh ? 4 * std::tanh(z) : z;
}

using Offset = std::array<Position, 2>;

// Of each head.
std::vector<double> entries_at(const LogCpb& bias, const Offset& offset) {
  const std::array x = {log_spaced_offset(bias, 0, offset[0]), log_spaced_offset(bias, 1, offset[1])};
  std::vector<double> entries;
  for (std::size_t h = 0; h < bias.layers.heads; ++h) {
    entries.push_back(static_cast<double>(limited(bias.limit, perceptron(bias.layers, h, x))));
  }
  return entries;
}

Encoding make(const Arguments& p) {
  const LogCpb of = bias_of(p);
  const std::size_t heads = of.layers.heads;
  Bias bias{.heads = heads};
  bias.positions.axes = 2;
  bias.positions.last_on_axis = {p.whole("height") - 1, p.whole("width") - 1};
  bias.positions.hi = std::ranges::max(bias.positions.last_on_axis);
  if (of.class_token) bias.positions.lo = -1, bias.positions.class_token = -1;
  bias.bias = [of, heads](const Positions& queries, const Positions& keys) {
    Tensor out({heads, queries.size(), keys.size()});
    std::map<Offset, std::vector<double>> known;
    for (std::size_t i = 0; i < queries.size(); ++i)
      for (std::size_t j = 0; j < keys.size(); ++j) {
        const std::array query = {queries.at(i, 0), queries.at(i, 1)}, key = {keys.at(j, 0), keys.at(j, 1)};
        if (of.is_of_class(query, key)) continue;
        const auto along = [&](std::size_t axis) {
          return queries.flat()[2 * i + axis] - keys.flat()[2 * j + axis];
        };
        std::vector<double>& entries = known[{along(0), along(1)}];
        if (entries.empty()) entries = entries_at(of, {along(0), along(1)});
        for (std::size_t h = 0; h < heads; ++h) out.at(h * queries.size() + i, j) = entries[h];
      }
    return out;
  };
  bias.error = of;
  return bias;
}

using namespace properties;

}  // namespace

const EncodingSpec entry{
    .summary = "a small perceptron of the offset in a window, on a logarithmic scale along each axis",
    .formula =
        "b_g(i,j) = 16 / (1 + exp(-MLP_g(c(dy; h), c(dx; w)))), (dy, dx) = i - j, "
        "c(t; e) = sign(t) log2(1 + 8 |t| / (e - 1)) / 3",
    .source =
        "Liu et al. 2022, Swin Transformer V2: Scaling Up Capacity and Resolution, section 3.3, eq. 3 and 4; its "
        "code for normalized, sigmoid and pretrained windows; timm's RelPosMlp, mode cr, for the paper's form with "
        "biases, mode rw for edge_at_1 and tanh, and prefix_tokens",
    .parameters =
        {.all =
             {whole("heads", any_heads, 4, {1, 2, 3}, "heads"),
              whole("hidden", {1, 4096}, 512, {8, 32}, "units of the hidden layer, with max(., 0)", "units"),
              whole("height", {2, 4096}, 8, {3, 7}, "rows of the window, h", "rows"),
              whole("width", {2, 4096}, 8, {2, 5}, "columns of the window, w", "columns"),
              convention("coordinates", {"normalized", "raw", "edge_at_1"},
                         "normalized: 8 t / (extent - 1), base 8 (released code); raw: sign(t) ln(1 + |t|) "
                         "of the offset itself (the paper; timm, cr); edge_at_1: 8 t / (extent - 1), base 9, "
                         "which is 1 at the window's edge (timm, rw)"),
              where(by_pretrained,
                    disputed({"pretrained",
                              type::List{2},
                              std::vector<double>{},
                              {std::vector<double>{}, std::vector<double>{4, 6}},
                              "rows and columns of the window that was trained on, whose extents "
                              "divide the offsets; empty: those of this window",
                              "rows, columns"})),
              convention(
                  "limit", {"sigmoid", "none", "tanh"},
                  "sigmoid: 16 / (1 + e^-z) of the perceptron's z (released code); none: z (the paper; timm, "
                  "cr); tanh: 4 tanh(z) (timm, rw)"),
              convention("last_biases", {"none", "trained"},
                         "none: the last layer has no biases (released code); trained: one for each head "
                         "(timm, cr and rw)"),
              convention(
                  "class_token", {"none", "zero"},
                  "zero: a token with a negative number is a class token, whose entries are 0 as query "
                  "and as key (timm)"),
              above_0("std", 0.0625, {0.5, 0.125}, "standard deviation of the last layer's weights"),
              whole("mlp_seed", type::any_whole, 1, {1, 2},
                    "seed of what stands for the trained numbers (uniform, of mean 0; the hidden layer's of "
                    "standard deviation 1): its weights [hidden, 2], its biases, the last weights [heads, "
                    "hidden], the last biases")},
         .relations = {{{"pretrained"},
                        "none, or two whole numbers from 2",
                        [](const Arguments& p) {
                          const auto& all = p.list("pretrained");
                          return all.empty() || (all.size() == 2 && std::ranges::all_of(all, [](double e) {
                                                   return e >= 2 && e <= 4096 && e == std::floor(e);
                                                 }));
                        },
                        by_pretrained}}},
    .reference = &make,
    .exact = &oracle::log_cpb,
    .facts = {{&facts::acts_on_logits_alone},
              {&facts::depends_on_offset_alone, no_class},
              {&facts::distinguishes_positions}},
    .witnesses =
        {
            fails(
                attention::has_the_symmetry_of_its_mask,
                "heads=1 hidden=8 height=3 width=2 std=0.5 axis=1 n=2 mask=none permutation=[1,0] x=[1,0*7]",
                0.829, "keys before a query have other entries than keys after it"),
            fails(
                attention::permutation_equivariant,
                "heads=1 hidden=8 height=3 width=2 std=0.5 axis=1 n=2 permutation=[1,0] mask=none x=[1,0*7]",
                0.829, "keys before a query have other entries than keys after it"),
            fails(attention::pooled_readout_invariant,
                  "heads=1 hidden=8 height=3 width=2 std=0.5 axis=1 n=2 permutation=[1,0] x=[1,0*7]", 0.829,
                  "the key before has another entry than the key after"),
            fails(
                attention::query_order_equivariant,
                "heads=1 hidden=8 height=3 width=2 std=0.5 axis=1 queries=2 keys=2 permutation=[1,0] q=[0*8] k=[1,0*7]",
                0.163, "the entries depend on the query's position"),
            fails(
                attention::key_order_invariant,
                "heads=1 hidden=8 height=3 width=2 std=0.5 axis=1 queries=1 keys=2 permutation=[1,0] q=[0*4] k=[1,0*7]",
                0.667, "the next key has another entry than the query's own position"),
        },
    .claims =
        {
            fails(bias::depends_on_offset,
                  "heads=1 hidden=8 height=3 width=2 class_token=zero std=0.5 axis=0 i=-1 j=-1 k=0 t=1",
                  1.71, "the class token has the entry 0, tokens one step on have those of their offsets",
                  with_class),
            fails(
                score::depends_on_offset,
                "heads=1 hidden=8 height=3 width=2 class_token=zero std=0.5 axis=0 q=[0*4] k=[0*4] i=-1 j=-1 t=1",
                13.2, "offset 0 has the entry 0 for the class token, another one for the others", with_class),
            // A perceptron with other numbers falls, is 0 at 0 or is a kernel; with numbers of mean 0 most do
            // not.
            fails(bias::falls_at_the_first_step,
                  "heads=1 hidden=8 height=3 width=2 std=0.5 axis=1 side=future i=0",
                  1.61, "a trained perceptron may rise with the distance, as this one does to the right"),
            fails(bias::falls_with_distance,
                  "heads=1 hidden=8 height=3 width=2 std=0.5 axis=1 far=1 near=0 side=future i=0",
                  1.61, "a trained perceptron may rise with the distance, as this one does to the right"),
            fails(score::decays_with_distance,
                  "heads=1 hidden=8 height=3 width=2 std=0.5 axis=0 q=[0*4] i=2 far=2 near=1", 0.369,
                  "a trained perceptron may rise with the distance, as this one does upwards"),
            fails(bias::has_monotone_buckets,
                  "heads=1 hidden=8 height=3 width=2 std=0.5 axis=1 near=0 t=1 side=past i=1",
                  5.53, "a trained perceptron may fall with the distance, as this one does to the left"),
            fails(bias::is_zero_at_offset_zero, "heads=1 hidden=8 height=3 width=2 std=0.5 axis=0 i=0",
                  13.2, "both coordinates are 0 there, and the perceptron's value depends on its biases"),
            fails(
                bias::is_conditionally_positive_definite,
                "heads=1 hidden=8 height=7 width=5 std=0.5 mlp_seed=2 axis=1 n=3 step=1 i=0 weights=balanced c0=1",
                0.483, "a trained perceptron of the offset is not such a kernel in general"),
            fails(bias::saturates,
                  "heads=1 hidden=8 height=3 width=2 std=0.5 axis=0 far=2 near=1 side=past i=2", 0.369,
                  "the coordinate grows up to the window's edge"),
        },
};

}  // namespace posproof::encodings_log_cpb
