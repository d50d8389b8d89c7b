// Golden numbers by mpmath at 40 digits, from the formula and SplitMix64 alone.
#include "catalogue/encodings/shaw.h"
#include <gtest/gtest.h>

#include <cmath>

#include "encodings/asked.h"

namespace posproof::shaw_test {
namespace {

using namespace asked;

TEST(Shaw, has_the_golden_logits) {
  expect_logits(encodings::shaw, "dim=4 clip=5", {{0, 0}, {3, 1}, {1, 3}, {9, 2}, {2, 60}},
                {0.52182611116172794, -0.25137648745991991, -1.0882844381399849, 0.66369815858853383,
                 -2.6041373579175538});
}

TEST(Shaw, is_mirrored_where_the_offset_is_query_minus_key) {
  for (const auto& [i, j] : Places{{0, 0}, {3, 1}, {1, 3}, {90, 2}})
    EXPECT_EQ(logit(encodings::shaw, "dim=4 clip=5 relative=query_minus_key", q4, k4, i, j),
              logit(encodings::shaw, "dim=4 clip=5", q4, k4, j, i));
}

TEST(Shaw, takes_larger_offsets_for_the_largest) {
  const auto at = [](Position i, Position j) { return logit(encodings::shaw, "dim=4 clip=5", q4, k4, i, j); };
  EXPECT_EQ(at(5, 0), at(1000, 0));
  EXPECT_EQ(at(0, 5), at(0, 6));
  EXPECT_NE(at(4, 0), at(5, 0));
  EXPECT_NE(at(0, 4), at(0, 5));
}

// SpeechT5's pos_seq >= max_length is max_length - 1: the same table but for its last row.
TEST(Shaw, takes_larger_offsets_for_the_last_but_one_where_there_are_2k_rows) {
  for (const std::string relative : {"key_minus_query", "query_minus_key"}) {
    const auto at = [&](const std::string& last, Position offset) {
      const Position i = relative == "key_minus_query" ? 50 : 50 + offset, j = 100 + offset - i;
      return logit(encodings::shaw, "dim=4 clip=5 relative=" + relative + " last_offset=" + last, q4, k4, i,
                   j);
    };
    for (const Position offset : {-9, -6, -5, -4, -1, 0, 1, 3, 4})
      EXPECT_EQ(at("clip_minus_one", offset), at("clip", offset)) << relative << " " << offset;
    for (const Position offset : {5, 6, 40}) {
      EXPECT_EQ(at("clip_minus_one", offset), at("clip_minus_one", 4)) << relative << " " << offset;
      EXPECT_NE(at("clip_minus_one", offset), at("clip", offset)) << relative << " " << offset;
    }
  }
}

TEST(Shaw, says_which_contents_it_takes) {
  const std::array<Position, 1> one = {0};
  const auto ask = [&](const Encoding& encoding) {
    return message([&] { as<Contextual>(encoding).logits(Tensor({1, 4}), Tensor({2, 4}), one, one); });
  };
  EXPECT_EQ(ask(encodings::shaw.make(Case::parse("dim=4"))),
            "logits of q [1, 4] and k [2, 4]; allowed: [1, 4] and [1, 4]");
  EXPECT_EQ(ask(encodings::shaw.oracle(Case::parse("dim=4"))),
            "shaw: q is [1, 4] and k is [1, 4], [1, 4] and [2, 4] came");
}

}  // namespace
}  // namespace posproof::shaw_test
