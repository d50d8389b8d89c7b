// The commands of the pages, those that take seconds as well: all programs of the examples, the matrix and
// the reports.
#include "command/testing/pages.h"

namespace posproof::testing {
namespace {

TEST(Pages, show_commands_that_run_to_their_end) {
  const bool torch = POSPROOF_PYTHON_HAS_TORCH;
  if (!torch) GTEST_SKIP() << "there is no PyTorch";
  std::size_t count = 0;
  for (const std::string& page : pages_with_commands()) count += run_as_shown(page, true);
  EXPECT_GE(count, 30u);
}

}  // namespace
}  // namespace posproof::testing
