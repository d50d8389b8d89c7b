#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/call.h"
#include "core/failure.h"
#include "core/function.h"
#include "core/place.h"
#include "core/precision.h"
#include "core/property.h"
#include "search/search.h"

namespace posproof {

// An answer that is not the exact one, of those that a counterexample asks for.
struct WrongAnswer {
  Encoding truth;  // of the kind that answered
  Precision precision;
  std::vector<Call> before = {};  // that the counterexample asks for before it, in order
  Call call = {};
  Tensor exact = {}, given = {};
  Bound allowed = {};
  std::size_t at = 0;               // the entry that is the largest share of what it is allowed
  std::optional<Place> place = {};  // of that entry
  // What came instead of an answer, and how: then there is none, and no place.
  std::string instead = {};
  Failure::How how = Failure::How::raised;
};

// An exact answer as a right one is in that format: a check may ask on with it.
Tensor rounded(Tensor exact, const Precision& precision);

// A property's check of that encoding; none where it cannot be asked.
using TrialOf = Function<std::optional<Trial>(const Encoding&)>;
TrialOf trial_of(const Property& property, const Precision& precision);  // the property lives as long

// What a counterexample shows of the single answers that it is made of.
struct Shown {
  std::shared_ptr<const WrongAnswer> wrong = {};  // the first one
  // With the exact answers in place of the wrong ones, the case does not fail: nothing else is wrong with it.
  bool by_answers_alone = false;
};

// Asks the counterexample again, and compares every answer with the truth's. Nothing is shown where it does
// not fail this time, and where the truth has no answers of that kind.
Shown shown(const TrialOf& trial, const Encoding& truth, const Encoding& subject, const Precision& precision,
            const Case& counterexample);

}  // namespace posproof
