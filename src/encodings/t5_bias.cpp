#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>

#include "catalogue/encodings/t5_bias.h"
#include "catalogue/oracle/t5_bias.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/bias/falls_at_the_first_step.h"
#include "catalogue/properties/bias/falls_with_distance.h"
#include "catalogue/properties/bias/has_exact_buckets.h"
#include "catalogue/properties/bias/has_monotone_buckets.h"
#include "catalogue/properties/bias/is_conditionally_positive_definite.h"
#include "catalogue/properties/bias/is_zero_at_offset_zero.h"
#include "catalogue/properties/bias/saturates.h"
#include "catalogue/properties/score/decays_with_distance.h"
#include "core/declare.h"
#include "core/hard.h"
#include "encodings/facts.h"
#include "encodings/seeded.h"

namespace posproof::encodings_t5_bias {
namespace {

// Distances are shared out on one side of the query: one each below `exact`, then bucket exact + v from
// starts[v - 1].
struct Side {
  std::int64_t exact;
  std::vector<std::int64_t> starts;

  std::int64_t bucket(std::int64_t distance) const {
    if (distance < exact) return distance;
    return exact + (std::upper_bound(starts.begin(), starts.end(), distance) - starts.begin());
  }
};

// The distance at which log(n/exact) / log(max_distance/exact) * rest reaches v, for v = 1 .. rest - 1: the
// smallest n with n^rest >= max_distance^v exact^(rest-v). In integers: at 16, 32, 64 of the usual 32 buckets
// the two sides are equal, and a logarithm that is off by one bit would fall into the bucket before.
Side side(std::int64_t buckets, std::int64_t max_distance) {
  using boost::multiprecision::cpp_int;
  using boost::multiprecision::pow;
  Side out{buckets / 2, {}};
  const auto rest = static_cast<unsigned>(buckets - out.exact);
  for (unsigned v = 1; v < rest; ++v) {
    const cpp_int limit = pow(cpp_int(max_distance), v) * pow(cpp_int(out.exact), rest - v);
    const double ratio = static_cast<double>(max_distance) / static_cast<double>(out.exact);
    auto n =
        static_cast<std::int64_t>(static_cast<double>(out.exact) * std::pow(ratio, double(v) / rest)) - 1;
    n = std::max(n, out.exact);
    while (pow(cpp_int(n), rest) < limit) ++n;
    out.starts.push_back(n);
  }
  return out;
}

std::int64_t per_side_of(const Arguments& p) {
  return p.is("direction", "bidirectional") ? p.whole("buckets") / 2 : p.whole("buckets");
}

Encoding make(const Arguments& p) {
  const std::size_t heads = p.width("heads");
  const bool both = p.is("direction", "bidirectional");
  const std::int64_t count = p.whole("buckets"), max_distance = p.whole("max_distance");
  const std::int64_t per_side = per_side_of(p);
  const bool key_minus_query = p.is("relative", "key_minus_query");
  const bool index = p.is("table", "index");
  const auto seed = static_cast<std::uint64_t>(p.whole("table_seed"));
  const long double scale = p.real("scale");

  const Side one = side(per_side, max_distance);
  Bias bias{.heads = heads,
            .buckets = Buckets{static_cast<std::size_t>(count), static_cast<std::size_t>(max_distance), both},
            .causal = !both && key_minus_query};
  bias.positions.hard = hard_positions(*bias.buckets, bias.positions.hi);
  bias.bias = [=](std::span<const Position> queries, std::span<const Position> keys) {
    Tensor out({heads, queries.size(), keys.size()});
    for (std::size_t i = 0; i < queries.size(); ++i)
      for (std::size_t j = 0; j < keys.size(); ++j) {
        const Position relative = key_minus_query ? keys[j] - queries[i] : queries[i] - keys[j];
        const std::int64_t bucket = both ? (relative > 0 ? per_side : 0) + one.bucket(std::abs(relative))
                                         : one.bucket(std::max(-relative, Position{0}));
        for (std::size_t h = 0; h < heads; ++h)
          out.at(h * queries.size() + i, j) = static_cast<double>(
              scale * (index ? static_cast<double>(bucket + count * static_cast<std::int64_t>(h))
                             : seeded(seed, static_cast<std::uint64_t>(bucket) * heads + h, 1.0)));
      }
    return out;
  };
  return bias;
}

using namespace properties;

}  // namespace

const EncodingSpec entry{
    .summary =
        "a trained number on the logit for each bucket of offsets, the buckets growing with the distance",
    .formula =
        "b_h(i,j) = scale E[bucket(j - i), h]; of a direction with B buckets, e = floor(B/2): bucket(n) = n below e, then "
        "min(B - 1, e + floor(ln(n/e) / ln(max_distance/e) (B - e)))",
    .source =
        "Raffel et al. 2020, Exploring the Limits of Transfer Learning (T5), section 2.1; mesh-tensorflow",
    .parameters =
        {.all =
             {whole("heads", any_heads, 8, {1, 3, 8, 12}, "heads, each with its column of the table"),
              whole("buckets", {2, 1024}, 32, {8, 10, 32}, "rows of the table, for both directions together"),
              whole(
                  "max_distance", {2, std::int64_t{1} << 31}, 128, {20, 128},
                  "distance at which the logarithm would reach the number of buckets; the last one begins before it (of 128 and 32 buckets at 91, unidirectional at 113)",
                  "tokens"),
              convention("direction", {"bidirectional", "unidirectional"},
                         "bidirectional: half of the buckets for keys after the query; unidirectional: "
                         "those share bucket 0"),
              convention("relative", {"key_minus_query", "query_minus_key"}, "direction of the offset"),
              disputed(above_0("scale", 1, {1, 0.5},
                               "factor of every entry: in x-transformers the square root of a head's width")),
              of_words("table", {"index", "seeded"},
                       "what stands for the trained numbers: index (bucket + buckets * head), seeded "
                       "(uniform, of mean 0)"),
              where({{{"table", {"seeded"}}}},
                    whole("table_seed", type::any_whole, 1, {1, 2}, "seed of the table [buckets, heads]"))},
         .relations = {{{"buckets"},
                        "even numbers from 4",
                        [](const Arguments& p) {
                          return p.whole("buckets") % 2 == 0 && p.whole("buckets") >= 4;
                        },
                        {{{"direction", {"bidirectional"}}}}},
                       {{"max_distance", "buckets", "direction"},
                        "distances beyond those that have a bucket each, half of a direction's",
                        [](const Arguments& p) { return p.whole("max_distance") > per_side_of(p) / 2; }}}},
    .reference = &make,
    .exact = &oracle::t5_bias,
    .facts = {{&facts::acts_on_logits_alone},
              {&facts::depends_on_offset_alone},
              {&facts::distinguishes_positions}},
    .witnesses =
        {
            fails(attention::has_the_symmetry_of_its_mask,
                  "heads=1 n=2 mask=none permutation=[1,0] x=[1,0*7]", 0.269,
                  "keys before a query have other buckets than keys after it"),
            fails(attention::permutation_equivariant, "heads=1 n=2 permutation=[1,0] mask=none x=[1,0*7]",
                  0.269, "keys before a query have other buckets than keys after it"),
            fails(
                attention::pooled_readout_invariant, "heads=1 n=2 permutation=[1,0] x=[1,0*7]", 0.269,
                "the next key has bucket 17, the one before has bucket 1: the second token counts for more"),
            fails(attention::query_order_equivariant,
                  "heads=1 queries=2 keys=2 permutation=[1,0] q=[0*8] k=[1,0*7]", 0.731,
                  "the buckets depend on the query's position"),
            fails(attention::key_order_invariant,
                  "heads=1 queries=1 keys=2 permutation=[1,0] q=[0*4] k=[1,0*7]", 1,
                  "the next key has bucket 17, which outweighs bucket 0"),
        },
    .claims =
        {
            holds(bias::saturates),
            holds(bias::has_exact_buckets, {.all = {{"direction", {"bidirectional"}}}}),
            holds(bias::has_exact_buckets, {.all = {{"relative", {"key_minus_query"}}}}),
            fails(bias::has_exact_buckets,
                  "direction=unidirectional relative=query_minus_key n=0 t=1 side=past i=1", 1,
                  "with the offset reversed, the buckets serve later keys: the whole past shares bucket 0",
                  {.all = {{"direction", {"unidirectional"}}, {"relative", {"query_minus_key"}}}}),
            holds(bias::has_monotone_buckets, {.all = {{"table", {"index"}}}}),
            fails(bias::has_monotone_buckets, "table=seeded near=0 t=1 side=past i=1", 2.17,
                  "trained entries are not ordered by distance", {.all = {{"table", {"seeded"}}}}),
            fails(bias::falls_with_distance, "far=1 near=0 side=past i=1", 1,
                  "the table holds the buckets' numbers: bucket 1 has 1, bucket 0 has 0"),
            fails(bias::falls_at_the_first_step, "side=past i=1", 1,
                  "the table holds the buckets' numbers: bucket 1 has 1, bucket 0 has 0"),
            fails(bias::is_conditionally_positive_definite,
                  "heads=1 direction=unidirectional n=3 step=1 i=0 weights=of_sum_0 c0=1 c1=-1", 2,
                  "the table holds the buckets' numbers: the bias rises with the distance"),
            fails(bias::is_zero_at_offset_zero, "heads=2 i=0", 32,
                  "bucket 0 is an entry like any other: here that of the second head, 32"),
            fails(score::decays_with_distance, "heads=1 q=[0*4] i=1 far=1 near=0", 1,
                  "the table holds the buckets' numbers: bucket 1 has 1, bucket 0 has 0"),
        },
};

}  // namespace posproof::encodings_t5_bias
