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
    measured,    // a deviation that was measured: it explains every case tried, with the others of its kind
    defect,      // a named wrong implementation
  };
  Kind kind;
  std::string what;     // `--layout interleaved`, a sentence, or `rope/angles_in_bf16`
  std::string meaning;  // the parameter's meaning, or what the defect computes
  std::string sources;  // of a defect
};

// Asks the subject, on a search of its own that begins with the counterexample, and compares its answers with
// every other setting of the encoding's parameters (one changed at a time) and with every defect of its
// family; then measures what it computes (run/deviations.h). Conventions first, then what was measured, then
// defects by name; a name that the measurement contradicts is left out. Empty: nothing known explains it.
std::vector<Explanation> diagnose(const EncodingSpec& spec, std::string_view id, const Parameters& parameters,
                                  const Subject& subject, const Case& counterexample, std::uint64_t seed);

}  // namespace posproof
