#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnosis/answered.h"
#include "diagnosis/call_deviations.h"

namespace posproof {

// A subject that is wrong in calls of one token (of one query) alone, or in calls of several alone: as it
// answers in those, so that what is measured of it is measured there.
struct CallsApart {
  std::string words;               // `in calls of one query`
  Subject subject;                 // asked in such calls only, whatever it is asked
  std::vector<Answered> answered;  // of those that were recorded, such calls
};

// None where wrong answers are in calls of both sorts, where too few calls of the other sort say that they
// are right, or of whole operators.
std::optional<CallsApart> calls_apart(const Model& model, const Subject& subject, const Encoding& declared,
                                      const std::vector<Answered>& answered);

}  // namespace posproof
