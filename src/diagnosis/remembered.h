#pragma once

#include "core/encoding.h"

namespace posproof {

// The same encoding, which computes the answer to a call once: a diagnosis asks the exact one the same calls
// for everything that may explain a subject. For encodings that answer a call alike whenever it is asked.
Encoding remembering(const Encoding& encoding);

}  // namespace posproof
