#pragma once

#include <string_view>

#include "core/property.h"
#include "core/spec.h"

namespace posproof {

// The id of a catalogued property: its file's path. Empty for one that is not in the catalogue.
std::string_view id_of(const Property& property);

// The id of a catalogued encoding: likewise.
std::string_view id_of(const EncodingSpec& spec);

// By id. Throws std::invalid_argument with the ids that are near, and where to see all.
const Property& property_named(std::string_view id);
const EncodingSpec& encoding_named(std::string_view id);

}  // namespace posproof
