#pragma once

#include <optional>

#include "core/encoding.h"
#include "core/precision.h"
#include "core/verdict.h"
#include "search/search.h"

namespace posproof {

// Agreement in calls longer than any that is drawn (run/long_cases.h says which): what depends on how many
// tokens there are, and is right of few, is wrong there.
std::optional<Verdict> agreement_in_long_calls(const Encoding& truth, const Encoding& subject,
                                               const Precision& precision, const Budget& budget);

}  // namespace posproof
