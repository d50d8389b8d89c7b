#pragma once

#include <string_view>

#include "core/property.h"
#include "core/spec.h"
#include "run/search.h"

namespace posproof {

// The id under which agreement is listed beside the catalogued properties.
constexpr std::string_view agreement_id = "agrees_with_its_oracle";

// "Agrees with `truth`": a subject of the truth's own kind is compared value by value, with positions, contents, batch
// rows and roles drawn; one that gives logits, or the whole operator, is compared with the truth plugged into them.
// What is allowed is the error of an exactly known encoding computed in the subject's precision.
Property agreement(const Encoding& truth);

// "Agrees with its oracle", the claim that every encoding has without writing it, over the spec's grid.
Trial agreement_over_grid(const EncodingSpec& spec);

}  // namespace posproof
