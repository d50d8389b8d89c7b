#include "catalogue/misreadings/t5_bias.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/formats.h"
#include "encodings/seeded.h"
#include "misreadings/testing/formulas.h"
#include "run/catalogued.h"

namespace posproof::misreadings_t5_bias_test {
namespace {

using testing::EntryFormula, testing::Real;

// The entry of a table [buckets, heads] of trained numbers, or of the numbers of the buckets.
Real entry(const Arguments& p, std::int64_t row, std::int64_t column) {
  const std::int64_t buckets = p.whole("buckets"), heads = p.whole("heads");
  if (row < 0 || row >= buckets) row = row < 0 ? 0 : buckets - 1;
  return p.real("scale") * (p.is("table", "index") ? Real(column * buckets + row)
                                                   : seeded(std::uint64_t(p.whole("table_seed")),
                                                            std::uint64_t(row * heads + column), 1));
}

// The bucket of a distance, where each of them is one of `count` of which the first half hold one distance
// each, and how far up the others it is.
using Share = Real (*)(Real distance, Real exact, Real max_distance);

Real logarithm(Real d, Real exact, Real max_distance) {
  return std::log(d / exact) / std::log(max_distance / exact);
}

std::int64_t of_distance(const Arguments& p, Position distance, Share share, bool from_0 = false) {
  const std::int64_t count = p.whole("buckets") / (p.is("direction", "bidirectional") ? 2 : 1),
                     exact = count / 2;
  if (distance < exact) return distance;
  const Real up = share(Real(distance), Real(exact), Real(p.whole("max_distance")));
  // A distance at which a bucket begins is in it, whatever the logarithm's last bit.
  const auto more = std::int64_t(std::floor(Real(count - exact) * up + 1e-12L));
  const std::int64_t bucket = (from_0 ? 0 : exact) + more;
  return bucket < count ? bucket : count - 1;
}

Position ahead(const Arguments& p, Position i, Position j) {
  return p.is("relative", "key_minus_query") ? j - i : i - j;
}

std::int64_t bucket_of(const Arguments& p, Position offset, Share share = &logarithm, bool from_0 = false) {
  if (p.is("direction", "unidirectional")) return of_distance(p, offset < 0 ? -offset : 0, share, from_0);
  return of_distance(p, std::abs(offset), share, from_0) + (offset > 0 ? p.whole("buckets") / 2 : 0);
}

EntryFormula sharing(Share share, bool from_0 = false) {
  return [=](const Arguments& p, std::size_t head, Position i, Position j) {
    return entry(p, bucket_of(p, ahead(p, i, j), share, from_0), std::int64_t(head));
  };
}

// Of the bucket of an offset.
EntryFormula of(std::int64_t (*bucket)(const Arguments& p, Position offset)) {
  return [bucket](const Arguments& p, std::size_t head, Position i, Position j) {
    return entry(p, bucket(p, ahead(p, i, j)), std::int64_t(head));
  };
}

// Computed in few digits: the quotient and its logarithm, or each step.
enum class Rounded { logarithm, each_step };
template <double (*to)(double), Rounded rounded>
std::int64_t in_few_digits(const Arguments& p, Position offset) {
  const bool both = p.is("direction", "bidirectional");
  const std::int64_t count = p.whole("buckets") / (both ? 2 : 1), exact = count / 2;
  const Position d = both ? std::abs(offset) : std::max<Position>(-offset, 0);
  const std::int64_t later = both && offset > 0 ? count : 0;
  if (d < exact) return later + d;
  const auto in = [](Real x) { return Real(to(double(x))); };
  const auto step = [&](Real x) { return rounded == Rounded::each_step ? in(x) : x; };
  const Real log = in(std::log(in(step(Real(d)) / Real(exact))));
  const Real up = step(log / std::log(Real(p.whole("max_distance")) / Real(exact)));
  const std::int64_t bucket = exact + std::int64_t(std::floor(step(Real(count - exact) * up)));
  return later + std::min(bucket, count - 1);
}

const testing::Formulas<EntryFormula> of_both_directions = {
    {"distance 0 has the first of the buckets of later keys", of([](const Arguments& p, Position offset) {
       return offset == 0 ? p.whole("buckets") / 2 : bucket_of(p, offset);
     })},
    {"far keys before the query have buckets of later keys: only the last bucket of all holds any",
     of([](const Arguments& p, Position offset) {
       const std::int64_t count = p.whole("buckets") / 2, exact = count / 2;
       const Position d = std::abs(offset);
       const Real up = d < exact ? 0 : logarithm(Real(d), Real(exact), Real(p.whole("max_distance")));
       const std::int64_t own =
           d < exact ? d : exact + std::int64_t(std::floor(Real(count - exact) * up + 1e-12L));
       return std::min(p.whole("buckets") - 1, own + (offset > 0 ? count : 0));
     })},
    {"keys before and after the query share their buckets",
     of([](const Arguments& p, Position offset) { return bucket_of(p, -std::abs(offset)); })},
    {"keys before and after the query share all buckets: their number is not halved",
     of([](const Arguments& p, Position offset) {
       Parameters one = p.parameters();
       one.set("direction", std::string("unidirectional"));
       return bucket_of(Arguments(encoding_named("t5_bias").parameters, one), -std::abs(offset));
     })},
    {"all keys after the query have the first of their buckets", of([](const Arguments& p, Position offset) {
       return offset > 0 ? p.whole("buckets") / 2 : bucket_of(p, offset);
     })},
};

const testing::Formulas<EntryFormula> of_any = {
    {"the table is read as [heads, buckets], not [buckets, heads]",
     [](const Arguments& p, std::size_t head, Position i, Position j) {
       const std::int64_t heads = p.whole("heads"),
                          at = std::int64_t(head) * p.whole("buckets") + bucket_of(p, ahead(p, i, j));
       return entry(p, at / heads, at % heads);
     }},
    {"the table is read as [buckets, heads], and lies as [heads, buckets]",
     [](const Arguments& p, std::size_t head, Position i, Position j) {
       const std::int64_t at = bucket_of(p, ahead(p, i, j)) * p.whole("heads") + std::int64_t(head);
       return entry(p, at % p.whole("buckets"), at / p.whole("buckets"));
     }},
    {"the rows of the table are read in reverse order",
     of([](const Arguments& p, Position offset) { return p.whole("buckets") - 1 - bucket_of(p, offset); })},
    {"the rows of the table are read one before: of bucket 0 the last",
     of([](const Arguments& p, Position offset) {
       return (bucket_of(p, offset) + p.whole("buckets") - 1) % p.whole("buckets");
     })},
    {"the logarithm of the distance is to base 2, that of max_distance is natural",
     sharing([](Real d, Real exact, Real most) { return std::log2(d / exact) / std::log(most / exact); })},
    {"the logarithm of the distance is natural, that of max_distance to base 2",
     sharing([](Real d, Real exact, Real most) { return std::log(d / exact) / std::log2(most / exact); })},
    {"the distance is divided by the number of exact buckets in whole numbers, before the logarithm",
     sharing([](Real d, Real exact, Real most) {
       return std::log(Real(std::int64_t(d) / std::int64_t(exact))) / std::log(most / exact);
     })},
    {"the bucket is one too large, the last as it is",
     of([](const Arguments& p, Position offset) { return bucket_of(p, offset) + 1; })},
    {"the logarithm is of the distance, not of how many times as far it is as the exact buckets reach",
     sharing([](Real d, Real, Real most) { return std::log(d) / std::log(most); })},
    {"ln(1 + n/e) stands for ln(n/e)",
     sharing([](Real d, Real exact, Real most) { return std::log(1 + d / exact) / std::log(most / exact); })},
    {"buckets grow in proportion to the distance, not to its logarithm",
     sharing([](Real d, Real exact, Real most) { return (d - exact) / (most - exact); })},
    {"buckets grow with the square root of the distance past the exact ones, not with a logarithm",
     sharing([](Real d, Real exact, Real most) { return std::sqrt((d - exact) / (most - exact)); })},
    {"buckets grow with the square root of the distance, not with a logarithm",
     sharing([](Real d, Real, Real most) { return std::sqrt(d / most); })},
    {"buckets past the exact ones are computed in f64, where a whole number comes out as less",
     of([](const Arguments& p, Position offset) {
       const bool both = p.is("direction", "bidirectional");
       const std::int64_t count = p.whole("buckets") / (both ? 2 : 1), exact = count / 2;
       const Position d = both ? std::abs(offset) : std::max<Position>(-offset, 0);
       std::int64_t own = d;
       if (d >= exact) {
         const double share =
             std::log(double(d) / double(exact)) / std::log(double(p.whole("max_distance")) / double(exact));
         own = std::min(count - 1, exact + std::int64_t(share * double(count - exact)));
       }
       return own + (both && offset > 0 ? count : 0);
     })},
    {"the logarithm of the distance is rounded to bf16", of(&in_few_digits<&to_bf16, Rounded::logarithm>)},
    {"the logarithm of the distance is rounded to f16", of(&in_few_digits<&to_f16, Rounded::logarithm>)},
    {"buckets past the exact ones are computed in bf16", of(&in_few_digits<&to_bf16, Rounded::each_step>)},
    {"buckets past the exact ones are computed in f16", of(&in_few_digits<&to_f16, Rounded::each_step>)},
    {"buckets past the exact ones begin at 0 again", sharing(&logarithm, true)},
};

TEST(MisreadT5Bias, is_what_the_sentence_says) {
  testing::Formulas<EntryFormula> all = of_any;
  all.insert(of_both_directions.begin(), of_both_directions.end());
  testing::expect_biases("t5_bias", misreadings::t5_bias, all,
                         {"", "table=index", "table=index buckets=10 max_distance=20",
                          "relative=query_minus_key table_seed=2 scale=0.5"});
}

TEST(MisreadT5Bias, is_none_of_one_direction_where_it_is_said_of_both) {
  const std::string words = "heads=3 direction=unidirectional table=index";
  MisreadingFamily others;
  for (const Misreading& one : misreadings::t5_bias.misreadings) {
    if (!of_both_directions.contains(one.what)) {
      others.misreadings.push_back(one);
      continue;
    }
    EXPECT_THROW(one.make(with(encoding_named("t5_bias"), Case::parse(words))), Refusal) << one.what;
  }
  testing::expect_biases("t5_bias", others, of_any,
                         {"direction=unidirectional table=index",
                          "direction=unidirectional table=index buckets=10 max_distance=160"});
}

}  // namespace
}  // namespace posproof::misreadings_t5_bias_test
