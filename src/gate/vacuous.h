#pragma once

#include <optional>
#include <string>

#include "core/property.h"
#include "core/verdict.h"
#include "search/search.h"
#include "subject/subject.h"

// What the exact encoding says in the place of a subject, at the positions and in the precision that the
// subject has: whether a property could have shown anything there, and whether it is true there at all. These
// are for catalogued properties; those that are made of the truth know what they ask.
namespace posproof {

// One property as it is asked of a subject. What they point to lives longer.
struct AskedOf {
  const Property& property;
  const Trial& trial;  // of the subject
  const Encoding& truth;
  const Subject& subject;
};

// The trial of a live subject, which ends as Inapplicable after thirty cases that are all vacuous, if the
// truth has nothing to show either: a subject is not asked for hundreds of such cases.
Trial with_doubts(const AskedOf& asked, const Plan& plan);

// Why a search that learned nothing could not have: one head cannot differ from another, no channel stands
// past the rotary width. None where the subject is to blame (it declines, it is slow).
std::optional<std::string> nothing_to_ask(const AskedOf& asked, const Plan& plan, const Verdict& verdict);

// The counterexample, if it is one of the exact encoding as well, correctly rounded to the subject's format.
// A domain may end before what was claimed sets in (a bias saturates past its window, and the subject ends
// within it), and a format may have one number for two rows (257 is not a bf16). Agreement judges these
// answers.
std::optional<std::string> counterexample_of_the_truth(const AskedOf& asked, const Verdict& verdict);

}  // namespace posproof
