#pragma once

#include <cstddef>

#include "core/encoding.h"

namespace posproof {

// The same encoding, which computes the answer to a call once: a diagnosis asks the exact one the same calls
// for everything that may explain a subject. For encodings that answer a call alike whenever it is asked. All
// is forgotten where calls and answers would be more than so many bytes.
Encoding remembering(const Encoding& encoding, std::size_t most_bytes = std::size_t{1} << 28);

}  // namespace posproof
