#pragma once

#include <vector>

#include "core/precision.h"
#include "core/spec.h"
#include "diagnosis/rotation_forms.h"

namespace posproof {

// Of LongRoPE with divisors for short and for long calls: the declared rotation whose long calls begin at
// another position, which is measured by `subject` in calls of one token; or whose calls are all long. None
// where it has one list of divisors, or where the subject is neither in some call.
std::vector<RotationForm> switch_forms(const Rotary& subject, const Rotary& truth,
                                       const Parameters& parameters, const Precision& precision);

}  // namespace posproof
