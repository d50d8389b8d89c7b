#include "diagnosis/explains.h"

#include <gtest/gtest.h>

namespace posproof::explains_test {
namespace {

using Cases = std::vector<bool>;

// Seven cases, of which the first five are wrong, by 100 entries.
const Unexplained wrong{100, {true, true, true, true, true, false, false}, Cases(7)};

bool explained(std::uint64_t entries, Cases differs = Cases(7), Cases declined = Cases(7)) {
  return explains({entries, std::move(differs), std::move(declined)}, wrong);
}

TEST(Explains, at_most_one_entry_in_fifty_may_contradict) {
  EXPECT_TRUE(explained(0));
  EXPECT_TRUE(explained(2));
  EXPECT_FALSE(explained(3));
  EXPECT_TRUE(explains({3, Cases(7), Cases(7)}, {150, wrong.differs, Cases(7)}));
  EXPECT_FALSE(explains({3, Cases(7), Cases(7)}, {149, wrong.differs, Cases(7)}));
}

TEST(Explains, what_leaves_more_than_that_need_not_be_compared_to_the_end) {
  for (const std::uint64_t entries : {0, 49, 50, 99, 100, 149, 150}) {
    const Unexplained of{entries, wrong.differs, Cases(7)};
    EXPECT_TRUE(explains({most_left(of), Cases(7), Cases(7)}, of)) << entries;
    EXPECT_FALSE(explains({most_left(of) + 1, Cases(2), Cases(2)}, of)) << entries;
  }
}

TEST(Explains, four_cases_that_were_right_may_be_otherwise_and_no_five) {
  for (const std::size_t right : {4, 5}) {
    Unexplained of{1000, Cases(5, true), Cases(10)}, left{5, Cases(5), Cases(10)};
    of.differs.resize(10), left.differs.resize(5 + right, true), left.differs.resize(10);
    EXPECT_EQ(explains(left, of), right == 4);
  }
}

TEST(Explains, the_first_case_must_be_answered_and_right) {
  EXPECT_FALSE(explained(1, {true, false, false, false, false, false, false}));
  EXPECT_TRUE(explained(1, {false, true, false, false, false, false, false}));
  const Unexplained more{100, Cases(7, true), Cases(7)};
  EXPECT_FALSE(explains({0, Cases(7), {true, false, false, false, false, false, false}}, more));
  EXPECT_TRUE(explains({0, Cases(7), {false, true, false, false, false, false, false}}, more));
}

TEST(Explains, five_of_the_wrong_cases_must_be_answered) {
  for (std::size_t n = 1; n < 5; ++n) {
    Cases declined(7);
    declined[n] = true;
    EXPECT_FALSE(explained(0, Cases(7), declined)) << n;
  }
  Cases right_ones(7);
  right_ones[5] = right_ones[6] = true;
  EXPECT_TRUE(explained(0, Cases(7), right_ones)) << "what was right says nothing";
  EXPECT_FALSE(
      explains({0, Cases(7), Cases(7)}, {100, {true, true, true, true, false, false, false}, Cases(7)}));
}

}  // namespace
}  // namespace posproof::explains_test
