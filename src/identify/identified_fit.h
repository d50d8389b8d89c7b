#pragma once

#include <cstddef>
#include <optional>

#include "core/place.h"
#include "identify/identified_subject.h"
#include "run/seeming_precision.h"

namespace posproof {

// How well a convention fits what a subject answered.
struct Fit {
  int passes_over = 0;            // keys after the query: 1; a constant on every row: 2
  std::size_t wrong = 0, of = 0;  // calls; of a file that fits, its positions
  double share = 0;               // the largest of what rounding allows
  double near = 0,
         entries = 0;  // a right entry is 1, one off by a hundredth of the largest a half, by all of it 1/200
  std::optional<Place> first = {};  // that is wrong
  Case counterexample = {};

  bool holds() const { return of > 0 && wrong == 0; }
};

// Asks the subject what conventions are compared by, and keeps its answers.
void record(const Answers& answers, const Subject& subject);

// By the recorded answers of a program; by the answers of a file to some calls, and where these fit, by all
// of its rows. What the convention is not defined for is not compared. None where it is of another kind, or
// a file of another shape. `all_nearly` compares all answers of a program with the reference alone.
enum class FitUntil { first_wrong, all, all_nearly };
std::optional<Fit> fit(const Candidate& candidate, const Unidentified& subject, const Answers& recorded,
                       FitUntil until);

}  // namespace posproof
