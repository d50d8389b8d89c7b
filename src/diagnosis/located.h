#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/precision.h"
#include "diagnosis/answered.h"

namespace posproof {

// Where a subject's wrong answers lie, where that is all that is known of them: in some heads alone, in some
// channels, at some distances between query and key, .. None where they lie everywhere, or too few answers
// say so. Every answer that was recorded elsewhere is as declared.
std::optional<std::string> located(const Encoding& declared, const Precision& precision,
                                   const std::vector<Answered>& answered);

}  // namespace posproof
