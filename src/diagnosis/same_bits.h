#pragma once

#include <vector>

#include "core/encoding.h"
#include "diagnosis/answered.h"
#include "subject/subject.h"

namespace posproof {

// Of answers in 16 bits: whether those entries that the candidate and the truth, rounded once, have otherwise
// are the candidate's, at least 16 of them and all but one in 50. Rounding may allow either to be answered as
// the other is, and the bits still tell them apart.
bool has_its_bits(const Encoding& candidate, const Encoding& truth, const Subject& subject,
                  const std::vector<Answered>& answered);

}  // namespace posproof
