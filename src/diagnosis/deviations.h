#pragma once

#include <string>
#include <vector>

#include "core/spec.h"
#include "diagnosis/answered.h"

namespace posproof {

// What was measured of a subject that differs from what was declared, in a sentence each. Every sentence is
// confirmed: the declared encoding with these deviations gives every answer that was recorded, within
// rounding. Empty where no such sentences were found. Throws nothing but std::bad_alloc.
std::vector<std::string> deviations(const EncodingSpec& spec, const Parameters& parameters,
                                    const Subject& subject, const std::vector<Answered>& answered);

// Whether measuring tells the candidate from the subject where the recorded answers do not: a frequency is
// measured more closely than rounding allows a right one to be off.
bool contradicted(const Encoding& candidate, const EncodingSpec& spec, const Parameters& parameters,
                  const Subject& subject);

}  // namespace posproof
