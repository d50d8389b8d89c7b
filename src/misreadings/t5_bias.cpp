#include <cmath>

#include "catalogue/encodings/t5_bias.h"
#include "catalogue/misreadings/t5_bias.h"
#include "core/formats.h"
#include "core/function.h"
#include "encodings/seeded.h"
#include "misreadings/right.h"

namespace posproof::misreadings_t5_bias {
namespace {

using misread::Real;

// A bias of one head whose entries are the numbers of the buckets.
Bias buckets_of(const Parameters& given) {
  Parameters one = given;
  one.set("heads", 1.0);
  one.set("table", std::string("index"));
  one.set("scale", 1.0);
  return encodings::t5_bias.make<Bias>(one);
}

// The row of the table [buckets, heads] and its column, of a bucket and a head.
struct Place {
  std::int64_t row, column;
};
using At = Place (*)(std::int64_t bucket, std::int64_t head, std::int64_t buckets, std::int64_t heads);

// Of the table that stands for the trained numbers, [buckets, heads]; there are no other rows.
Function<double(const Place&)> entries_of(const Arguments& p) {
  const std::int64_t heads = p.whole("heads"), count = p.whole("buckets");
  const auto seed = static_cast<std::uint64_t>(p.whole("table_seed"));
  return [=, index = p.is("table", "index"), scale = static_cast<Real>(p.real("scale"))](const Place& at) {
    const std::int64_t row = std::clamp(at.row, std::int64_t{0}, count - 1);
    return static_cast<double>(
        scale * (index ? static_cast<double>(row + count * at.column)
                       : seeded(seed, static_cast<std::uint64_t>(row * heads + at.column), 1.0)));
  };
}

template <At at>
Encoding reads(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::t5_bias, given);
  const std::int64_t heads = p.whole("heads"), count = p.whole("buckets");
  Bias out = encodings::t5_bias.make<Bias>(given);
  out.bias = [=, entry = entries_of(p), bucket = buckets_of(given).bias](const Positions& queries,
                                                                         const Positions& keys) {
    const Tensor buckets = bucket(queries, keys);
    Tensor all({static_cast<std::size_t>(heads), queries.size(), keys.size()});
    for (std::size_t n = 0; n < all.data.size(); ++n)
      all.data[n] = entry(at(static_cast<std::int64_t>(buckets.data[n % buckets.data.size()]),
                             static_cast<std::int64_t>(n / buckets.data.size()), count, heads));
    return all;
  };
  return out;
}

// How the distances of one direction are shared out: buckets 0 to count - 1, of which `exact` hold one
// distance each.
struct Side {
  Real count, exact, max_distance;

  // At a power that has a bucket of its own a logarithm may be off by a unit in either direction.
  Real from_exact(Real share) const {
    return std::min(count - 1, exact + std::floor((count - exact) * share + 1e-9L));
  }
  Real right(Real d) const {
    return d < exact ? d : from_exact(std::log(d / exact) / std::log(max_distance / exact));
  }
};

// The bucket of an offset, keys after the query being above 0; `side.count` is half of all where both
// directions have buckets.
using BucketOf = Real (*)(const Side& side, Real offset, bool both);

template <BucketOf bucket, bool said_of_both = false>
Encoding buckets_are(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::t5_bias, given);
  const bool both = p.is("direction", "bidirectional"), forward = p.is("relative", "key_minus_query");
  if (said_of_both && !both) throw Refusal("said of buckets for both directions");
  const Real count = static_cast<Real>(p.whole("buckets")) / (both ? 2 : 1);
  const Side side{count, std::floor(count / 2), static_cast<Real>(p.whole("max_distance"))};
  return misread::with_entry(
      encodings::t5_bias, given,
      [=, entry = entries_of(p)](std::size_t head, Position query, Position key) -> Real {
        const auto offset = static_cast<Real>(forward ? key - query : query - key);
        return entry(
            {static_cast<std::int64_t>(bucket(side, offset, both)), static_cast<std::int64_t>(head)});
      });
}

// Of a function of distances that each direction has its own half for.
template <Real (*of)(const Side& side, Real distance)>
Real on_each_side(const Side& side, Real offset, bool both) {
  if (!both) return of(side, std::max(-offset, Real{0}));
  return (offset > 0 ? side.count : 0) + of(side, std::abs(offset));
}

