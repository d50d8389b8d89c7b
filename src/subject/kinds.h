#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "subject/subject.h"

namespace posproof {

// The first of the declared encodings that the subject implements. Throws SubjectError with what it
// implements and what it can be asked as, where there is none.
const Encoding& choose(std::string_view subject, const std::vector<std::string>& implemented,
                       const Expected& expected);

// The positions of `domain` as the subject has them; of the hard ones, those that lie within.
Domain within(const Domain& subjects, const Domain& domain);

}  // namespace posproof
