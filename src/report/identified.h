#pragma once

#include <string>

#include "identify/identify.h"
#include "report/words.h"

namespace posproof::report {

// The convention in the first line, then how it was compared, what the subject cannot tell, and the command
// that gates it; where none holds, the nearest and how the subject differs from it.
std::string identified(const Identified& found, std::string_view subject, const Style& style);

// The same values as one JSON document.
std::string identified_json(const Identified& found, std::string_view subject);

// ` alibi --heads 12`, the words between `posproof gate` and the subject.
std::string convention(const Candidate& candidate);

}  // namespace posproof::report
