#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace posproof::fuzz {

// What is read of a file that holds these bytes and has that ending, `:NAME` of a tensor included: the array
// itself, its first and its last row, and no value where it has none.
void read_as_array(const std::string& ending, const std::uint8_t* data, std::size_t size);

}  // namespace posproof::fuzz
