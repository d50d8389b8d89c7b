#include "run/every_distance.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "attention/reference_attention.h"
#include "catalogue/encodings/alibi.h"
#include "catalogue/encodings/t5_bias.h"
#include "core/spec.h"

namespace posproof::every_distance_test {
namespace {

Bias t5(std::string_view parameters) {
  return encodings::t5_bias.oracle<Bias>(with(encodings::t5_bias, Case::parse(parameters)));
}

// Which offsets are asked for, each how often.
std::multiset<Position> asked(const Bias& truth) {
  std::multiset<Position> offsets;
  Bias listening = truth;
  listening.bias = [&](const Positions& queries, const Positions& keys) {
    for (const Position i : queries)
      for (const Position j : keys) offsets.insert(j - i);
    return truth.bias(queries, keys);
  };
  EXPECT_TRUE(agreement_at_every_distance(truth, listening, all_f32, {}).has_value());
  return offsets;
}

// Logits depend on contents, too.
TEST(EveryDistance, is_asked_for_of_a_bias_that_is_given_as_one) {
  const Bias truth = t5("heads=2");
  EXPECT_FALSE(
      agreement_at_every_distance(truth, attention::in_every_kind(truth).at(1), all_f32, {}).has_value());
  EXPECT_FALSE(
      agreement_at_every_distance(attention::in_every_kind(truth).at(1), truth, all_f32, {}).has_value());
}

TEST(EveryDistance, up_to_twice_the_largest_is_asked_for_once) {
  const auto offsets = asked(t5("heads=1"));
  for (Position offset = -256; offset <= 256; ++offset) EXPECT_EQ(offsets.count(offset), 1u) << offset;
  EXPECT_EQ(*offsets.begin(), -271);  // sixteen at a time
  EXPECT_EQ(*offsets.rbegin(), 272);
  const auto past = asked(t5("heads=1 direction=unidirectional"));
  for (Position offset = -256; offset <= 0; ++offset) EXPECT_EQ(past.count(offset), 1u) << offset;
  EXPECT_EQ(*past.rbegin(), 0);
}

// Of distances without end the first 2^13, on both sides.
TEST(EveryDistance, of_a_large_one_is_no_more_than_can_be_asked) {
  const auto offsets = asked(t5("heads=1 max_distance=1000000"));
  EXPECT_EQ(*offsets.begin(), -8207);
  EXPECT_EQ(*offsets.rbegin(), 8208);
}

TEST(EveryDistance, of_a_short_domain_is_what_it_holds) {
  Bias truth = t5("heads=1");
  truth.positions = Domain{0, 40};
  const auto offsets = asked(truth);
  EXPECT_GE(*offsets.begin(), -40);
  EXPECT_LE(*offsets.rbegin(), 40);
  for (const Position offset : offsets) EXPECT_EQ(offsets.count(offset), 1u) << offset;
  for (Position offset = -24; offset <= 24; ++offset) EXPECT_EQ(offsets.count(offset), 1u) << offset;
}

// The truth, larger by 1 at one offset of one head.
Bias wrong_at(const Bias& truth, std::size_t head, Position offset) {
  Bias subject = truth;
  subject.bias = [=, own = truth.bias](const Positions& queries, const Positions& keys) {
    Tensor out = own(queries, keys);
    for (std::size_t i = 0; i < queries.size(); ++i)
      for (std::size_t j = 0; j < keys.size(); ++j)
        if (keys[j] - queries[i] == offset) out.at(head * queries.size() + i, j) += 1;
    return out;
  };
  return subject;
}

// One distance of 513, in one head of three.
TEST(EveryDistance, one_that_is_wrong_is_found_and_shrunk) {
  for (const Position wrong :
       {-201, 93, -33, -34, -35, -36, -37, -38, -39, -40, -41, -42, -43, -44, -45, -46, -47,
        -48,  81, 82,  83,  84,  85,  86,  87,  88,  89,  90,  91,  92,  94,  95,  96}) {
    const Bias truth = t5("heads=3");
    const auto verdict = agreement_at_every_distance(truth, wrong_at(truth, 2, wrong), all_f32, {});
    ASSERT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict));
    const Case& at = std::get<Refuted>(*verdict).counterexample;
    EXPECT_EQ(at.integer("nq"), 1);
    EXPECT_EQ(at.integer("nk"), 1);
    EXPECT_EQ(at.integer("j") - at.integer("i"), wrong);
  }
}

TEST(EveryDistance, one_that_is_wrong_stands_alone_before_anything_is_shrunk) {
  const Bias truth = t5("heads=3");
  const auto verdict = agreement_at_every_distance(truth, wrong_at(truth, 1, 93), all_f32, {.shrinks = 0});
  ASSERT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict));
  EXPECT_EQ(std::get<Refuted>(*verdict).counterexample.text(), "nq=1 nk=1 i=0 j=93");
}

TEST(EveryDistance, says_where_its_time_was_over) {
  const Bias truth = t5("heads=1");
  Budget none;
  none.time = std::chrono::milliseconds(0);
  const auto verdict = agreement_at_every_distance(truth, truth, all_f32, none);
  ASSERT_TRUE(verdict && std::holds_alternative<Undecided>(*verdict));
  EXPECT_EQ(std::get<Undecided>(*verdict).why, "stopped by `--time` (0 s) after 0 of the distances");
}

// A distance past all that long calls have, in one of two heads.
TEST(EveryDistance, of_what_has_no_buckets_is_where_blocks_end) {
  for (const std::string form : {"causal", "symmetric"})
    for (const Position wrong : {1024, 2047, 5120, 8193, 65536, 524287}) {
      const auto truth =
          encodings::alibi.oracle<Bias>(with(encodings::alibi, Case::parse("heads=2 form=" + form)));
      Bias subject = truth;
      subject.bias = [&](const Positions& queries, const Positions& keys) {
        Tensor out = truth.bias(queries, keys);
        for (std::size_t i = 0; i < queries.size(); ++i)
          for (std::size_t j = 0; j < keys.size(); ++j)
            if (queries[i] - keys[j] == wrong) out.at(queries.size() + i, j) *= 1.0 + 0x1p-10;
        return out;
      };
      const auto verdict = agreement_at_every_distance(truth, subject, all_f32, {});
      ASSERT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict)) << form << wrong;
      const Case& at = std::get<Refuted>(*verdict).counterexample;
      EXPECT_EQ(at.integer("i") - at.integer("j"), wrong);
    }
}

TEST(EveryDistance, without_buckets_asks_for_each_offset_once_and_stays_in_the_domain) {
  Bias truth = t5("heads=1");
  truth.buckets.reset();
  truth.positions = Domain{0, 4100};
  const auto offsets = asked(truth);
  EXPECT_EQ(offsets.size(), 2u * 16 * 3);  // around 1,024, 2,048 and 3,072
  for (const Position offset : offsets) EXPECT_EQ(offsets.count(offset), 1u) << offset;
  EXPECT_GE(*offsets.begin(), -4100);
  EXPECT_LE(*offsets.rbegin(), 4100);
  truth.positions = Domain{0, 1000};
  EXPECT_FALSE(agreement_at_every_distance(truth, truth, all_f32, {}).has_value());
}

}  // namespace
}  // namespace posproof::every_distance_test
