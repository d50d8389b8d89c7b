#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/case.h"
#include "core/encoding.h"
#include "core/property.h"
#include "subject/subject.h"

namespace posproof {

// What is done in calls that a property asks the subject and agreement does not: the deviation
// (diagnosis/call_deviations.h) that explains every answer that was given where the property was asked again,
// at its counterexample and near it. The subject is asked nothing before. `truth` is in the subject's kind.
// None where nothing known explains them all, or fewer than three rows are wrong.
std::optional<std::string> deviation_in_calls_of(const Property& property, const Subject& subject,
                                                 const Encoding& truth, const Case& counterexample,
                                                 std::uint64_t seed);

}  // namespace posproof
