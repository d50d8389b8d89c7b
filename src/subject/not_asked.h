#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/call.h"

namespace posproof {

// Logits that queries and keys make, of a sequence each.
bool gives_logits_of_contents(const Signature& signature);

// What a program that takes positions in this way (`takes_positions` of protocol.md) is never asked in one
// call, in words: none where each token has a position of its own, or where positions are row numbers.
std::vector<std::string> not_asked(const Encoding& declared, std::string_view takes_positions);

}  // namespace posproof
