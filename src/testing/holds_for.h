#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <sstream>
#include <string>
#include <unordered_map>

namespace posproof::testing {

// Whether a law of our own code holds for everything that RapidCheck draws for it; where it does not, the
// smallest counterexample, in RapidCheck's words. In a test: EXPECT_TRUE(holds_for([](double x) {
// RC_ASSERT(...); })).
//
// All parameters are given, by the one overload that does not read RC_PARAMS: for rc::check a stale
// `reproduce=...` or `max_success=0` there is a success after 0 cases.
template <class Law>
::testing::AssertionResult holds_for(const Law& law, int cases = 300) {
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