Real of_the_distance_itself(const Side& side, Real d) {
  return d < side.exact ? d : side.from_exact(std::log(d) / std::log(side.max_distance));
}
Real of_one_more(const Side& side, Real d) {
  return d < side.exact
             ? d
             : side.from_exact(std::log1p(d / side.exact) / std::log(side.max_distance / side.exact));
}
Real linear(const Side& side, Real d) {
  return d < side.exact ? d : side.from_exact((d - side.exact) / (side.max_distance - side.exact));
}
Real by_root(const Side& side, Real d) {
  return d < side.exact ? d : side.from_exact(std::sqrt((d - side.exact) / (side.max_distance - side.exact)));
}
Real by_root_of_all(const Side& side, Real d) {
  return d < side.exact ? d : side.from_exact(std::sqrt(d / side.max_distance));
}
Real from_0(const Side& side, Real d) {
  if (d < side.exact) return d;
  const Real share = std::log(d / side.exact) / std::log(side.max_distance / side.exact);
  return std::min(side.count - 1, std::floor((side.count - side.exact) * share + 1e-9L));
}

Real later_from_0(const Side& side, Real offset, bool) {
  return (offset >= 0 ? side.count : 0) + side.right(std::abs(offset));
}
Real shared(const Side& side, Real offset, bool) {
  return side.right(std::abs(offset));
}
Real shared_by_all(const Side& side, Real offset, bool) {
  const Side both{2 * side.count, std::floor(side.count), side.max_distance};
  return both.right(std::abs(offset));
}
// The last bucket is that of all, whichever the direction.
Real held_by_all(const Side& side, Real offset, bool) {
  const Real d = std::abs(offset);
  const Real own = d < side.exact
                       ? d
                       : side.exact + std::floor((side.count - side.exact) * std::log(d / side.exact) /
                                                     std::log(side.max_distance / side.exact) +
                                                 1e-9L);
  return std::min(2 * side.count - 1, (offset > 0 ? side.count : 0) + own);
}
Real later_alike(const Side& side, Real offset, bool) {
  return offset > 0 ? side.count : side.right(-offset);
}
// Of a logarithm to base 2 over a natural one.
Real two_bases(const Side& side, Real d) {
  return d < side.exact
             ? d
             : side.from_exact(std::log2(d / side.exact) / std::log(side.max_distance / side.exact));
}
// And of a natural one over one to base 2.
Real two_other_bases(const Side& side, Real d) {
  return d < side.exact
             ? d
             : side.from_exact(std::log(d / side.exact) / std::log2(side.max_distance / side.exact));
}
Real of_whole_quotients(const Side& side, Real d) {
  return d < side.exact ? d
                        : side.from_exact(std::log(std::floor(d / side.exact)) /
                                          std::log(side.max_distance / side.exact));
}
// Of a quotient and its logarithm in 16 bits; in all steps of the formula.
using Format16 = double (*)(double);
template <Format16 to>
Real of_a_rounded_logarithm(const Side& side, Real d) {
  if (d < side.exact) return d;
  const auto in = [](Real x) { return static_cast<Real>(to(static_cast<double>(x))); };
  const Real share = in(std::log(in(d / side.exact))) / std::log(side.max_distance / side.exact);
  return std::min(side.count - 1, side.exact + std::floor((side.count - side.exact) * share));
}
template <Format16 to>
Real in_16_bits(const Side& side, Real d) {
  if (d < side.exact) return d;
  const auto in = [](Real x) { return static_cast<Real>(to(static_cast<double>(x))); };
  const Real log = in(std::log(in(in(d) / side.exact)));
  const Real share = in(log / std::log(side.max_distance / side.exact));
  return std::min(side.count - 1, side.exact + std::floor(in(share * (side.count - side.exact))));
}
// What floor is taken of may be less than the whole number that it is.
Real in_f64(const Side& side, Real d) {
  if (d < side.exact) return d;
  const auto count = static_cast<double>(side.count - side.exact);
  const double log = std::log(static_cast<double>(d / side.exact)),
               all = std::log(static_cast<double>(side.max_distance / side.exact));
  return std::min(side.count - 1, side.exact + std::floor(static_cast<Real>(log / all * count)));
}
Real right(const Side& side, Real d) {
  return side.right(d);
}
Real one_above(const Side& side, Real offset, bool both) {
  return on_each_side<right>(side, offset, both) + 1;
}

