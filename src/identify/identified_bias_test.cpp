// Settings that are proposed of the entries of a bias.
#include "identify/identified_bias.h"

#include <gtest/gtest.h>

#include <algorithm>
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

TEST(IdentifiedBias, proposes_the_kernels_that_two_distances_have) {
  const auto is_proposed = [](const std::string& words, double off = 0) {
    MeasuredBias bias = first_of("kerple", words, 48);
    for (double& entry : bias.entries.data) entry = static_cast<float>(entry);
    bias.entries.at(2 * 48 - 1, 0) *= 1 + off;
    for (const Candidate& one : kerple_candidates(encoding_named("kerple"), bias, all_f32))
      if (with(encoding_named("kerple"), one.parameters) ==
          with(encoding_named("kerple"), Case::parse(words)))
        return true;
    return false;
  };
  for (const std::string form : {"causal", "symmetric"}) {
    const std::string of_log = "heads=2 kernel=log form=" + form + " r1=[1.5,0.25] r2=[0.5,3]",
                      of_power = "heads=2 kernel=power form=" + form + " r1=[1.5,0.25] r2=[0.75,1.5]";
    EXPECT_TRUE(is_proposed(of_log));
    EXPECT_TRUE(is_proposed(of_power));
    EXPECT_FALSE(is_proposed(of_log, 1e-4)) << "of its last head the farthest key is off";
    EXPECT_FALSE(is_proposed(of_power, 1e-4));
  }
  // A line in each head is an ALiBi's, whose slopes are wrong; beside a head that bends it is KERPLE's.
  const auto of_kernels = [](const std::string& words) {
    return kerple_candidates(encoding_named("kerple"), first_of("kerple", words, 48), all_f32).size();
  };
  EXPECT_EQ(of_kernels("heads=2 kernel=power r1=[1.5,0.25] r2=[1,1]"), 0u);
  EXPECT_GT(of_kernels("heads=2 kernel=power r1=[1.5,0.25] r2=[1,1.5]"), 0u);
  MeasuredBias of_one_head = first_of("kerple", "heads=2", 48);
  for (std::size_t r = 48; r < 2 * 48; ++r) std::ranges::fill(of_one_head.entries.row(r), 0);
  EXPECT_TRUE(kerple_candidates(encoding_named("kerple"), of_one_head, all_f32).empty())
      << "its last head has no kernel";
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

// Up to distance 10 nothing tells distances that have the bucket 9 behind it, and of the others those in use
// are proposed; there is room for all up to twice as many.
TEST(IdentifiedBias, proposes_all_distances_of_the_same_buckets) {
  const auto distances = [](const std::string& buckets, int distance, std::size_t count) {
    const std::string before = "heads=1 buckets=" + buckets + " max_distance=",
                      after = " direction=unidirectional relative=key_minus_query";
    std::set<int> out;
    for (const std::string& one :
         buckets_of(first_of("t5_bias", before + std::to_string(distance) + after, count)))
      if (one.starts_with(before) && one.ends_with(after)) out.insert(std::stoi(one.substr(before.size())));
    return out;
  };
  EXPECT_EQ(distances("16", 128, 11), (std::set<int>{64, 100, 128, 200, 256, 400, 512, 600, 800, 1000, 1024, 2048}));
  // The last of four buckets begins at 7: sqrt(2 max_distance) is in (6, 7].
  EXPECT_EQ(distances("4", 20, 10), std::set<int>{20});
  EXPECT_EQ(distances("4", 20, 11), (std::set<int>{19, 20}));
}

// As of WavLM, whose farthest buckets the first 256 rows do not reach.
TEST(IdentifiedBias, proposes_distances_in_use_past_those_that_were_looked_at) {
  for (const std::string shape : {"heads=1 buckets=320 max_distance=800", "heads=1 buckets=32 max_distance=600"}) {
    const std::string words = shape + " direction=bidirectional relative=key_minus_query";
    EXPECT_TRUE(buckets_of(first_of("t5_bias", words, 256)).contains(words)) << words;
  }
}

// Distances of one head that hold several numbers are no buckets, whatever the other heads hold.
TEST(IdentifiedBias, proposes_no_buckets_where_one_head_has_none) {
  const std::string words =
      "heads=3 buckets=8 max_distance=20 direction=bidirectional relative=key_minus_query";
  EXPECT_FALSE(buckets_of(first_of("t5_bias", words, 24)).empty());
  for (const std::size_t head : {0, 1, 2}) {
    MeasuredBias bias = first_of("t5_bias", words, 24);
    bias.entries.at(head * 24 + 11, 5) += 0.5;
    EXPECT_EQ(buckets_of(bias), std::set<std::string>{}) << head;
  }
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

// Finer buckets would have what was measured, too: of two neighbours that hold the same nothing is known.
TEST(IdentifiedBias, proposes_no_buckets_that_are_like_their_neighbours) {
  const std::string words =
      "heads=1 buckets=8 max_distance=20 direction=unidirectional relative=key_minus_query";
  const std::set<std::string> all = buckets_of(first_of("t5_bias", words, 40));
  EXPECT_TRUE(all.contains(words));
  for (const std::string& one : all) {
    if (!one.ends_with("direction=unidirectional relative=key_minus_query")) continue;
    EXPECT_TRUE(one.starts_with("heads=1 buckets=8 ")) << one;
  }
}

// Slopes of a rule, of some heads alone, divided by a root, and of later keys.
TEST(IdentifiedBias, proposes_the_slopes_that_it_was_made_with) {
  const EncodingSpec& spec = encoding_named("alibi");
  const auto proposed = [&](const std::string& words, std::size_t count) {
    std::vector<Parameters> out;
    for (const Candidate& one : alibi_candidates(spec, first_of("alibi", words, count), all_f64))
      out.push_back(with(spec, one.parameters));
    return out;
  };
  const auto has = [&](const std::string& words, std::size_t count = 40) {
    const auto all = proposed(words, count);
    return std::ranges::find(all, with(spec, Case::parse(words))) != all.end();
  };
  for (const std::string words :
       {"heads=1", "heads=2", "heads=8", "heads=12", "heads=8 max_bias=16", "heads=12 rule=geometric",
        "heads=12 rule=geometric max_bias=4", "heads=12 rule=log_linear", "heads=8 rows=key_index",
        "heads=8 biased_heads=4", "heads=12 biased_heads=3 rule=geometric", "heads=8 form=symmetric",
        "heads=8 head_dim=64", "heads=8 head_dim=8", "heads=8 head_dim=4096", "heads=12 head_dim=64",
        "heads=12 head_dim=64 rule=log_linear", "heads=8 form=asymmetric future_factor=2",
        "heads=8 form=asymmetric future_factor=0.5 future_offset=1"})
    EXPECT_TRUE(has(words)) << words;
  EXPECT_TRUE(has("heads=8 form=asymmetric future_factor=1.2349")) << "known to a hundred-thousandth of it";
  EXPECT_FALSE(has("heads=8 head_dim=4097"));
  // Of one token nothing is known of a slope.
  EXPECT_TRUE(has("heads=8", 1));
  EXPECT_FALSE(has("heads=8 max_bias=16", 1));
  EXPECT_TRUE(has("heads=8 max_bias=16", 2));
}

// The first slope and the last may each be off by 80 units (16 of the result, 64 of the table), so that what
// is between them is off by twice that, either way.
TEST(IdentifiedBias, takes_slopes_for_the_rule_that_they_are_within_rounding_of) {
  const EncodingSpec& spec = encoding_named("alibi");
  const Parameters right = with(spec, Case::parse("heads=8 head_dim=64"));
  const auto bias = as<Bias>(spec.make(right));
  std::vector<Position> at(40);
  std::iota(at.begin(), at.end(), Position{0});
  const auto is_proposed = [&](double first, double last) {
    Tensor entries = bias.bias(at, at);
    for (std::size_t r = 0; r < at.size(); ++r)
      for (std::size_t c = 0; c < at.size(); ++c) {
        entries.at(r, c) *= 1 + first * unit_f64;
        entries.at(7 * at.size() + r, c) *= 1 + last * unit_f64;
      }
    return std::ranges::any_of(alibi_candidates(spec, {entries, 0}, all_f64),
                               [&](const Candidate& one) { return with(spec, one.parameters) == right; });
  };
  EXPECT_TRUE(is_proposed(0, 0));
  EXPECT_TRUE(is_proposed(70, -70));
  EXPECT_TRUE(is_proposed(-70, 70));
  // Four times as far off the step is another, and with it the largest exponent.
  EXPECT_FALSE(is_proposed(700, -700));
}

// With one head off, the step from the first slope to the last says another maximum; the first slope alone,
// times the heads, still says the right one.
TEST(IdentifiedBias, proposes_the_maximum_that_the_first_slope_alone_says) {
  const EncodingSpec& spec = encoding_named("alibi");
  MeasuredBias bias = first_of("alibi", "heads=8 max_bias=16", 40);
  for (std::size_t r = 0; r < 40; ++r)
    for (std::size_t c = 0; c < 40; ++c) bias.entries.at(7 * 40 + r, c) *= 1.01;
  const Parameters right = with(spec, Case::parse("heads=8 max_bias=16"));
  EXPECT_TRUE(std::ranges::any_of(alibi_candidates(spec, bias, all_f64),
                                  [&](const Candidate& one) { return with(spec, one.parameters) == right; }));
}

// As many buckets as distances share nothing: what has a number of its own at each says nothing of buckets.
TEST(IdentifiedBias, proposes_no_buckets_of_one_distance_each) {
  EXPECT_EQ(buckets_of(first_of("alibi", "heads=1 form=symmetric", 10)), std::set<std::string>{});
}

TEST(IdentifiedBias, takes_numbers_of_one_head_alone_that_are_others_for_trained) {
  const std::string words =
      "heads=2 buckets=8 max_distance=20 direction=bidirectional relative=key_minus_query";
  for (const std::size_t head : {0, 1}) {
    MeasuredBias bias = first_of("t5_bias", words, 24);
    for (std::size_t r = 0; r < 24; ++r)
      for (double& entry : bias.entries.row(head * 24 + r)) entry *= 2;
    std::size_t proposed = 0;
    for (const BucketCandidate& one : bucket_candidates(encoding_named("t5_bias"), bias))
      if (one.candidate.parameters.text() == words) {
        ++proposed;
        EXPECT_TRUE(one.trained) << head;
      }
    EXPECT_EQ(proposed, 1u);
  }
}

// Each way to count, and whether the numbers in the buckets are those of the setting.
TEST(IdentifiedBias, proposes_the_buckets_that_it_was_made_with) {
  const EncodingSpec& spec = encoding_named("t5_bias");
  for (const std::string direction : {"bidirectional", "unidirectional"})
    for (const std::string relative : {"key_minus_query", "query_minus_key"})
      for (const double times : {1.0, 2.0}) {
        const std::string words =
            "heads=1 buckets=8 max_distance=20 direction=" + direction + " relative=" + relative;
        MeasuredBias bias = first_of("t5_bias", words, 24);
        for (double& one : bias.entries.data) one *= times;
        std::vector<bool> trained;
        for (const BucketCandidate& one : bucket_candidates(spec, bias))
          if (with(spec, one.candidate.parameters) == with(spec, Case::parse(words)))
            trained.push_back(one.trained);
        // Keys after the query have a bucket of their own there, the last query sees none of them: 0 twice is
        // 0.
        const bool is_zero = direction == "unidirectional" && relative == "query_minus_key";
        EXPECT_EQ(trained, std::vector<bool>{times != 1 && !is_zero}) << words;
      }
}

}  // namespace
}  // namespace posproof::identified_bias_test
