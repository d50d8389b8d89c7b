#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnosis/answered.h"

namespace posproof {

// For which pairs of a query's and a key's position logits that depend on content are wrong, asked of the
// subject with a content that showed it: `wrong for keys 8 or more before the query alone`. None where no
// such rule says of each pair that was asked whether it is wrong. `reference` is the declared encoding in
// double.
std::optional<std::string> wrong_pairs(const Contextual& subject, const Contextual& reference,
                                       const Contextual& truth, const Precision& precision,
                                       const std::vector<Answered>& answered);

}  // namespace posproof
