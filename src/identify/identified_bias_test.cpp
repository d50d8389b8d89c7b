// Settings that are proposed of the entries of a bias.
#include "identify/identified_bias.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "run/catalogued.h"

namespace posproof::identified_bias_test {
namespace {

MeasuredBias first_of(const std::string& id, const std::string& words, std::size_t count) {
  const auto bias = as<Bias>(encoding_named(id).make(Case::parse(words)));
  std::vector<Position> at(count);
  std::iota(at.begin(), at.end(), Position{0});
  return {bias.bias(at, at), 0};
}

std::set<std::string> buckets_of(const MeasuredBias& bias) {
  std::set<std::string> out;
  for (const BucketCandidate& one : bucket_candidates(encoding_named("t5_bias"), bias))
    out.insert(one.candidate.parameters.text());
  return out;
}

// Of four buckets the first two are of one distance each, and the last begins at sqrt(2 max_distance).
TEST(IdentifiedBias, proposes_distances_in_use_and_all_that_there_is_room_for) {
  const auto is_proposed = [](int distance, std::size_t count) {
    const std::string words = "heads=1 buckets=4 max_distance=" + std::to_string(distance) +
                              " direction=unidirectional relative=key_minus_query";
    return buckets_of(first_of("t5_bias", words, count)).contains(words);
  };
  for (const int distance : {20, 32, 64, 100, 128, 200, 256, 512, 1000, 1024, 2048}) {
    const auto last = static_cast<std::size_t>(std::ceil(std::sqrt(2.0 * distance)));
    ASSERT_LT(2 * last, static_cast<std::size_t>(distance));
    EXPECT_TRUE(is_proposed(distance, last + 1)) << distance;
  }
  for (int distance = 3; distance <= 18; ++distance) EXPECT_TRUE(is_proposed(distance, 10)) << distance;
  EXPECT_FALSE(is_proposed(19, 10));
}

// The last of seven buckets begins at the last distance.
TEST(IdentifiedBias, counts_the_bucket_of_the_last_distance) {
  const std::string words =
      "heads=1 buckets=7 max_distance=20 direction=unidirectional relative=key_minus_query";
  const MeasuredBias bias = first_of("t5_bias", words, 40);
  std::size_t last = 0;
  while (bias.at(0, 39, 39 - last) != bias.at(0, 39, 0)) ++last;
  EXPECT_TRUE(buckets_of(first_of("t5_bias", words, last + 1)).contains(words));
  EXPECT_FALSE(buckets_of(first_of("t5_bias", words, last)).contains(words));
}

}  // namespace
}  // namespace posproof::identified_bias_test
