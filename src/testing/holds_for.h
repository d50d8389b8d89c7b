#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "core/function.h"

namespace posproof::testing {

// Whether a law of our own code holds for everything that RapidCheck draws for it; where it does not, the
// smallest counterexample, in RapidCheck's words. In a test: EXPECT_TRUE(holds_for([] { const double
// x = *any_double(); RC_ASSERT(...); })).
//
// All parameters are given, by the one overload that does not read RC_PARAMS: for rc::check a stale
// `reproduce=...` or `max_success=0` there is a success after 0 cases.
::testing::AssertionResult holds_for(const Function<void()>& law, int cases = 300);

}  // namespace posproof::testing
