#pragma once

#include <cstdint>
#include <string_view>

#include "core/call.h"

// In what way a program is asked to hand the arrays of a call on: the word `arrays` of protocol.md.
namespace posproof {

// What a call's arrays are told by: its shape and its positions. So a case is asked in the same way again, in
// another process too, and while its contents shrink.
std::uint64_t number_of(const Call& call, const Shape& shape_of_answer);

// How the arrays lie in memory: half of the calls have them plain, which is empty. Of calls of very many
// values those of an odd number of tokens that are rotated are transposed, as a model has a prompt; the others
// are for speed, and are plain.
std::string_view arrays_of(const Call& call, const Shape& shape_of_answer);

}  // namespace posproof
