// `posproof check IDENTITY` as a user meets it.
#include <gtest/gtest.h>

#include "command/testing/flags.h"

namespace posproof::check_identity_test {
namespace {

using testing::posproof;

TEST(CheckCommand, asks_an_identity_of_its_left_encoding) {
  const auto held = posproof("check llama3_is_by_parts rope --dim 4 --factor 3 --cases 20");
  EXPECT_EQ(held.code, 0);
  EXPECT_EQ(held.said.rfind("HOLDS      llama3_is_by_parts    ", 0), 0u) << held.said;
  EXPECT_NE(held.said.find(" 20 cases, "), std::string::npos) << held.said;
  const auto one = posproof(
      "check interpolation_at_s_t_is_rope_at_t rope --case "
      "'dim=2 factor=2 batch=1 tokens=1 t=4 role=query x=[1,0]'");
  EXPECT_EQ(one.code, 0);
  EXPECT_NE(one.said.find(" 1 cases, 0 of them vacuous"), std::string::npos) << one.said;
  const auto elsewhere = posproof("check llama3_is_by_parts alibi");
  EXPECT_EQ(elsewhere.code, 2);
  EXPECT_EQ(elsewhere.said, "posproof: `llama3_is_by_parts` is asked of rope; `alibi` came\n");
  const auto of_another = posproof("check llama3_is_by_parts rope --scaling yarn");
  EXPECT_EQ(of_another.code, 2);
  EXPECT_EQ(of_another.said,
            "posproof: `scaling=yarn`: llama3_is_by_parts is said where scaling is llama3\n");
}

// A subject takes the place of the left side: this one adds 1/4 to what it answers at position 7.
TEST(CheckCommand, asks_an_identity_of_a_subject) {
  const std::string at = "check llama3_is_by_parts rope --dim 4 " + testing::test_subject("wrong=7") +
                         " --case 'batch=1 tokens=1 role=query x=[1,0*3] t=";
  const auto wrong = posproof(at + "7'"), right = posproof(at + "6'");
  EXPECT_EQ(wrong.code, 1);
  EXPECT_EQ(wrong.said.rfind("REFUTED", 0), 0u) << wrong.said;
  EXPECT_NE(wrong.said.find("off by 0.25"), std::string::npos) << wrong.said;
  EXPECT_EQ(right.code, 0) << right.said;
}

}  // namespace
}  // namespace posproof::check_identity_test
