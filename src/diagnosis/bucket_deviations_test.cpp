// What is said of a bias whose distances fall into other buckets.
#include "diagnosis/bucket_deviations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/function.h"
#include "diagnosis/testing/deviations.h"

namespace posproof::bucket_deviations_test {
namespace {

using testing::said;
using testing::Sentences;

// 32 buckets, 16 for each direction, to distance 128: the bucket of a distance.
using Bucket = Function<double(double d)>;

double logarithm(double d) {
  return 8 + 8 * std::log(d / 8) / std::log(128.0 / 8);
}

// Entries of the table: the declared bias at offsets that have the bucket. Of a bucket the first distance is
// known from the formula, n^8 >= 16^v 8^8 for bucket 8 + v.
constexpr Position first_of[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91};

Sentences said_of(const Bucket& bucket, const std::string& words) {
  return said("t5_bias", words, [bucket](const Parameters& parameters) -> Encoding {
    Bias out = as<Bias>(encoding_named("t5_bias").make(parameters));
    out.bias = [=, right = out.bias](const Positions& queries, const Positions& keys) {
      Tensor to({2, queries.size(), keys.size()});
      for (std::size_t r = 0; r < to.rows(); ++r)
        for (std::size_t c = 0; c < keys.size(); ++c) {
          const Position offset = keys[c] - queries[r % queries.size()];
          const double of = std::clamp(bucket(std::abs(static_cast<double>(offset))), 0.0, 15.0);
          const Position d = first_of[static_cast<std::size_t>(of)];
          const Position query[] = {offset < 0 ? d : 0}, key[] = {offset < 0 ? 0 : d};
          to.at(r, c) = right(query, key).data.at(r / queries.size());
        }
      return to;
    };
    return out;
  });
}

TEST(BucketDeviations, name_the_bucket_of_a_distance) {
  const std::string words = "heads=2 table=seeded";
  const auto of = [&](const Bucket& past_8) {
    return said_of([past_8](double d) { return d < 8 ? d : past_8(d); }, words);
  };
  EXPECT_EQ(of([](double d) { return std::floor(logarithm(d) + 1e-9); }), Sentences{}) << "the declared one";
  EXPECT_EQ(of([](double d) { return std::round(logarithm(d)); }),
            Sentences{"the logarithm of a distance is rounded to the nearest bucket, not down"});
  EXPECT_EQ(of([](double d) { return std::ceil(logarithm(d) - 1e-9); }),
            Sentences{"the logarithm of a distance is rounded up to a bucket, not down"});
  EXPECT_EQ(of([](double d) { return std::max(8.0, std::ceil(logarithm(d) - 1e-9) - 1); }),
            Sentences{"a distance whose logarithm is a whole number of buckets has the bucket before, which "
                      "ends there"});
  EXPECT_EQ(of([](double d) { return 8 + std::floor(std::log2(d / 8) + 1e-9); }),
            Sentences{"buckets double with the distance, whatever max_distance is"});
  const auto with_exact = [&](double exact) {
    return said_of(
        [exact](double d) {
          return d < exact
                     ? d
                     : exact + std::floor((16 - exact) * std::log(d / exact) / std::log(128 / exact) + 1e-9);
        },
        words);
  };
  EXPECT_EQ(with_exact(4), Sentences{"4 buckets of a direction hold one distance each, not 8"});
  EXPECT_EQ(with_exact(5), Sentences{"5 buckets of a direction hold one distance each, not 8"});
  EXPECT_EQ(with_exact(12), Sentences{"12 buckets of a direction hold one distance each, not 8"});
  EXPECT_EQ(with_exact(7), Sentences{"7 buckets of a direction hold one distance each, not 8"});
  EXPECT_EQ(with_exact(9), Sentences{"9 buckets of a direction hold one distance each, not 8"});
  EXPECT_EQ(
      said_of([](double d) { return d; }, words),
      Sentences{"every bucket of a direction holds one distance, not the first 8: half of all buckets do, "
                "taken before they are halved for the two directions"});
  const auto moved = [&](double by) {
    return said_of(
        [by](double d) { return (d < 8 ? d : std::floor(logarithm(std::min(d, 127.0)) + 1e-9)) + by; },
        words);
  };
  EXPECT_EQ(moved(1), Sentences{"the bucket of a distance is one too large"});
  EXPECT_EQ(moved(-1), Sentences{"the bucket of a distance past 0 is one too small"});
}

// HuggingFace's line under autocast: every operation in 8 bits, or in 11.
TEST(BucketDeviations, name_the_format_that_a_bucket_is_computed_in) {
  const auto in_bits = [](int bits, int of_divisor) {
    return said_of(
        [=](double d) {
          const auto to = [](int digits, double x) {
            int exponent = 0;
            const double fraction = std::frexp(x, &exponent);
            return std::ldexp(std::nearbyint(std::ldexp(fraction, digits)), exponent - digits);
          };
          const auto rounded = [&](double x) { return to(bits, x); };
          if (d < 8) return d;
          const double share =
              rounded(rounded(std::log(rounded(rounded(d) / 8))) / to(of_divisor, std::log(16)));
          return 8 + std::floor(rounded(8 * share));
        },
        "heads=2 table=seeded");
  };
  EXPECT_EQ(in_bits(8, 8), Sentences{"the bucket of a distance is computed in bf16"});
  EXPECT_EQ(in_bits(8, 53), Sentences{"the bucket of a distance is computed in bf16"});
  EXPECT_EQ(in_bits(24, 53), Sentences{});
}

// Every other number that is tried, none of them the declared one, where it makes sense with the others.
TEST(BucketDeviations, are_of_these_other_numbers) {
  const EncodingSpec& spec = encoding_named("t5_bias");
  const auto numbers_of = [&](const std::string& words) {
    std::string out;
    for (const Deviation& one : bucket_deviations(spec, with(spec, Case::parse(words)))) {
      const std::string& said = one.sentences.at(0);
      if (said.starts_with("there are ")) out += said.substr(10, said.find(' ', 10) - 10) + " ";
      if (said.starts_with("buckets reach to distance "))
        out += "<" + said.substr(26, said.find(',') - 26) + " ";
    }
    return out;
  };
  EXPECT_EQ(numbers_of("buckets=32 max_distance=128"),
            "16 64 30 34 16 64 128 <127 <129 <64 <256 <20 <32 <64 <96 <100 <256 <512 <1024 ");
  EXPECT_EQ(numbers_of("buckets=32 max_distance=128 direction=unidirectional"),
            "16 64 31 33 30 34 16 64 128 <127 <129 <64 <256 <20 <32 <64 <96 <100 <256 <512 <1024 ");
  EXPECT_EQ(numbers_of("buckets=16 max_distance=20"),
            "8 32 14 18 32 64 <19 <21 <10 <40 <32 <64 <96 <100 <128 <256 <512 <1024 ");
}

// Of 16 buckets to distance 9, 8 hold one distance each and the last holds the others: where more are said to
// hold one each than there are distances, all that are farther are in the first bucket behind, which is
// empty.
TEST(BucketDeviations, past_the_last_distance_stay_where_they_are) {
  const EncodingSpec& spec = encoding_named("t5_bias");
  const std::vector<Deviation> all =
      bucket_deviations(spec, with(spec, Case::parse("heads=1 buckets=32 max_distance=9")));
  const auto refuses = [&](std::string_view words, Position distance) {
    const auto one = std::ranges::find(all, words, [](const Deviation& of) { return of.sentences.at(0); });
    try {
      answer(one->corrected, {.positions = {.whole = {distance}}, .keys = {.whole = {0}}});
    } catch (const Refusal& refusal) {
      return std::string_view(refusal.what()) == "no distance has that bucket";
    }
    return false;
  };
  const std::string_view nine = "9 buckets of a direction hold one distance each, not 8",
                         twelve = "12 buckets of a direction hold one distance each, not 8";
  EXPECT_FALSE(refuses(nine, 8));
  EXPECT_TRUE(refuses(nine, 9));
  EXPECT_FALSE(refuses(twelve, 8));
  EXPECT_TRUE(refuses(twelve, 12));
  EXPECT_TRUE(refuses(twelve, 100));
}

// A table of numbers in order is as long as it was: 32 entries of a head, of which 16 are in use.
TEST(BucketDeviations, of_fewer_buckets_leave_the_table_as_it_is) {
  const EncodingSpec& spec = encoding_named("t5_bias");
  const Parameters parameters = with(spec, Case::parse("heads=2 table=index"));
  const std::vector<Deviation> all = bucket_deviations(spec, parameters);
  const auto one = std::ranges::find(all, "there are 16 buckets, not 32",
                                     [](const Deviation& of) { return of.sentences.at(0); });
  ASSERT_NE(one, all.end());
  const auto fewer = as<Bias>(spec.make(with(spec, Case::parse("heads=2 table=index buckets=16"))));
  const std::vector<Position> queries = {0, 50, 200}, keys = {0, 3, 60, 190};
  const Tensor made = as<Bias>(one->corrected).bias(queries, keys), own = fewer.bias(queries, keys);
  const double scale = parameters.real("scale");
  for (std::size_t e = 0; e < own.data.size(); ++e)
    EXPECT_EQ(made.data[e], own.data[e] + (e < 12 ? 0 : 16 * scale)) << e;
}

}  // namespace
}  // namespace posproof::bucket_deviations_test
