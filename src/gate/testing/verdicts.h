#pragma once

#include <memory>
#include <string>

#include "core/call.h"
#include "gate/backward.h"
#include "gate/declined.h"
#include "run/agreement.h"
#include "search/search.h"
#include "search/trial.h"
#include "subject/subject.h"

// What a subject is found to be by some thirty cases, in a word, for tests that ask many of them.
namespace posproof::testing {

inline char letter(const Verdict& verdict) {
  return std::holds_alternative<Holds>(verdict) ? 'H' : std::holds_alternative<Refuted>(verdict) ? 'R' : '?';
}

// `H` where it agrees with the truth, `R` where it is refuted, then the same of its backward pass; and what
// it declines.
inline std::string verdicts(const Subject& subject, const Encoding& truth) {
  const auto declined = std::make_shared<Declined>();
  const Encoding counted = counting_declined(subject.encoding, declined);
  const Plan plan{.id = std::string(agreement_id),
                  .budget = {.cases = 30, .shrink_time = std::chrono::milliseconds(0)}};
  std::string out(1, letter(search(*trial(agreement(truth), counted, subject.precision), plan)));
  if (subject.backward)
    out += letter(search(*trial(backward_agreement(truth), *subject.backward, subject.precision), plan));
  return out + in_words(counted, *declined);
}

}  // namespace posproof::testing
