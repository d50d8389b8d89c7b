#pragma once

#include "core/property.h"
#include "core/spec.h"

namespace posproof {

// "Agrees with its oracle": the claim that every encoding has without writing it, as a property of subjects that
// are meant to be `spec` with these parameters. A subject of the encoding's own kind is compared value by value; one
// that gives logits, or the whole operator, is compared with the oracle plugged into them.
Property agreement(const EncodingSpec& spec, const Parameters& parameters);

}  // namespace posproof
