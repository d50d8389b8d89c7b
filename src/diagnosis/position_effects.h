#pragma once

#include <vector>

#include "diagnosis/call_effects.h"

// Other positions in the place of those of a call, which need no number to be measured.
namespace posproof {

// Row numbers, positions of other tokens and rows, fewer digits.
std::vector<Effect> effects_of_row_positions();

// Those in which heads differ.
std::vector<Effect> effects_of_head_positions();

// Those of a program whose keys have fewer heads than its queries, where a token of a key's head is found by
// the number of the queries' heads.
std::vector<Effect> effects_of_fewer_key_heads(std::size_t of_queries, std::size_t of_keys);

// To so many binary digits, as a float of so many rounds it.
Position rounded_to_digits(Position t, int digits);

}  // namespace posproof
