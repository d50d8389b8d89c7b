#include "testing/holds_for.h"

#include <rapidcheck.h>

#include <sstream>
#include <string>
#include <unordered_map>

#include "core/function.h"

namespace posproof::testing {

::testing::AssertionResult holds_for(const Function<void()>& law, int cases) {
  struct Silent final : rc::detail::TestListener {
    void onTestCaseFinished(const rc::detail::CaseDescription&) override {}
    void onShrinkTried(const rc::detail::CaseDescription&, bool) override {}
    void onTestFinished(const rc::detail::TestMetadata&, const rc::detail::TestResult&) override {}
  } silent;
  rc::detail::TestParams params;
  params.seed = 1;
  params.maxSuccess = cases;
  const std::unordered_map<std::string, rc::detail::Reproduce> none;
  const auto result = rc::detail::checkTestable(law, rc::detail::TestMetadata(), params, silent, none);
  rc::detail::SuccessResult success;
  if (result.match(success) && success.numSuccess == cases) return ::testing::AssertionSuccess();
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  return ::testing::AssertionFailure() << text.str();
}

}  // namespace posproof::testing
