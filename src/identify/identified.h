#pragma once

#include <string>
#include <vector>

#include "core/spec.h"

namespace posproof {

// A convention of the catalogue that a subject may have.
struct Candidate {
  std::string encoding;  // id
  Parameters parameters;
};

// All settings of the encoding's words, flags and conventions of two numbers, with the given values of other
// parameters in their place; those that make no sense together are left out, and those that matter nowhere
// are not varied. At most `most`.
std::vector<Candidate> settings(const std::string& encoding, const EncodingSpec& spec,
                                const Parameters& given, std::size_t most = 512);

// How many digits somebody had to write down for it beside what is standard: the simplest of several
// conventions that explain the same has the fewest.
int complexity(const EncodingSpec& spec, const Candidate& candidate);

// Whether the encoding takes these parameters.
bool makes_sense(const EncodingSpec& spec, const Parameters& parameters);

}  // namespace posproof
