#pragma once

#include <string_view>

#include "core/property.h"
#include "gate/wrong_answer.h"
#include "subject/subject.h"

namespace posproof {

// What a property is asked of, for each that a gate or a check selects.
struct Checked {
  Encoding encoding;  // of the subject: its own, or its backward pass
  Encoding truth;     // what that should be
  TrialOf trial;      // the property's check of another function in its place
};

// Of agreement, of history, of a backward pass that the subject has, or of a catalogued property. The
// property and the subject live as long.
Checked checked(std::string_view id, const Property& property, const Encoding& truth, const Subject& subject);

// What the counterexample shows of single answers; `refuted` is told where the first wrong one is wrong.
Shown look_at_answers(const Checked& one, const Precision& precision, Refuted& refuted);

}  // namespace posproof