// As if it were [heads, buckets].
Place transposed(std::int64_t bucket, std::int64_t head, std::int64_t buckets, std::int64_t heads) {
  const std::int64_t at = head * buckets + bucket;
  return {at / heads, at % heads};
}
// As if it had been written so.
Place written_transposed(std::int64_t bucket, std::int64_t head, std::int64_t buckets, std::int64_t heads) {
  const std::int64_t at = bucket * heads + head;
  return {at % buckets, at / buckets};
}
Place reversed(std::int64_t bucket, std::int64_t head, std::int64_t buckets, std::int64_t) {
  return {buckets - 1 - bucket, head};
}
Place first_is_last(std::int64_t bucket, std::int64_t head, std::int64_t buckets, std::int64_t) {
  return {bucket == 0 ? buckets - 1 : bucket - 1, head};
}

// As WavLM has them: in f16 few distances of 32 buckets have another one.
constexpr std::string_view many = "heads=3 buckets=320 max_distance=800";

}  // namespace

const MisreadingFamily entry{{
    {"the table is read as [heads, buckets], not [buckets, heads]", &reads<transposed>, "heads=3"},
    {"the table is read as [buckets, heads], and lies as [heads, buckets]", &reads<written_transposed>,
     "heads=3"},
    {"the rows of the table are read in reverse order", &reads<reversed>, "heads=3"},
    {"the rows of the table are read one before: of bucket 0 the last", &reads<first_is_last>, "heads=3"},
    {"distance 0 has the first of the buckets of later keys", &buckets_are<later_from_0, true>, "heads=3"},
    {"keys before and after the query share their buckets", &buckets_are<shared, true>, "heads=3"},
    {"keys before and after the query share all buckets: their number is not halved",
     &buckets_are<shared_by_all, true>, "heads=3"},
    {"far keys before the query have buckets of later keys: only the last bucket of all holds any",
     &buckets_are<held_by_all, true>, "heads=3"},
    {"all keys after the query have the first of their buckets", &buckets_are<later_alike, true>, "heads=3"},
    {"the logarithm of the distance is to base 2, that of max_distance is natural",
     &buckets_are<on_each_side<two_bases>>, "heads=3"},
    {"the logarithm of the distance is natural, that of max_distance to base 2",
     &buckets_are<on_each_side<two_other_bases>>, "heads=3"},
    {"the distance is divided by the number of exact buckets in whole numbers, before the logarithm",
     &buckets_are<on_each_side<of_whole_quotients>>, "heads=3"},
    {"the bucket is one too large, the last as it is", &buckets_are<one_above>, "heads=3"},
    {"the logarithm is of the distance, not of how many times as far it is as the exact buckets reach",
     &buckets_are<on_each_side<of_the_distance_itself>>, "heads=3"},
    {"ln(1 + n/e) stands for ln(n/e)", &buckets_are<on_each_side<of_one_more>>, "heads=3"},
    {"buckets grow in proportion to the distance, not to its logarithm", &buckets_are<on_each_side<linear>>,
     "heads=3"},
    {"buckets grow with the square root of the distance past the exact ones, not with a logarithm",
     &buckets_are<on_each_side<by_root>>, "heads=3"},
    {"buckets grow with the square root of the distance, not with a logarithm",
     &buckets_are<on_each_side<by_root_of_all>>, "heads=3"},
    {"buckets past the exact ones are computed in f64, where a whole number comes out as less",
     &buckets_are<on_each_side<in_f64>>, "buckets=10 max_distance=160 direction=unidirectional"},
    {"the logarithm of the distance is rounded to bf16",
     &buckets_are<on_each_side<of_a_rounded_logarithm<to_bf16>>>, "heads=3"},
    {"the logarithm of the distance is rounded to f16",
     &buckets_are<on_each_side<of_a_rounded_logarithm<to_f16>>>, many},
    {"buckets past the exact ones are computed in bf16", &buckets_are<on_each_side<in_16_bits<to_bf16>>>,
     "heads=3"},
    {"buckets past the exact ones are computed in f16", &buckets_are<on_each_side<in_16_bits<to_f16>>>, many},
    {"buckets past the exact ones begin at 0 again", &buckets_are<on_each_side<from_0>>, "heads=3"},
}};

}  // namespace posproof::misreadings_t5_bias
