#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace posproof {

// No JSON from outside may be nested deeper. A header of tensors has three levels, a file of parameters two.
constexpr std::size_t deepest_json = 16;

// What forbids to make anything of a JSON text from outside, as the end of a sentence about it: `is not
// JSON`, `is nested deeper than 16`, or `has the key `a` twice` (readers keep the one or the other, and so
// read two texts in one); empty where nothing does. Takes time linear in the text (a logarithm more for keys)
// and memory for its keys alone.
std::string fault_of_json(std::string_view text);

}  // namespace posproof
