// What is said of a bias whose distances fall into other buckets.
#include "diagnosis/bucket_deviations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "diagnosis/testing/deviations.h"

namespace posproof::bucket_deviations_test {
namespace {

using testing::said;
using testing::Sentences;

// 32 buckets, 16 for each direction, to distance 128: the bucket of a distance.
using Bucket = std::function<double(double d)>;

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
  const auto moved = [&](double by) {
    return said_of(
        [by](double d) { return (d < 8 ? d : std::floor(logarithm(std::min(d, 127.0)) + 1e-9)) + by; },
        words);
  };
  EXPECT_EQ(moved(1), Sentences{"the bucket of a distance is one too large"});
  EXPECT_EQ(moved(-1), Sentences{"the bucket of a distance past 0 is one too small"});
}

}  // namespace
}  // namespace posproof::bucket_deviations_test
