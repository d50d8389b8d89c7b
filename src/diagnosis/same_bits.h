#pragma once

#include <vector>

#include "core/encoding.h"
#include "diagnosis/answered.h"
#include "subject/subject.h"

namespace posproof {

// Of answers in 16 bits: whether they are the candidate's, rounded once, at least in 16 entries that the
// truth has otherwise, and for 50 of these but in one that neither explains or the truth does. Rounding may
// allow either to be answered as the other is, and the bits still tell them apart.
bool has_its_bits(const Encoding& candidate, const Encoding& truth, const Subject& subject,
                  const std::vector<Answered>& answered);

}  // namespace posproof
