#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnosis/answered.h"
#include "diagnosis/deviation.h"

namespace posproof {

// What differs in logits that depend on content, term by term: a logit is what it is without content, what
// the query adds to that, what the key adds, and what only both together give. Each term times a factor (0:
// it is missing), and all of them or one at other positions (diagnosis/pair_forms.h). `reference` is the
// declared encoding in double.
std::vector<Deviation> term_deviations(const Contextual& reference, const Contextual& truth,
                                       const Precision& precision, const std::vector<Answered>& answered);

// Where no factor and no position explains it: which of the terms are others, asked of the subject with one
// content at a time, where it gives the rest as declared. None where it gives all or none of them so.
std::optional<std::string> wrong_terms(const Contextual& subject, const Contextual& reference,
                                       const Contextual& truth, const Precision& precision,
                                       const std::vector<Answered>& answered);

}  // namespace posproof
