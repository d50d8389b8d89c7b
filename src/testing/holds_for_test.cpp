#include "testing/holds_for.h"

#include <cstdlib>

namespace posproof::holds_for_test {

using posproof::testing::holds_for;

namespace {

void is_below_10() {
  const int x = *rc::gen::arbitrary<int>();
  RC_ASSERT(x < 10);
}

}  // namespace

TEST(HoldsFor, a_law_that_fails_is_shrunk_and_printed) {
  const auto result = holds_for(&is_below_10);
  EXPECT_FALSE(result);
  EXPECT_NE(std::string(result.message()).find("Falsifiable"), std::string::npos) << result.message();
  EXPECT_NE(std::string(result.message()).find("10"), std::string::npos) << result.message();
}

TEST(HoldsFor, a_law_that_discards_every_case_does_not_hold) {
  EXPECT_FALSE(holds_for([] { RC_PRE(false); }));
  EXPECT_FALSE(holds_for([]() -> void { throw std::runtime_error("no"); }));
}

// RapidCheck reads RC_PARAMS once in a process: the child begins with it.
TEST(HoldsFor, obeys_no_environment) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const char* stale :
       {"max_success=0", "reproduce=BchV3bBRWY1FWLyJ3brd2bC5XZfVWRyVmcpVGZ1IXeBdVapl3XpRXax1F"}) {
    setenv("RC_PARAMS", stale, 1);
    EXPECT_EXIT(
        {
          int cases = 0;
          const bool held = holds_for([&] { ++cases; }, 50);
          const bool failed = !holds_for(&is_below_10);
          std::exit(held && failed && cases == 50 ? 0 : 1);
        },
        ::testing::ExitedWithCode(0), "");
    unsetenv("RC_PARAMS");
  }
}

}  // namespace posproof::holds_for_test
