#pragma once

#include <cstdint>

#include "search/budget_clock.h"
#include "search/case_result.h"

namespace posproof {

struct Shrunk {
  CaseResult smallest;
  std::uint64_t runs;  // of the trial
};

// The simplest case found that fails like `found`, which was made by `run_leniently`. All fields are shrunk
// together, structure before data: an edit is run through the lenient draw and taken when it fails in the
// same way and what was really drawn has a strictly lower rank (rank.h), so shrinking ends, whatever the
// trial does. It also ends after `runs` runs, or at the deadline, with the simplest case so far.
Shrunk shrink(const Trial& trial, CaseResult found, std::uint64_t runs, BudgetClock::time_point deadline);

}  // namespace posproof
