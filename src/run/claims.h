#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/claim.h"
#include "core/function.h"
#include "core/spec.h"
#include "search/search.h"

namespace posproof {

// What became of a claim.
enum class ClaimStatus {
  as_claimed,
  broken,       // it does not hold, or it fails otherwise than recorded
  stale,        // the recorded failure no longer fails; counts as broken
  not_checked,  // nothing was learned
};

std::string_view name(ClaimStatus status);

struct ClaimResult {
  ClaimStatus status;
  Verdict verdict;
  std::string why;  // one line, empty where it is as claimed
};

// The property asked of the encoding over its grid of parameters (those that meet the condition): the
// parameters are drawn first and are part of the case, so that a counterexample shrinks to the simplest of
// them.
Trial over_grid(const Property& property, const EncodingSpec& spec, const Condition& when = {});

// The same for a trial that is made for each setting: none where it does not apply there.
Trial over_grid(const EncodingSpec& spec, const Condition& when,
                Function<std::optional<Trial>(const Parameters&)> made);

// A recorded case of a property on an encoding: the fields named like parameters are the parameters (standard
// where missing), the rest are the inputs. Throws std::invalid_argument for a field that nothing asks for.
Verdict replay(const Property& property, const EncodingSpec& spec, const Case& recorded);

// Where a claim that something holds stands after this verdict.
ClaimResult stand(Verdict verdict);

// Searches a `holds`, replays a `fails`.
ClaimResult judge(const Claim& claim, const EncodingSpec& spec, const Plan& plan);

}  // namespace posproof
