#pragma once

#include <string>
#include <vector>

#include "core/spec.h"

namespace posproof {

// Another word of a convention that gives the same values.
struct AlikeWord {
  std::string parameter, own, other;
  std::string
      apart;  // `heads=3`, the first value of another parameter that tells them apart; empty where none does
};
std::vector<AlikeWord> alike_words(const EncodingSpec& spec, const Parameters& parameters);

// Where projects disagree on a word, and another word gives the same values for these parameters, so that no
// subject can be told which one it has: `rule: official and geometric give the same values; heads=3 tells
// them apart`, the first value of another parameter that does; where none does, nothing is said. Conventions
// under which a whole row may be shifted are left out: there, values are not compared.
std::vector<std::string> words_alike(const EncodingSpec& spec, const Parameters& parameters);

}  // namespace posproof
