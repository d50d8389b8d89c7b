#pragma once

#include <vector>

#include "diagnosis/call_deviations.h"
#include "diagnosis/call_effects.h"

// Whether a subject remembers what it was asked, as an effect of memory says.
namespace posproof {

// Whether the subject answers a recorded call otherwise when it was asked nothing before: as the effect then
// gives, and not as recorded. A subject without memory gives what it gave, whatever else explains it; where
// the effect gives the same with and without the calls before, nothing is asked, and it is false.
// `by_effect`: whether the effect explains each recorded row, after the calls before. Calls with rows that
// need it, which `alone` leaves wrong, are asked first. The subject is renewed, which it must be able to do.
bool remembers_as(const Effect& effect, const std::vector<bool>& by_effect, const Explained& alone,
                  const Model& model, const Subject& subject, const Encoding& declared,
                  const std::vector<Answered>& answered);

}  // namespace posproof
