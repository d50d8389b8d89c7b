#pragma once

#include <string_view>
#include <vector>

#include "core/catalogue.h"
#include "core/document.h"
#include "core/identity.h"
#include "core/spec.h"

// One page for each encoding: what it is, which conventions it has, what it claims and why, what it does with
// distance, how exact it can be, what else it is, and which defects of it were shipped.
namespace posproof::experiments {

inline constexpr std::string_view question_of_encodings =
    "What is this encoding, which conventions does it have, and which properties hold?";
inline constexpr std::string_view method_of_encodings =
    "Formula, conventions, claims and defects are those of the catalogue. The curve and the errors are computed here "
    "from the exact encoding. Claims are not searched again: [the matrix](../encoding_by_property.md) has what each "
    "search measured.";

// Throws std::invalid_argument for an id that the catalogue has not.
Document encoding_page(std::string_view id);

// Those of which it is the left or the right side.
std::vector<catalogue::Entry<Identity>> identities_of(const EncodingSpec& spec);

}  // namespace posproof::experiments
