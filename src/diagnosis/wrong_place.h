#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/spec.h"
#include "diagnosis/answered.h"
#include "subject/subject.h"

namespace posproof {

// Where a subject is wrong: as a rule of query's and key's positions (diagnosis/term_places.h), or of what
// its wrong answers have in common (diagnosis/located.h).
std::optional<std::string> wrong_place(const EncodingSpec& spec, const Parameters& parameters,
                                       const Subject& subject, const Encoding& declared,
                                       const std::vector<Answered>& answered);

}  // namespace posproof
