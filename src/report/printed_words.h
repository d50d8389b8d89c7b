#pragma once

#include <span>

#include "report/glossary.h"

namespace posproof::report {

// The words that posproof prints, in text, in JSON or as an exit code, and that are in no catalogue and not
// in the glossary: what each says.
std::span<const Term> printed_words();

}  // namespace posproof::report
