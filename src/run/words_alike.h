#pragma once

#include <string>
#include <vector>

#include "core/spec.h"

namespace posproof {

// Where projects disagree on a word, and another word gives the same values for these parameters, so that no
// subject can be told which one it has: `rule: official and geometric give the same values; heads=3 tells
// them apart`, the first value of another parameter that does; where none does, nothing is said. Conventions
// under which a whole row may be shifted are left out: there, values are not compared.
std::vector<std::string> words_alike(const EncodingSpec& spec, const Parameters& parameters);

}  // namespace posproof
