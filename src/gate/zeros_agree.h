#pragma once

#include "core/call.h"
#include "core/precision.h"
#include "search/search.h"

namespace posproof {

// Whether an answer of 0 everywhere would agree in every case, too, though the truth is not 0: then rounding
// in that precision may be as large as what is compared, and that a subject agrees says nothing. The subject
// is not asked.
bool zeros_agree(const Encoding& truth, const Encoding& subject, const Precision& precision, Plan plan);

}  // namespace posproof
