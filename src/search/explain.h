#pragma once

#include <string>
#include <vector>

#include "search/budget_clock.h"
#include "search/case_result.h"

namespace posproof {

// The fields of a failing case that do not matter: redrawn alone, with the rest kept (and repaired where it
// no longer fits), it still fails, every time. At least ten other values must have been tried, or all that
// there are.
std::vector<std::string> irrelevant(const Trial& trial, const CaseResult& failing, std::uint64_t key,
                                    BudgetClock::time_point deadline);

}  // namespace posproof
