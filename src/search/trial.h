#pragma once

#include <optional>
#include <string>

#include "core/property.h"
#include "search/search.h"

namespace posproof {

// Whether an encoding has a view that the property can be asked of.
bool applies(const Property& property, const Encoding& encoding);

// One run of the property's check on the encoding; none where it does not apply.
std::optional<Trial> trial(const Property& property, const Encoding& encoding, Precision precision);

}  // namespace posproof
