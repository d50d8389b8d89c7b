#pragma once

#include <string>
#include <vector>

#include "core/spec.h"
#include "core/verdict.h"
#include "subject/subject.h"

namespace posproof {

// What a refuted subject behaves like.
struct Explanation {
  enum class Kind {
    convention,  // another value of one parameter explains every case tried: it may not be wrong at all
    defect,      // a named wrong implementation
  };
  Kind kind;
  std::string what;     // `--layout interleaved`, or `rope/angles_in_bf16`
  std::string meaning;  // the parameter's meaning, or what the defect computes
  std::string sources;  // of a defect
};

// Compares the subject with every other setting of the encoding's parameters (one changed at a time) and with
// every defect of its family, on the counterexample and on a search of its own. Empty: nothing known explains
// it.
std::vector<Explanation> diagnose(const EncodingSpec& spec, std::string_view id, const Parameters& parameters,
                                  const Subject& subject, const Case& counterexample, std::uint64_t seed);

}  // namespace posproof
