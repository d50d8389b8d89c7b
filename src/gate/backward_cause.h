#pragma once

#include <cstdint>
#include <vector>

#include "core/spec.h"
#include "diagnosis/diagnosis.h"
#include "search/budget_clock.h"
#include "subject/subject.h"

namespace posproof {

// What the backward pass of a rotation computes whose forward pass is right: a gradient that is rotated
// forward, all of it or that of keys alone; what else may be wrong in calls; and, of an encoding that has a
// direction, what explains it as a subject of the other one. The counterexample is that of the backward pass.
std::vector<Explanation> backward_causes(const EncodingSpec& spec, std::string_view id,
                                         const Parameters& parameters, const Subject& subject,
                                         const Case& counterexample, std::uint64_t seed,
                                         BudgetClock::time_point deadline);

}  // namespace posproof
