#pragma once

#include <cstdint>
#include <string_view>

#include "core/function.h"
#include "core/spec.h"
#include "gate/gate.h"
#include "search/budget_clock.h"
#include "search/search.h"

namespace posproof {

// What a run of the gate knows when something was refuted.
struct Refutations {
  const EncodingSpec& spec;
  const Encoding& truth;
  const Expected& expected;
  std::uint64_t seed;
  BudgetClock::time_point deadline;                   // nothing begins after it
  Function<const Trial&(std::string_view id)> trial;  // of the subject, by the property's id
};

// Says of every refuted result whether its counterexample needs the calls that came before, and then what it
// follows from; and explains the subject by what is measured, by other settings and by defects, on calls to a
// new object: its history is that of the calls that a defect is compared on.
void explain(const Refutations& refutations, GateResult& gated);

}  // namespace posproof
