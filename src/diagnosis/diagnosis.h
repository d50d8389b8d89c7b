#pragma once

#include <string>
#include <vector>

#include "core/spec.h"
#include "core/verdict.h"
#include "search/budget_clock.h"
#include "subject/subject.h"

namespace posproof {

// What a refuted subject behaves like.
struct Explanation {
  enum class Kind {
    convention,  // another value of one parameter explains every case tried: it may not be wrong at all
    measured,    // a deviation that was measured: it explains every case tried, with the others of its kind
    defect,      // a named wrong implementation
    place,       // where the wrong answers lie, where nothing explains them: no cause
    unfinished,  // the time was over before all of these had been compared: no cause
  };
  Kind kind;
  std::string what;     // `--layout interleaved`, a sentence, or `rope/angles_in_bf16`
  std::string meaning;  // the parameter's meaning, or what the defect computes
  std::string sources;  // of a defect
};

// Asks the subject, beginning with the counterexample, and compares its answers with other settings of the
// encoding's parameters (one changed at a time) and with every defect of its family; then measures what it
// computes (diagnosis/deviations.h). Conventions first, then measurements, then defects by name, but none
// that was measured otherwise. Where that says nothing, two at most of diagnosis/other_values.h. Empty:
// nothing explains it. Past the deadline, and once an interrupt was noted, it stops.
std::vector<Explanation> diagnose(const EncodingSpec& spec, std::string_view id, const Parameters& parameters,
                                  const Subject& subject, const Case& counterexample, std::uint64_t seed,
                                  BudgetClock::time_point deadline = BudgetClock::time_point::max());

}  // namespace posproof
